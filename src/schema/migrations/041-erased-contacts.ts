import { Migration } from '@mikro-orm/migrations'

/** Links in emails outlive whom they were sent to: who presses one is to be mailed no more, also where somebody has made her anew. */
export class Migration041ErasedContacts extends Migration {
  override name = '041-erased-contacts'

  override up(): void {
    this.addSql(`
      create table erased_contacts (
        contact_id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        -- As suppressions have it.
        address_hash bytea not null
      )`)
    this.addSql('create index erased_contacts_of_workspace on erased_contacts (workspace_id)')
  }
}
