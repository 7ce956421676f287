import type { AddSql } from './add-sql.ts'

/** The answers to requests that carried an Idempotency-Key, and which of those requests are in progress. */
export function idempotencyKeys(add: AddSql): void {
  add(`
    create table idempotency_keys (
      workspace_id uuid not null references workspaces on delete cascade,
      key text not null,
      id uuid not null,
      -- Of the request; null where that was done for a contact who has been erased since.
      fingerprint bytea,
      contact_id uuid,
      status integer,
      body jsonb,
      -- Which attempt has it: one that was taken for dead, and comes back, finds another number here.
      attempt integer not null default 1,
      -- The parts of it that are done, where not all of it is one transaction.
      done text[] not null default '{}',
      lease_until timestamptz not null,
      created_at timestamptz not null default now(),
      primary key (workspace_id, key)
    )`)
  add(`create index idempotency_keys_age on idempotency_keys (created_at)`)
  add(`create index idempotency_keys_of_contact on idempotency_keys (contact_id) where contact_id is not null`)
}
