-- What is pending for Temporal, and emails to owners. A row is written in the transaction that makes the delivery due, and
-- deleted when it is done.

create table outbox (
  id bigint generated always as identity primary key,
  kind text not null check (kind in
    ('START', 'WAKE', 'CANCEL', 'END', 'LEAVE', 'SKIP', 'RETRY', 'CAMPAIGN', 'MOVE_CLOCK', 'WAKE_PAUSED', 'WAKE_RETRIES',
     'MOVE', 'DELETE_AUTOMATION', 'IMPORT', 'REHEARSE', 'BOUNCE', 'ERASE', 'RECONCILE',
     'REDELIVER', 'NOTICE', 'RESET_DONE', 'INVITATION')),
  key text not null,
  -- `batch` is for work that can wait: batch jobs, which go through many rows a page at a time, and bounces. `mail` is for emails to owners.
  lane text not null check (lane in ('interactive', 'bulk', 'batch', 'mail')),
  workspace_id uuid,
  automation_id uuid,
  campaign_id uuid,
  import_id uuid,
  rehearsal_id uuid,
  contact_id uuid,
  concurrency_key text not null default '',
  event_id uuid,
  enrollment_id uuid,
  message_id uuid,
  account_id uuid,
  webhook_id uuid,
  invitation_id uuid,
  -- Keyset position of a batch job.
  after_id uuid,
  -- Incremented each time the delivery becomes due. A delivery in progress does not complete what became due after it.
  generation integer not null default 1,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  constraint outbox_once unique (kind, key)
) with (fillfactor = 70);
-- Workspaces take turns. Rows without a workspace count as one more workspace.
create index outbox_due on outbox (lane, coalesce(workspace_id, '00000000-0000-0000-0000-000000000000'), due_at);
create index outbox_of_contact on outbox (contact_id) where kind = 'START';
