-- The audit log: who changed what, and when. IDs and names only, nothing of what was written.

create table audit_entries (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  actor text not null check (actor in ('person', 'key', 'command line')),
  actor_id uuid,
  -- The actor's name at that time: an email address or the name of a key.
  actor_name text not null,
  -- The operation's ID in the API description, such as `updateAutomation`.
  operation text not null,
  target_id uuid,
  request_id text,
  -- The IP address of the client, for what a person does with their account.
  address text,
  created_at timestamptz not null default now()
);
create index audit_entries_newest on audit_entries (workspace_id, created_at desc, id desc);
create index audit_entries_of_target on audit_entries (target_id, created_at desc, id desc) where target_id is not null;
create index audit_entries_old on audit_entries (actor, created_at);
