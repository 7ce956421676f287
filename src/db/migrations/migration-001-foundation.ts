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
        constraint contacts_email_unique unique (workspace_id, email_key)
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
    this.addSql(`
      create index automations_listening on automations (workspace_id, trigger, trigger_key)
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
    this.addSql(`create index enrollments_held on enrollments (automation_id, id) where held`)

    // The ledger. No reference to enrollments: what was sent to a contact stays true when an automation is deleted.
    this.addSql(`
      create table messages (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        contact_id uuid not null references contacts on delete cascade,
        automation_id uuid not null,
        enrollment_id uuid not null,
        step_id uuid not null,
        visit integer not null,
        status text not null check (status in
          ('SENDING', 'DEFERRED', 'SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'DISMISSED')),
        claim uuid not null,
        attempts integer not null default 1,
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
        constraint messages_once unique (enrollment_id, step_id, visit)
      )`)
    this.addSql(`create index messages_of_contact on messages (contact_id, created_at desc, id desc)`)
    this.addSql(`create index messages_unconfirmed on messages (workspace_id, created_at) where status = 'UNCONFIRMED'`)
    this.addSql(`create index messages_sending on messages (automation_id) where status = 'SENDING'`)

    // The outbox of everything that can start an automation, written in the transaction that makes it true.
    this.addSql(`
      create table trigger_events (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        contact_id uuid not null references contacts on delete cascade,
        type text not null check (type in ('LIST_ADDED', 'TAG_ADDED', 'EVENT', 'SIGNUP')),
        name text not null,
        data jsonb,
        automation_ids uuid[] not null,
        created_at timestamptz not null default now(),
        lease_until timestamptz not null,
        delivered_at timestamptz
      )`)
    this.addSql(`create index trigger_events_due on trigger_events (lease_until) where delivered_at is null`)
    this.addSql(`create index trigger_events_of_contact on trigger_events (contact_id, created_at desc)`)

    // What a change of an automation still owes to its running enrollments: wake those it holds, or end them all.
    this.addSql(`
      create table propagations (
        automation_id uuid primary key references automations on delete cascade,
        kind text not null check (kind in ('WAKE', 'TEARDOWN')),
        requested_at timestamptz not null default now(),
        after_id uuid,
        lease_until timestamptz not null default now()
      )`)
  }

  override down(): void {
    for (const table of [
      'propagations',
      'trigger_events',
      'messages',
      'enrollments',
      'automation_counts',
      'automation_versions',
      'automations',
      'contacts',
      'api_keys',
      'workspaces',
    ])
      this.addSql(`drop table ${table}`)
  }
}
