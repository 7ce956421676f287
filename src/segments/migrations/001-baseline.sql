-- Segments: saved conditions. A contact is in a segment while the condition is true for them.

create table segments (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  condition jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index segments_newest on segments (workspace_id, created_at desc, id desc);
