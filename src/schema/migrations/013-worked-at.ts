import { Migration } from '@mikro-orm/migrations'

/** A worker says that it works: one that is started in another Temporal meanwhile does not take the installation there. */
export class Migration013WorkedAt extends Migration {
  override name = '013-worked-at'

  override up(): void {
    this.addSql('alter table installation add column worked_at timestamptz')
  }
}
