-- What happened to contacts, and which automations it starts.

create table trigger_events (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  contact_id uuid not null references contacts on delete cascade,
  type text not null check (type in ('LIST_ADDED', 'LIST_REQUESTED', 'TAG_ADDED', 'EVENT', 'SIGNUP')),
  name text not null,
  -- The name as it is compared. The application folds it, because case in Postgres depends on the locale.
  name_key text,
  data jsonb,
  -- The automations that listened at that moment.
  automation_ids uuid[] not null,
  request_id text,
  created_at timestamptz not null default now()
);
create index trigger_events_of_contact on trigger_events (contact_id, created_at desc);
create index trigger_events_age on trigger_events (created_at);

-- Events that an automation has already received for a contact. Delivered again, they start nothing.
create table processed_events (
  automation_id uuid not null references automations on delete cascade,
  contact_id uuid not null,
  event_id uuid not null references trigger_events on delete cascade,
  primary key (automation_id, contact_id, event_id)
);
create index processed_events_of_event on processed_events (event_id);
