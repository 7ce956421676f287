import { Migration } from '@mikro-orm/migrations'

/** Contacts have names of their callers' own, each unique in its workspace. */
export class Migration004ExternalIds extends Migration {
  override name = '004-external-ids'

  override up(): void {
    this.addSql('alter table contacts add column external_id text')
    this.addSql(
      `create unique index contacts_external_id_unique on contacts (workspace_id, external_id) where external_id is not null`,
    )
  }
}
