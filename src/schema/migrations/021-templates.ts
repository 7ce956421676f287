import { Migration } from '@mikro-orm/migrations'

/** Emails that are kept apart from what sends them. */
export class Migration021Templates extends Migration {
  override name = '021-templates'

  override up(): void {
    this.addSql(`
      create table templates (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        kind text not null check (kind in ('EMAIL', 'LAYOUT', 'PARTIAL')),
        name text not null,
        version integer not null default 1,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`)
    this.addSql('create index templates_newest on templates (workspace_id, created_at desc, id desc)')
    // A partial is named in what it is in.
    this.addSql(`create unique index templates_partial_name on templates (workspace_id, name) where kind = 'PARTIAL'`)
    // Immutable: whoever names a version sends what that said.
    this.addSql(`
      create table template_versions (
        template_id uuid not null references templates on delete cascade,
        version integer not null,
        -- As it was written, in each language.
        source jsonb not null,
        -- What is rendered, by language; none of a partial.
        compiled jsonb not null,
        -- The layout and the partials that it was made with.
        uses uuid[] not null default '{}',
        created_at timestamptz not null default now(),
        primary key (template_id, version)
      )`)
    this.addSql('create index template_versions_uses on template_versions using gin (uses)')
    // What an email says in other languages, by their hashes.
    this.addSql(`alter table email_contents add column translations jsonb not null default '{}'`)
  }
}
