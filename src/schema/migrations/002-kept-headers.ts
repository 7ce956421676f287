import { Migration } from '@mikro-orm/migrations'

/** A kept answer says in its headers again why it refused, and what it warned of. */
export class Migration002KeptHeaders extends Migration {
  override name = '002-kept-headers'

  override up(): void {
    this.addSql('alter table idempotency_keys add column headers jsonb')
  }
}
