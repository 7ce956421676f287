import { Migration } from '@mikro-orm/migrations'

/** Links in emails outlive whom they were sent to: who presses one is to be mailed no more, also where somebody has made her anew. */
export class Migration041ErasedContacts extends Migration {
  override name = '041-erased-contacts'

  override up(): void {
    this.addSql(`
      create table erased_contacts (
        contact_id uuid not null,
        workspace_id uuid not null references workspaces on delete cascade,
        -- As suppressions have it; of each address at which she was mailed.
        address_hash bytea not null,
        primary key (contact_id, address_hash)
      )`)
    // Who has such an address by now has to be found at once, by whoever presses a link.
    this.addSql('create index contacts_by_address_hash on contacts (address_hash(workspace_id, email_key))')
    this.addSql('create index erased_contacts_of_workspace on erased_contacts (workspace_id)')
  }
}
