-- What the last publication with a choice does to the contacts inside: one for each automation.

create table automation_moves (
  automation_id uuid primary key references automations on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  -- Enrollments in older versions move to this one, or end.
  version integer not null,
  inside text not null check (inside in ('MOVE', 'FINISH')),
  removed_steps text not null check (removed_steps in ('CONTINUE', 'END')),
  -- How many were in older versions when it started.
  total integer not null,
  started_by text not null,
  started_at timestamptz not null default now(),
  stopped_at timestamptz,
  finished_at timestamptz
);
