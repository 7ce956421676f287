import type { AddSql } from './add-sql.ts'

/** Who is in which automation, and the ledger of what was sent. */
export function enrollments(add: AddSql): void {
  add(`
    create table enrollments (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      automation_id uuid not null references automations,
      contact_id uuid not null references contacts on delete cascade,
      version integer not null,
      cause text,
      status text not null check (status in ('ACTIVE', 'COMPLETED', 'STOPPED', 'CANCELLED')),
      held boolean not null default false,
      -- How often it was held: an attempt at an email that looked before that is not to claim it any more.
      holds integer not null default 0,
      enrolled_at timestamptz not null,
      recorded_at timestamptz not null default now(),
      ended_at timestamptz,
      constraint enrollments_cause_unique unique (automation_id, cause)
    )`)
  add(`create index enrollments_of_contact on enrollments (contact_id, automation_id)`)
  add(`create index enrollments_of_automation on enrollments (automation_id, id)`)
  // Those that should have a workflow: what looks for the ones that lost it goes through them.
  add(`create index enrollments_active on enrollments (id) where status = 'ACTIVE'`)
  add(`create index enrollments_held on enrollments (automation_id, id) where held`)

  // The ledger. No reference to enrollments: what was sent to a contact stays true when an automation is deleted. And none
  // to contacts: who is erased in the instant of a hand-over leaves its claim, ids alone, until that is settled.
  add(`
    create table messages (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      contact_id uuid not null,
      automation_id uuid not null,
      enrollment_id uuid not null,
      step_id uuid not null,
      visit integer not null,
      status text not null check (status in
        ('SENDING', 'DEFERRED', 'SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'DISMISSED')),
      -- Who claimed it last, and how often it was claimed: an attempt that was overtaken finds another number here.
      claim uuid not null,
      attempts integer not null default 1,
      -- Until when the claim's owner may still be handing it over. It breaks off before.
      lease_until timestamptz,
      message_id text,
      recipient text,
      subject text,
      html text,
      text text,
      response text,
      error text,
      created_at timestamptz not null default now(),
      claimed_at timestamptz not null default now(),
      sent_at timestamptz,
      -- When the sequence went on behind it, which a resend by an operator does not move.
      settled_at timestamptz,
      constraint messages_once unique (enrollment_id, step_id, visit)
    )`)
  add(`create index messages_of_contact on messages (contact_id, created_at desc, id desc)`)
  add(`
    create index messages_open on messages (claimed_at) where status in ('UNCONFIRMED', 'SENDING', 'DEFERRED')`)
  add(`create index messages_sending on messages (automation_id) where status = 'SENDING'`)
}
