-- Which contact is in which automation.

create table enrollments (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  automation_id uuid not null references automations,
  contact_id uuid not null references contacts on delete cascade,
  version integer not null,
  -- A hash of the value by which a contact can be in the automation several times; empty for none.
  concurrency_key text not null default '',
  -- Where events have that value, by the automation's rule when the contact entered; null without a key.
  key_path text,
  -- Deduplication key: the event or request that started it.
  dedup_key text,
  -- The automation's trigger at that time. It may change before the enrollment ends, and a contact who leaves the list that
  -- started the enrollment must get no more email.
  trigger text,
  trigger_key text,
  -- A copy of the event's data for templates and conditions: an enrollment can outlive the event.
  event jsonb,
  status text not null check (status in ('ACTIVE', 'COMPLETED', 'STOPPED', 'EXITED', 'GOAL_REACHED', 'CANCELLED')),
  paused boolean not null default false,
  -- How often it was paused. A send that was prepared before a pause must not claim the message.
  pause_count integer not null default 0,
  -- How many automations caused each other and this enrollment; 0 if a request did.
  depth integer not null default 0,
  -- Where it is, as long as it is active: the next step that is not a WAIT, null for the end of the automation; and when it gets
  -- there, or when the step that waits continues.
  next_step_id uuid,
  wakes_at timestamptz check ((wakes_at is null) = (status <> 'ACTIVE')),
  -- Where it was when it moved to its version: see `MovedTo`. null if it began in that version.
  moved_to jsonb,
  enrolled_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Why it ended before its last step: see `EndCause`.
  ended_by jsonb check ((ended_by is null) = (status in ('ACTIVE', 'COMPLETED'))),
  constraint enrollments_dedup_key_unique unique (automation_id, dedup_key)
);
-- Two concurrent statements do not see each other's enrollment.
create unique index enrollments_one_active on enrollments (automation_id, contact_id, concurrency_key) where status = 'ACTIVE';
create index enrollments_of_contact on enrollments (contact_id, automation_id);
create index enrollments_of_automation on enrollments (automation_id, id);
create index enrollments_newest on enrollments (automation_id, status, enrolled_at desc, id desc);
-- For the sweeper, which looks for enrollments whose workflow is missing.
create index enrollments_active on enrollments (id) where status = 'ACTIVE';
create index enrollments_waiting on enrollments (automation_id, coalesce(next_step_id, '00000000-0000-0000-0000-000000000000'), wakes_at, id)
  where status = 'ACTIVE';
create index enrollments_waiting_of_workspace on enrollments (workspace_id, wakes_at, id) where status = 'ACTIVE';
create index enrollments_paused on enrollments (automation_id, id) where paused;

-- Apart from `automations`, whose row every send locks in share mode: counting must not wait for sending.
create table automation_counts (
  automation_id uuid primary key references automations on delete cascade,
  enrolled integer not null default 0,
  completed integer not null default 0
);
