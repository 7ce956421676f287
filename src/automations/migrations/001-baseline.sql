-- Automations, their versions and drafts.

create table automations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  description text,
  status text not null check (status in ('DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED')),
  -- Why Dripline paused it; null if a member did.
  pause_reason text,
  -- The rates at which Dripline paused it because of its reputation, by rule. It pauses again at twice the rate.
  tolerated_rates jsonb not null default '{}',
  trigger text not null check (
    trigger in ('LIST_ADDED', 'LIST_REQUESTED', 'TAG_ADDED', 'EVENT', 'SIGNUP', 'SEGMENT_ENTERED', 'DATE')
  ),
  trigger_config jsonb not null default '{}',
  -- What the trigger compares with: the ID of a list or segment, a field, or a tag or event name folded to one case.
  trigger_key text,
  -- For DATE: the instant up to which contacts have been started.
  started_until timestamptz,
  on_send_failure text not null default 'CONTINUE' check (on_send_failure in ('CONTINUE', 'STOP')),
  -- Rules for who enters: filter, reentry, concurrency.
  entry jsonb not null default '{}',
  -- Rules for leaving early. Enrollments follow those of their version.
  exit_on jsonb not null default '[]',
  goal jsonb,
  version integer not null default 1,
  -- The version with which the automation was last ACTIVE. New enrollments get this one, not the one being edited.
  active_version integer,
  -- Optimistic lock of the API (ETag): incremented by each change of fields or steps.
  revision bigint not null default 1,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index automations_newest on automations (workspace_id, created_at desc, id desc) where deleted_at is null;
-- A hash, because a name can be longer than an index entry.
create index automations_listening on automations (workspace_id, trigger, md5(trigger_key))
  where deleted_at is null and status = 'ACTIVE';

-- The contacts known to be in the segment of an ACTIVE automation that starts when a contact enters it. Without a foreign key to
-- contacts, so that an activation does not lock them: the next sweep removes contacts that no longer exist.
create table segment_members (
  automation_id uuid not null references automations on delete cascade,
  contact_id uuid not null,
  primary key (automation_id, contact_id)
);

-- Immutable. An enrollment keeps the steps that it started with.
create table automation_versions (
  automation_id uuid not null references automations on delete cascade,
  version integer not null,
  steps jsonb not null,
  exit_on jsonb not null default '[]',
  goal jsonb,
  -- Hashes of the names of the events that exit rules, the goal and steps wait for.
  event_keys text[] not null default '{}',
  created_at timestamptz not null default now(),
  primary key (automation_id, version)
);

create index automation_versions_events on automation_versions using gin (event_keys);

-- The content of email steps, apart from the versions, so that sending reads only the email it sends. Immutable.
create table email_contents (
  automation_id uuid not null references automations on delete cascade,
  -- Of the content: versions that have an email in common share its row.
  hash text not null,
  subject text not null,
  html text,
  text text,
  -- The hash of the content in another language, by locale.
  translations jsonb not null default '{}',
  -- What the author of an email of blocks wrote; html and text are compiled from it.
  source jsonb,
  primary key (automation_id, hash)
);

-- Revisions of drafts never repeat, not even for a draft that was deleted and created again.
create sequence draft_revisions;

-- Edits that are not published.
create table automation_drafts (
  automation_id uuid primary key references automations on delete cascade,
  content jsonb not null,
  -- The automation's revision that the draft applies to. It follows changes of the status alone.
  based_on bigint not null,
  -- The automation's revision that the editor had when the draft was saved.
  begun_with bigint not null,
  revision bigint not null default nextval('draft_revisions'),
  saved_by text not null,
  saved_at timestamptz not null default now()
);
