import { Migration } from '@mikro-orm/migrations'

/** What came back of emails, and by which calls mail providers may say so. */
export class Migration024Bounces extends Migration {
  override name = '024-bounces'

  override up(): void {
    this.addSql('alter table installation add column bounce_domain text')
    this.addSql(`
      create table bounces (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        contact_id uuid not null references contacts on delete cascade,
        message_id uuid not null references messages on delete cascade,
        kind text not null check (kind in ('HARD', 'SOFT', 'BLOCKED', 'COMPLAINT', 'UNSUBSCRIBE')),
        -- RFC 3463, where anybody has said one.
        status text,
        diagnostic text,
        source text not null,
        -- By which its source tells the same thing again.
        source_id text,
        -- Whether it is one of those in a row by which its address was given up: lifted, it is counted anew.
        counted boolean not null default false,
        created_at timestamptz not null default now(),
        constraint bounces_once unique (message_id, kind)
      )`)
    this.addSql(
      'create unique index bounces_told_once on bounces (workspace_id, source, source_id) where source_id is not null',
    )
    this.addSql('create index bounces_newest on bounces (workspace_id, created_at desc, id desc)')
    this.addSql('create index bounces_of_contact on bounces (contact_id, created_at desc)')
    this.addSql(`
      create table feedback_sources (
        workspace_id uuid not null references workspaces on delete cascade,
        provider text not null,
        -- Encrypted under SECRETS_KEY.
        credential bytea not null,
        updated_at timestamptz not null default now(),
        last_used_at timestamptz,
        primary key (workspace_id, provider)
      )`)
  }
}
