-- Transactional emails: what to send, and to whom. The outcome is in `messages`, in the row with the same ID.

create table emails (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- The contact who had the address. If there was none, the ID that stands for the address.
  contact_id uuid not null,
  recipient text not null,
  subject text not null,
  html text,
  text text,
  template_id uuid,
  template_version integer,
  -- The variable `data` of the template. Null if the content is sent as it is.
  data jsonb,
  -- `Name <address>`. Null for the sender of the workspace.
  sender text,
  reply_to text,
  headers jsonb not null,
  tags text[] not null,
  -- The name, type and size of each file, and the hash of its content.
  attachments jsonb not null,
  scheduled_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now()
);
create index emails_of_contact on emails (contact_id);
-- For the erasure of visible recipients.
create index emails_with_recipients on emails (workspace_id) where headers ?| '{To,Cc}';
-- For the retention.
create index emails_with_content on emails (workspace_id, created_at)
  where html is not null or text is not null or data is not null;
create index emails_newest on emails (workspace_id, created_at desc, id desc);

-- The contents of attached files, once for each workspace. Deleted when no email needs them any more.
create table attachment_contents (
  workspace_id uuid not null references workspaces on delete cascade,
  -- SHA-256.
  hash bytea not null,
  content bytea not null,
  -- When an email last referred to it.
  used_at timestamptz not null default now(),
  primary key (workspace_id, hash)
);
create index attachment_contents_oldest on attachment_contents (used_at);
