import { Migration } from '@mikro-orm/migrations'

/** What has to be known of somebody when what it was known by has changed: her list's segment, her address, what asks her. */
export class Migration039WhoIsMeant extends Migration {
  override name = '039-who-is-meant'

  override up(): void {
    this.campaigns()
    this.contents()
    this.addresses()
    this.asking()
    this.vouching()
  }

  /** A segment may be another one, or none, while a campaign to it is being sent. */
  private campaigns(): void {
    this.addSql('alter table campaigns add column required_lists jsonb')
    this.addSql(`
      update campaigns set required_lists = (
        select jsonb_build_array(jsonb_build_object('upTo', case when walked then null else cursor end, 'listIds', coalesce(jsonb_agg(list), '[]')))
        from segments segment, jsonb_path_query(segment.condition, 'strict $.**.list') list
        where segment.workspace_id = campaigns.workspace_id and segment.condition::text !~ '"(?:not|any)":'
          and campaigns.audience -> 'segmentIds' = jsonb_build_array(segment.id::text)
      ) where started_at is not null`)
  }

  /** What a campaign says is read by whoever sends it, of the languages that are next, and by nobody else: it can be megabytes. */
  private contents(): void {
    this.addSql(`
      create table campaign_contents (
        campaign_id uuid not null references campaigns on delete cascade,
        variant smallint not null,
        -- '' is its own.
        locale text not null,
        subject text not null,
        html text,
        text text,
        primary key (campaign_id, variant, locale)
      )`)
    this.addSql(`
      insert into campaign_contents (campaign_id, variant, locale, subject, html, text)
      select said.id, said.variant, content.locale, content.content ->> 'subject', content.content ->> 'html', content.content ->> 'text'
      from (
        select id, 0 as variant, compiled from campaigns where compiled is not null
        union all
        select campaigns.id, variants.n, variants.variant -> 'compiled'
        from campaigns, jsonb_array_elements(ab_test -> 'variants') with ordinality as variants(variant, n)
      ) said
      cross join lateral (
        select '' as locale, said.compiled -> 'content' as content
        union all
        select key, value from jsonb_each(said.compiled -> 'translations')
      ) content
      where content.content ->> 'subject' is not null`)
    this.addSql(`
      update campaigns set ab_test = jsonb_set(ab_test, '{variants}', (
        select jsonb_agg(variant - 'compiled' order by n)
        from jsonb_array_elements(ab_test -> 'variants') with ordinality as variants(variant, n)
      )) where ab_test is not null`)
    this.addSql('alter table campaigns drop column compiled')
  }

  /** What comes back of an email comes back of the address that it went to. */
  private addresses(): void {
    this.addSql(`
      create table former_addresses (
        contact_id uuid not null references contacts on delete cascade,
        until timestamptz not null,
        workspace_id uuid not null,
        email text not null,
        email_key text not null,
        primary key (contact_id, until)
      )`)
    this.addSql('create index former_addresses_of_workspace on former_addresses (workspace_id, email_key)')
    this.addSql(`
      create function keep_address() returns trigger language plpgsql as $$
      begin
        insert into former_addresses (contact_id, until, workspace_id, email, email_key)
        values (old.id, clock_timestamp(), old.workspace_id, old.email, old.email_key);
        return null;
      end $$`)
    this.addSql(`
      create trigger address_kept after update of email_key on contacts
      for each row when (old.email_key <> new.email_key) execute function keep_address()`)
    // Of those from before, what the ledger has, in the spelling that most of them are compared in.
    this.addSql(`
      insert into former_addresses (contact_id, until, workspace_id, email, email_key)
      select contact.id, max(message.claimed_at), contact.workspace_id, min(message.recipient), lower(message.recipient)
      from messages message join contacts contact on contact.id = message.contact_id
      where message.recipient is not null and lower(message.recipient) <> contact.email_key
      group by contact.id, lower(message.recipient) on conflict do nothing`)
  }

  /** Whoever is left pending by a file has not been asked by it. */
  private asking(): void {
    this.addSql('alter table list_requests add column asked_at timestamptz')
    this.addSql('update list_requests set asked_at = requested_at')
    this.addSql(`
      create function note_asking() returns trigger language plpgsql as $$
      begin
        update list_requests set asked_at = now()
        where contact_id = new.contact_id and list_id in (
          select trigger_key::uuid from automations where id = any(new.automation_ids) and trigger = 'LIST_REQUESTED'
        );
        return null;
      end $$`)
    this.addSql(`
      create trigger asking_noted after insert on trigger_events
      for each row when (new.type = 'LIST_REQUESTED') execute function note_asking()`)
  }

  /** Whoever puts her into a list that asks nothing knows her. */
  private vouching(): void {
    this.addSql(`
      create function vouch_for() returns trigger language plpgsql as $$
      begin
        update contacts set unconfirmed = false, consents = consents + 1
        from changed where contacts.id = changed.contact_id and contacts.unconfirmed;
        return null;
      end $$`)
    this.addSql(`
      create trigger vouched_for after insert on list_members referencing new table as changed
      for each statement execute function vouch_for()`)
    // Behind the trigger, which sees whoever is put into one meanwhile.
    this.addSql(`
      update contacts set unconfirmed = false, consents = consents + 1
      where unconfirmed and exists (select from list_members where contact_id = contacts.id)`)
  }
}
