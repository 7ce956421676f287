import type { AddSql } from './add-sql.ts'

/** Automations and their versions. */
export function automations(add: AddSql): void {
  add(`
    create table automations (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null,
      description text,
      status text not null check (status in ('DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED')),
      trigger text not null check (trigger in ('LIST_ADDED', 'TAG_ADDED', 'EVENT', 'SIGNUP')),
      trigger_config jsonb not null default '{}',
      trigger_key text,
      on_send_failure text not null default 'CONTINUE' check (on_send_failure in ('CONTINUE', 'STOP')),
      version integer not null default 1,
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`)
  add(
    `create index automations_newest on automations (workspace_id, created_at desc, id desc) where deleted_at is null`,
  )
  // A hash, because a name can be longer than an entry of an index.
  add(`
    create index automations_listening on automations (workspace_id, trigger, md5(trigger_key))
    where deleted_at is null and status = 'ACTIVE'`)

  // Immutable: a contact goes on with the steps it entered with, whatever is edited meanwhile.
  add(`
    create table automation_versions (
      automation_id uuid not null references automations on delete cascade,
      version integer not null,
      steps jsonb not null,
      created_at timestamptz not null default now(),
      primary key (automation_id, version)
    )`)

  // What the email steps of a version say, apart from it: no statement of a sequence reads more than the one it sends.
  add(`
    create table email_contents (
      automation_id uuid not null references automations on delete cascade,
      hash text not null,
      subject text not null,
      html text,
      text text,
      primary key (automation_id, hash)
    )`)

  // Counts live apart from the row that every send locks in share mode, so that counting never waits for sending.
  add(`
    create table automation_counts (
      automation_id uuid primary key references automations on delete cascade,
      enrolled integer not null default 0,
      completed integer not null default 0
    )`)
}
