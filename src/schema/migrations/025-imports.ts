import { Migration } from '@mikro-orm/migrations'

/** Files of contacts that are read piece by piece, and how far each has come. */
export class Migration025Imports extends Migration {
  override name = '025-imports'

  override up(): void {
    this.addSql(`
      create table imports (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        format text not null,
        status text not null default 'RUNNING' check (status in ('RUNNING', 'DONE', 'FAILED')),
        options jsonb not null,
        -- By which whoever brings the same file again goes on.
        fingerprint text,
        -- In bytes, where somebody has said.
        size bigint,
        position bigint not null default 0,
        line integer not null default 0,
        delimiter text,
        header jsonb,
        created integer not null default 0,
        updated integer not null default 0,
        suppressed integer not null default 0,
        failed integer not null default 0,
        problem text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        finished_at timestamptz
      )`)
    this.addSql('create index imports_newest on imports (workspace_id, created_at desc, id desc)')
    this.addSql(`
      create table import_errors (
        import_id uuid not null references imports on delete cascade,
        line integer not null,
        problem text not null,
        primary key (import_id, line)
      )`)
  }
}
