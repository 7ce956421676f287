import { Migration } from '@mikro-orm/migrations'

/** Who is not to be mailed, whoever wants to; and what links in emails are signed with. */
export class Migration020Consent extends Migration {
  override name = '020-consent'

  override up(): void {
    // By its hash, which outlives an erasure: who is added again later has still unsubscribed.
    this.addSql(`
      create function address_hash(of_workspace uuid, key text) returns bytea language sql immutable parallel safe as
      $$ select sha256(convert_to(of_workspace::text || ' ' || key, 'UTF8')) $$`)
    this.addSql(`
      create table suppressions (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        address_hash bytea not null,
        reason text not null check (reason in ('UNSUBSCRIBED', 'BOUNCED', 'COMPLAINED', 'MANUAL', 'IMPORTED')),
        -- As it was given, to be read by people; none where its contact was erased.
        email text,
        note text,
        created_at timestamptz not null default now(),
        constraint suppressions_once unique (workspace_id, address_hash, reason)
      )`)
    this.addSql('create index suppressions_newest on suppressions (workspace_id, created_at desc, id desc)')
    // How often it has changed what may be sent to a contact: whoever looked before claims nothing behind it.
    this.addSql('alter table contacts add column consents integer not null default 0')
    // What recipients see of lists, and who has left one by herself: nobody puts her back unasked.
    this.addSql('alter table lists add column public boolean not null default false')
    this.addSql(`
      create table list_opt_outs (
        list_id uuid not null references lists on delete cascade,
        contact_id uuid not null references contacts on delete cascade,
        created_at timestamptz not null default now(),
        primary key (list_id, contact_id)
      )`)
    this.addSql('create index list_opt_outs_of_contact on list_opt_outs (contact_id)')
    this.addSql('alter table installation add column public_url text')
    // Two hundred and forty-four random bits: what Postgres has without an extension.
    this.addSql(`
      alter table installation add column link_secret bytea not null
        default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))`)
    this.addSql('alter table messages drop constraint messages_status_check')
    this.addSql(`
      alter table messages add constraint messages_status_check check (status in
        ('SENDING', 'DEFERRED', 'SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'DISMISSED', 'SUPPRESSED')) not valid`)
    this.addSql('alter table messages validate constraint messages_status_check')
  }
}
