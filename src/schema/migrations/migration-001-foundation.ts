import { Migration } from '@mikro-orm/migrations'

/** Workspaces and keys, contacts, automations and their versions, enrollments, the ledger, the outbox. */
export class Migration001Foundation extends Migration {
  override name = '001-foundation'

  override up(): void {
    this.addSql(`
      create table workspaces (
        id uuid primary key,
        name text not null,
        mode text not null check (mode in ('live', 'test')),
        created_at timestamptz not null default now()
      )`)

    // Who this installation is: others may run on the same Temporal. Where it works there, as its first start has said. And how
    // it sends mail, as whoever sets SMTP_URL has said: no part may capture what another delivers.
    this.addSql(`
      create table installation (
        single boolean primary key default true check (single),
        id uuid not null default gen_random_uuid(),
        temporal_namespace text,
        temporal_task_queue text,
        mail text check (mail in ('smtp', 'capture'))
      )`)
    this.addSql(`insert into installation default values`)

    this.addSql(`
      create table api_keys (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        prefix text not null,
        hash bytea not null unique,
        scopes text[] not null,
        allowed_ranges text[] not null default '{}',
        rate_limit integer not null default 120 check (rate_limit > 0),
        created_at timestamptz not null default now()
      )`)
    this.addSql(`create index api_keys_workspace on api_keys (workspace_id)`)

    this.addSql(`
      create table contacts (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        email text not null,
        email_key text not null,
        first_name text,
        metadata jsonb not null default '{}',
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint contacts_email_unique unique (workspace_id, email_key),
        -- 64 KB as callers write JSON; Postgres writes a space behind each colon and comma.
        constraint contacts_metadata_size check (octet_length(metadata::text) <= 90000)
      )`)
    this.addSql(`create index contacts_newest on contacts (workspace_id, created_at desc, id desc)`)

    this.addSql(`
      create table automations (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        description text,
        status text not null check (status in ('DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED')),
        trigger text not null check (trigger in ('LIST_ADDED', 'TAG_ADDED', 'EVENT', 'SIGNUP')),
        trigger_config jsonb not null default '{}',
        trigger_key text,
        on_send_failure text not null default 'CONTINUE' check (on_send_failure in ('CONTINUE', 'STOP')),
        version integer not null default 1,
        deleted_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`)
    this.addSql(
      `create index automations_newest on automations (workspace_id, created_at desc, id desc) where deleted_at is null`,
    )
    // A hash, because a name can be longer than an entry of an index.
    this.addSql(`
      create index automations_listening on automations (workspace_id, trigger, md5(trigger_key))
      where deleted_at is null and status = 'ACTIVE'`)

    // Immutable: a contact goes on with the steps it entered with, whatever is edited meanwhile.
    this.addSql(`
      create table automation_versions (
        automation_id uuid not null references automations on delete cascade,
        version integer not null,
        steps jsonb not null,
        created_at timestamptz not null default now(),
        primary key (automation_id, version)
      )`)

    // What the email steps of a version say, apart from it: no statement of a sequence reads more than the one it sends.
    this.addSql(`
      create table email_contents (
        automation_id uuid not null references automations on delete cascade,
        hash text not null,
        subject text not null,
        html text,
        text text,
        primary key (automation_id, hash)
      )`)

    // Counts live apart from the row that every send locks in share mode, so that counting never waits for sending.
    this.addSql(`
      create table automation_counts (
        automation_id uuid primary key references automations on delete cascade,
        enrolled integer not null default 0,
        completed integer not null default 0
      )`)

    this.addSql(`
      create table enrollments (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        automation_id uuid not null references automations,
        contact_id uuid not null references contacts on delete cascade,
        version integer not null,
        cause text,
        status text not null check (status in ('ACTIVE', 'COMPLETED', 'STOPPED', 'CANCELLED')),
        held boolean not null default false,
        enrolled_at timestamptz not null,
        recorded_at timestamptz not null default now(),
        ended_at timestamptz,
        constraint enrollments_cause_unique unique (automation_id, cause)
      )`)
    this.addSql(`create index enrollments_of_contact on enrollments (contact_id, automation_id)`)
    this.addSql(`create index enrollments_of_automation on enrollments (automation_id, id)`)
    // Those that should have a workflow: what looks for the ones that lost it goes through them.
    this.addSql(`create index enrollments_active on enrollments (id) where status = 'ACTIVE'`)
    this.addSql(`create index enrollments_held on enrollments (automation_id, id) where held`)

    // The ledger. No reference to enrollments: what was sent to a contact stays true when an automation is deleted. And none
    // to contacts: who is erased in the instant of a hand-over leaves its claim, ids alone, until that is settled.
    this.addSql(`
      create table messages (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        contact_id uuid not null,
        automation_id uuid not null,
        enrollment_id uuid not null,
        step_id uuid not null,
        visit integer not null,
        status text not null check (status in
          ('SENDING', 'DEFERRED', 'SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'DISMISSED')),
        -- Who claimed it last, and how often it was claimed: an attempt that was overtaken finds another number here.
        claim uuid not null,
        attempts integer not null default 1,
        -- Until when the claim's owner may still be handing it over. It breaks off before.
        lease_until timestamptz,
        message_id text,
        recipient text,
        subject text,
        html text,
        text text,
        response text,
        error text,
        created_at timestamptz not null default now(),
        claimed_at timestamptz not null default now(),
        sent_at timestamptz,
        -- When the sequence went on behind it, which a resend by an operator does not move.
        settled_at timestamptz,
        constraint messages_once unique (enrollment_id, step_id, visit)
      )`)
    this.addSql(`create index messages_of_contact on messages (contact_id, created_at desc, id desc)`)
    this.addSql(`
      create index messages_open on messages (claimed_at) where status in ('UNCONFIRMED', 'SENDING', 'DEFERRED')`)
    this.addSql(`create index messages_sending on messages (automation_id) where status = 'SENDING'`)

    // What happened to contacts that automations listen for, and which of them listened at that moment.
    this.addSql(`
      create table trigger_events (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        contact_id uuid not null references contacts on delete cascade,
        type text not null check (type in ('LIST_ADDED', 'TAG_ADDED', 'EVENT', 'SIGNUP')),
        name text not null,
        data jsonb,
        automation_ids uuid[] not null,
        request_id text,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`create index trigger_events_of_contact on trigger_events (contact_id, created_at desc)`)
    this.addSql(`create index trigger_events_age on trigger_events (created_at)`)

    // Which of them an enrollment has heard: delivered again, they start nothing.
    this.addSql(`
      create table heard_events (
        automation_id uuid not null references automations on delete cascade,
        contact_id uuid not null,
        event_id uuid not null references trigger_events on delete cascade,
        primary key (automation_id, contact_id, event_id)
      )`)
    this.addSql(`create index heard_events_of_event on heard_events (event_id)`)

    // What is owed to Temporal because of what happened: a row a delivery, written in the transaction that makes it due.
    this.addSql(`
      create table outbox (
        id bigint generated always as identity primary key,
        kind text not null check (kind in ('START', 'WAKE', 'CANCEL', 'WAKE_HELD', 'TEAR_DOWN', 'ERASE', 'RECONCILE')),
        key text not null,
        lane text not null check (lane in ('interactive', 'bulk', 'walk')),
        workspace_id uuid,
        automation_id uuid,
        contact_id uuid,
        event_id uuid,
        enrollment_id uuid,
        -- How far a walk has come.
        after_id uuid,
        -- Counts how often it was made due: what was delivered meanwhile does not settle what came after.
        generation integer not null default 1,
        attempts integer not null default 0,
        due_at timestamptz not null default now(),
        created_at timestamptz not null default now(),
        constraint outbox_once unique (kind, key)
      ) with (fillfactor = 70)`)
    // Workspaces take turns: what is nobody's is one more.
    this.addSql(`
      create index outbox_due on outbox
        (lane, coalesce(workspace_id, '00000000-0000-0000-0000-000000000000'), due_at)`)
    this.addSql(`create index outbox_of_contact on outbox (contact_id) where kind = 'START'`)
  }

  override down(): void {
    for (const table of [
      'outbox',
      'heard_events',
      'trigger_events',
      'messages',
      'enrollments',
      'automation_counts',
      'email_contents',
      'automation_versions',
      'automations',
      'contacts',
      'api_keys',
      'installation',
      'workspaces',
    ])
      this.addSql(`drop table ${table}`)
  }
}
