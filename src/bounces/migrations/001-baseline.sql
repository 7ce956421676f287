-- Bounces and complaints, and the webhooks of mail providers that report them.

create table bounces (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- Null if the message went to an address without a contact.
  contact_id uuid references contacts on delete cascade,
  message_id uuid not null references messages on delete cascade,
  kind text not null check (kind in ('HARD', 'SOFT', 'BLOCKED', 'COMPLAINT', 'UNSUBSCRIBE')),
  -- Cause of a failed delivery. Null for complaints and unsubscribes.
  category text check (category in ('MAILBOX_NOT_FOUND', 'MAILBOX_DISABLED', 'MAILBOX_FULL', 'DOMAIN_NOT_FOUND', 'REPUTATION',
    'AUTHENTICATION', 'CONTENT', 'RATE_LIMIT', 'POLICY', 'CONNECTION', 'UNKNOWN')),
  -- Enhanced status code (RFC 3463), if one was given.
  status text,
  diagnostic text,
  -- The classification of the mail provider that reported it.
  provider_verdict text,
  -- 'smtp' for returned mail, 'rejection' if the mail server rejected the message, or a provider.
  source text not null,
  -- The source's ID of the report, to recognize it if it is sent again.
  source_id text,
  -- Whether it was one of the consecutive soft bounces that suppressed the address. After the suppression is removed, counting
  -- starts again.
  counted boolean not null default false,
  created_at timestamptz not null default now()
);
-- A message that was rejected may bounce after it was retried.
create unique index bounces_once on bounces (message_id, kind, (source = 'rejection'));
create unique index bounces_reported_once on bounces (workspace_id, source, source_id) where source_id is not null;
create index bounces_newest on bounces (workspace_id, created_at desc, id desc);
create index bounces_by_kind on bounces (workspace_id, kind, created_at desc, id desc);
create index bounces_of_contact on bounces (contact_id, created_at desc);

create table feedback_sources (
  workspace_id uuid not null references workspaces on delete cascade,
  provider text not null,
  -- Encrypted with SECRETS_KEY.
  credential bytea not null,
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (workspace_id, provider)
);

-- Webhook calls that were processed, for providers whose signature does not cover the content.
create table feedback_calls (
  workspace_id uuid not null references workspaces on delete cascade,
  provider text not null,
  id text not null,
  at timestamptz not null default now(),
  primary key (workspace_id, provider, id)
);
create index feedback_calls_oldest on feedback_calls (at);
