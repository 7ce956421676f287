-- The delivery log: every email, of automations and campaigns, and every transactional email.

-- No foreign keys to automations and enrollments: a sent email stays in the log when they are deleted. None to contacts: when a
-- contact is erased while a message is in flight, its claim stays, without personal data, until it is final.
create table messages (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  contact_id uuid not null,
  -- A step of an enrollment, or a recipient of a campaign. Neither for a transactional email, which has the same ID.
  automation_id uuid,
  enrollment_id uuid,
  step_id uuid,
  campaign_id uuid,
  -- The A/B variant: 0 is the campaign's own content. Null while the message waits for the winner.
  variant smallint,
  -- The lists that included the recipient of a campaign. An opt-out of one of them suppresses the message.
  list_ids uuid[],
  status text not null check (status in
    ('QUEUED', 'SENDING', 'DEFERRED', 'SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'DISMISSED', 'SUPPRESSED')),
  -- When a message of a campaign or a transactional email may be sent.
  due_at timestamptz,
  -- Identifies the attempt that claimed the message last. An attempt that was overtaken finds another one here.
  claim uuid not null,
  attempts integer not null default 1,
  claimed_at timestamptz not null default now(),
  -- The owner of the claim stops sending before this time. For a queued transactional email: no other worker takes it before this time.
  lease_until timestamptz,
  message_id text,
  recipient text,
  subject text,
  html text,
  text text,
  -- The mail server's response.
  response text,
  error text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  -- When the enrollment continued after this message. A later retry does not change it.
  final_at timestamptz,
  -- When a retry was requested.
  retry_at timestamptz,
  -- When the enrollment was ended by request. The message is retried only if it is named.
  abandoned_at timestamptz,
  -- When a provider reported that the recipient's mail server accepted it.
  delivered_at timestamptz,
  -- First opened or clicked by a person, as far as that can be told.
  opened_at timestamptz,
  clicked_at timestamptz,
  -- When its contact unsubscribed by one of its links, or at their provider because of it.
  unsubscribed_at timestamptz,
  -- Its results after it was sent or rejected, each once: see MESSAGE_RESULTS.
  results text[] not null default '{}',
  constraint messages_of_one check (
    case when automation_id is not null
      then campaign_id is null and enrollment_id is not null and step_id is not null
      else enrollment_id is null and step_id is null and due_at is not null
    end)
);
create unique index messages_once on messages (enrollment_id, step_id) where enrollment_id is not null;
-- A contact gets a campaign once, even if a page of recipients is written twice.
create unique index messages_once_a_campaign on messages (campaign_id, contact_id) where campaign_id is not null;

create index messages_of_workspace on messages (workspace_id, status, created_at desc, id desc);
create index messages_of_contact on messages (contact_id, created_at desc, id desc);
create index messages_of_automation on messages (automation_id, status, created_at desc, id desc)
  where automation_id is not null;
create index messages_of_campaign on messages (campaign_id, status, created_at desc, id desc)
  where campaign_id is not null;

create index messages_open on messages (claimed_at) where status in ('UNCONFIRMED', 'SENDING', 'DEFERRED');
create index messages_queue on messages (campaign_id, due_at, id)
  where campaign_id is not null and status in ('QUEUED', 'DEFERRED');
create index messages_queued_emails on messages (workspace_id, due_at, id)
  where automation_id is null and campaign_id is null and status in ('QUEUED', 'DEFERRED');
create index messages_sending_of_campaign on messages (campaign_id)
  where campaign_id is not null and status = 'SENDING';
-- For the retention. Messages of campaigns have no content of their own.
create index messages_with_content on messages (workspace_id, final_at) where html is not null or text is not null;
create index messages_to_retry on messages (retry_at) where retry_at is not null;
create index messages_to_retry_of on messages (automation_id, id) where retry_at is not null;

-- Claims that were made ahead, and whose transmission has certainly not begun: the row is deleted before. If their process dies, these
-- messages are sent by another one. Unlogged: after a crash of Postgres, and on a standby, the table is empty, so that each claim counts
-- as begun.
create unlogged table claims_ahead (
  claim uuid primary key,
  message_id uuid not null
);
