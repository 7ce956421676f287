-- Rehearsals of automations for many contacts. They change nothing else, and are kept for a week.

create table rehearsals (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  automation_id uuid not null references automations on delete cascade,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'DONE', 'CANCELLED', 'FAILED')),
  -- What is rehearsed, and for whom: see `RehearsalPlan`. Without contents of emails.
  plan jsonb not null,
  -- What happened to the contacts so far: see `Summary`.
  summary jsonb not null,
  -- The number of contacts when the rehearsal was requested, and those that are done.
  total integer not null,
  done integer not null default 0,
  -- Keyset position.
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  problem text,
  requested_by text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index rehearsals_of_automation on rehearsals (automation_id, created_at desc, id desc);
create index rehearsals_running on rehearsals (workspace_id) where status = 'RUNNING';
create index rehearsals_by_age on rehearsals (created_at);

create table rehearsed_contacts (
  rehearsal_id uuid not null references rehearsals on delete cascade,
  contact_id uuid not null references contacts on delete cascade,
  emails integer not null,
  -- How many emails more than in the current version; null if there is nothing to compare.
  difference integer,
  -- The last thing that happens: the rule of a refusal, or the status at the end.
  outcome text not null,
  timeline jsonb not null,
  primary key (rehearsal_id, contact_id)
);
-- Erasing a contact deletes their rehearsals.
create index rehearsed_contacts_of_contact on rehearsed_contacts (contact_id);
