-- Images in emails.

create table media_files (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  -- For recipients who do not see the image. Null if none has been written, and empty for a decorative image.
  alt text,
  -- Of the workspace and the content: names the file in its public URL, so the content behind a URL never changes.
  hash text not null unique,
  type text not null check (type in ('image/png', 'image/jpeg', 'image/gif')),
  width integer not null,
  height integer not null,
  bytes integer not null,
  content bytea not null,
  created_at timestamptz not null default now()
);
-- Images are compressed already.
alter table media_files alter column content set storage external;
create index media_files_newest on media_files (workspace_id, created_at desc, id desc);
