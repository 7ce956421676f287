import { Migration } from '@mikro-orm/migrations'

/** A hold says whether its database was put back, or only its Temporal is another one. */
export class Migration014OnlyMoved extends Migration {
  override name = '014-only-moved'

  override up(): void {
    this.addSql('alter table installation add column is_only_moved boolean not null default false')
  }
}
