import { Migration } from '@mikro-orm/migrations'

/** Two Temporals may call a namespace the same: its id tells them apart, and a copy of the database from what it was copied from. */
export class Migration011NamespaceId extends Migration {
  override name = '011-namespace-id'

  override up(): void {
    this.addSql('alter table installation add column temporal_namespace_id text')
  }
}
