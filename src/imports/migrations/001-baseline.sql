-- Imports of contacts from files, and how far each file has been read.

create table imports (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  format text not null,
  status text not null default 'RUNNING' check (status in ('RUNNING', 'DONE', 'FAILED')),
  options jsonb not null,
  -- Identifies the file, so that an interrupted import resumes when the file is given again.
  fingerprint text,
  -- Bytes, if known.
  size bigint,
  position bigint not null default 0,
  line integer not null default 0,
  delimiter text,
  header jsonb,
  created integer not null default 0,
  updated integer not null default 0,
  suppressed integer not null default 0,
  failed integer not null default 0,
  problem text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz
);
create index imports_newest on imports (workspace_id, created_at desc, id desc);

-- Rows that could not be read, by the line that they begin on. No data of the row is kept.
create table import_errors (
  import_id uuid not null references imports on delete cascade,
  line integer not null,
  problem text not null,
  primary key (import_id, line)
);
