-- Imports of contacts from files, and how far each file has been read.

create table imports (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  status text not null default 'UPLOADING' check (status in ('UPLOADING', 'DRAFT', 'RUNNING', 'STOPPED', 'DONE', 'FAILED')),
  options jsonb not null,
  -- Identifies the file, so that the command line resumes an interrupted import when the file is given again.
  fingerprint text,
  -- Bytes of the whole file, if known, and of what is uploaded.
  size bigint,
  uploaded bigint not null default 0,
  -- Where the next row begins, after the header.
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
create index imports_open on imports (updated_at) where status in ('UPLOADING', 'DRAFT', 'STOPPED');

-- The part of a file that is uploaded and not imported yet, in UTF-8.
create table import_chunks (
  import_id uuid not null references imports on delete cascade,
  position bigint not null,
  bytes bytea not null,
  primary key (import_id, position)
);

-- Rows that could not be read, by the line that they begin on.
create table import_errors (
  import_id uuid not null references imports on delete cascade,
  line integer not null,
  problem text not null,
  -- The row, for the file of failed rows. Deleted after some days, and when a contact with an address in it is erased.
  cells jsonb,
  created_at timestamptz not null default now(),
  primary key (import_id, line)
);
create index import_errors_with_cells on import_errors (created_at) where cells is not null;
