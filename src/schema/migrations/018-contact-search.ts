import { Migration } from '@mikro-orm/migrations'

/** Contacts are found by how their email or name begins, whatever the database's locale is. */
export class Migration018ContactSearch extends Migration {
  override name = '018-contact-search'

  override up(): void {
    this.addSql('create index contacts_by_email on contacts (workspace_id, email_key text_pattern_ops)')
    this.addSql(`
      create index contacts_by_first_name on contacts (workspace_id, lower(first_name) text_pattern_ops)
      where first_name is not null`)
  }
}
