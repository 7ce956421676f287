import { Migration } from '@mikro-orm/migrations'

/** What was changed, by whom. */
export class Migration015Audit extends Migration {
  override name = '015-audit'

  override up(): void {
    this.addSql(`
      create table audit_entries (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        actor text not null check (actor in ('person', 'key', 'command line')),
        actor_id uuid,
        actor_name text not null,
        operation text not null,
        target_id uuid,
        request_id text,
        created_at timestamptz not null default now()
      )`)
    this.addSql('create index audit_entries_newest on audit_entries (workspace_id, created_at desc, id desc)')
    this.addSql('create index audit_entries_old on audit_entries (actor, created_at)')
  }
}
