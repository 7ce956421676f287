import { Migration } from '@mikro-orm/migrations'

/** From whom a workspace's mail is, and what it is signed with. */
export class Migration023Senders extends Migration {
  override name = '023-senders'

  override up(): void {
    this.addSql(`
      create table senders (
        workspace_id uuid primary key references workspaces on delete cascade,
        from_name text,
        from_address text,
        reply_to text,
        postal_address text,
        dkim_domain text,
        dkim_selector text,
        dkim_public text,
        -- Encrypted under SECRETS_KEY, which is nowhere in the database.
        dkim_private bytea,
        updated_at timestamptz not null default now()
      )`)
  }
}
