import type { AddSql } from './add-sql.ts'

/** What happened, who has heard of it, and the deliveries that follow from it. */
export function outbox(add: AddSql): void {
  // What happened to contacts that automations listen for, and which of them listened at that moment.
  add(`
    create table trigger_events (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      contact_id uuid not null references contacts on delete cascade,
      type text not null check (type in ('LIST_ADDED', 'TAG_ADDED', 'EVENT', 'SIGNUP')),
      name text not null,
      data jsonb,
      automation_ids uuid[] not null,
      request_id text,
      created_at timestamptz not null default now()
    )`)
  add(`create index trigger_events_of_contact on trigger_events (contact_id, created_at desc)`)
  add(`create index trigger_events_age on trigger_events (created_at)`)

  // Which of them an enrollment has heard: delivered again, they start nothing.
  add(`
    create table heard_events (
      automation_id uuid not null references automations on delete cascade,
      contact_id uuid not null,
      event_id uuid not null references trigger_events on delete cascade,
      primary key (automation_id, contact_id, event_id)
    )`)
  add(`create index heard_events_of_event on heard_events (event_id)`)

  // What is pending for Temporal because of what happened: a row a delivery, written in the transaction that makes it due.
  add(`
    create table outbox (
      id bigint generated always as identity primary key,
      kind text not null check (kind in
        ('START', 'WAKE', 'CANCEL', 'WAKE_HELD', 'TEAR_DOWN', 'ERASE', 'RECONCILE', 'REDELIVER')),
      key text not null,
      lane text not null check (lane in ('interactive', 'bulk', 'walk')),
      workspace_id uuid,
      automation_id uuid,
      contact_id uuid,
      event_id uuid,
      enrollment_id uuid,
      -- How far a walk has come.
      after_id uuid,
      -- Counts how often it was made due: what was delivered meanwhile does not settle what came after.
      generation integer not null default 1,
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      constraint outbox_once unique (kind, key)
    ) with (fillfactor = 70)`)
  // Workspaces take turns: what is nobody's is one more.
  add(`
    create index outbox_due on outbox
      (lane, coalesce(workspace_id, '00000000-0000-0000-0000-000000000000'), due_at)`)
  add(`create index outbox_of_contact on outbox (contact_id) where kind = 'START'`)
}
