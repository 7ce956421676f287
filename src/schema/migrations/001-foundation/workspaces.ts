import type { AddSql } from './add-sql.ts'

/** Who this installation is, workspaces and their keys. */
export function workspaces(add: AddSql): void {
  add(`
    create table workspaces (
      id uuid primary key,
      name text not null,
      mode text not null check (mode in ('live', 'test')),
      created_at timestamptz not null default now()
    )`)

  // Who this installation is: others may run on the same Temporal. Where it works there, as its first start has said. And how
  // it sends mail, as whoever sets SMTP_URL has said: no part may capture what another delivers.
  add(`
    create table installation (
      single boolean primary key default true check (single),
      id uuid not null default gen_random_uuid(),
      temporal_namespace text,
      temporal_task_queue text,
      mail text check (mail in ('smtp', 'capture')),
      -- Under which sender it delivers, as whoever sets MAIL_FROM has said: it is one for all of its parts.
      mail_from text
    )`)
  add(`insert into installation default values`)

  add(`
    create table api_keys (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null,
      prefix text not null,
      hash bytea not null unique,
      scopes text[] not null,
      allowed_ranges text[] not null default '{}',
      rate_limit integer not null default 120 check (rate_limit > 0),
      created_at timestamptz not null default now()
    )`)
  add(`create index api_keys_workspace on api_keys (workspace_id)`)
}
