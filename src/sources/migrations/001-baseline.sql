-- Calls of users that are not known yet. They are applied once a contact has the userId, or deleted after ten minutes.
create table kept_calls (
  -- The ID of the event of a track call, so that a repeated call is kept once.
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  user_id text not null,
  call jsonb not null,
  -- How it arrived: see SourceContext.
  context jsonb not null,
  request_id text,
  received_at timestamptz not null default clock_timestamp()
);
create index kept_calls_of_user on kept_calls (workspace_id, user_id, received_at);
create index kept_calls_age on kept_calls (received_at);

-- The time of the newest identify call of a contact. An older one that arrives late does not overwrite its traits.
create table identified_contacts (
  contact_id uuid primary key references contacts on delete cascade,
  identified_at timestamptz not null
);
