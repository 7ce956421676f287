-- Steps of enrollments that are not emails: what was decided, when, and why. A step runs once in an enrollment.

create table step_runs (
  enrollment_id uuid not null references enrollments on delete cascade,
  step_id uuid not null,
  workspace_id uuid not null,
  automation_id uuid not null,
  contact_id uuid not null,
  version integer not null,
  type text not null,
  started_at timestamptz not null default now(),
  -- Attempts of a webhook.
  attempts integer not null default 0,
  -- While it waits: when it times out, or is tried again.
  until timestamptz,
  -- The hash of the event's name for which it waits, and the condition on the event.
  event_key text,
  filter jsonb,
  finished_at timestamptz,
  -- The result for the workflow. A repeated activity returns it.
  result jsonb,
  -- What was evaluated, for reports.
  detail jsonb not null default '{}',
  -- The JSON response of a webhook, and the name under which conditions and templates find it.
  save_as text,
  output jsonb,
  primary key (enrollment_id, step_id)
);
-- The secret that signs the webhooks of a workspace, encrypted with SECRETS_KEY, which is not in the database.
create table webhook_secrets (
  workspace_id uuid primary key references workspaces on delete cascade,
  secret bytea not null,
  -- The secret before, which signs, too, until the time.
  previous bytea,
  previous_until timestamptz
);

create index step_runs_of_contact on step_runs (contact_id, started_at desc);
create index step_runs_of_step on step_runs (automation_id, step_id);
-- For the retention.
create index step_runs_of_workspace on step_runs (workspace_id, started_at);
create index step_runs_waiting on step_runs (contact_id, event_key) where finished_at is null and event_key is not null;
