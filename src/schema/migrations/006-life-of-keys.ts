import { Migration } from '@mikro-orm/migrations'

/** Keys end, and tell when they were used last. */
export class Migration006LifeOfKeys extends Migration {
  override name = '006-life-of-keys'

  override up(): void {
    this.addSql('alter table api_keys add column expires_at timestamptz, add column last_used_at timestamptz')
  }
}
