-- What happened to contacts, and which automations it starts.

create table trigger_events (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  contact_id uuid not null references contacts on delete cascade,
  type text not null check (type in ('LIST_ADDED', 'LIST_REQUESTED', 'TAG_ADDED', 'EVENT', 'SIGNUP', 'SEGMENT_ENTERED', 'DATE')),
  name text not null,
  -- The name as it is compared. The application folds it, because case in Postgres depends on the locale.
  name_key text,
  data jsonb,
  -- The automations that it starts.
  automation_ids uuid[] not null,
  -- The concurrency key that the event has for each of them, in their order. Empty if no automation has one.
  concurrency_keys text[] not null default '{}',
  -- What else a custom event did, by automation: continued, ended, alreadyEnrolled, refused. Lists that are empty are left out.
  effects jsonb not null default '{}',
  -- How a custom event arrived. Null for the other types.
  source text check (source in ('API', 'DASHBOARD', 'BULK', 'AUTOMATION')),
  request_id text,
  -- How many automations caused each other and this event. A loop of automations is stopped by it.
  depth integer not null default 0,
  created_at timestamptz not null default now()
);
create index trigger_events_of_contact on trigger_events (contact_id, created_at desc);
-- Custom events are many, and kept for months. Deleting the others must not read them.
create index trigger_events_age on trigger_events (created_at) where type <> 'EVENT';
-- Looking for lost events must not read those for which nothing listened.
create index trigger_events_delivered on trigger_events (created_at, id) where automation_ids <> '{}';
-- The history of a workspace, which expires from its end.
create index trigger_events_history on trigger_events (workspace_id, created_at desc, id desc) where type = 'EVENT';
-- Conditions count the events of a name since a time, per contact, from this index alone. An entry has at most 2,704 bytes, and a
-- name can be longer.
create index trigger_events_by_name on trigger_events (workspace_id, name_key, created_at, contact_id)
  where type = 'EVENT' and octet_length(name_key) <= 1000;
-- Without them, Postgres expects a third of the events.
create statistics trigger_events_name_length on (octet_length(name_key)) from trigger_events;

-- Events that an automation has already received for a contact. Delivered again, they start nothing.
create table processed_events (
  automation_id uuid not null references automations on delete cascade,
  contact_id uuid not null,
  event_id uuid not null references trigger_events on delete cascade,
  primary key (automation_id, contact_id, event_id)
);
create index processed_events_of_event on processed_events (event_id);

-- Automations that a contact did not enter, and the rule that kept them out.
create table refused_entries (
  id bigint generated always as identity primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  automation_id uuid not null references automations,
  contact_id uuid not null references contacts on delete cascade,
  event_id uuid,
  rule text not null check (rule in ('FILTER', 'REENTRY', 'KEY', 'LOOP', 'PAUSED', 'TRIGGERS_OFF')),
  created_at timestamptz not null default now()
);
create index refused_entries_by_time on refused_entries (created_at);
create index refused_entries_of_contact on refused_entries (contact_id, id desc);
create index refused_entries_of_automation on refused_entries (automation_id, id desc);
