import { Migration } from '@mikro-orm/migrations'

/** Lists and who is in them, tags of contacts, saved conditions; and how many there are of what, without counting. */
export class Migration004ListsTagsSegments extends Migration {
  override name = '004-lists-tags-segments'

  override up(): void {
    this.addSql(`
      create table lists (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        description text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`)
    this.addSql(`create index lists_newest on lists (workspace_id, created_at desc, id desc)`)
    this.addSql(`
      create table list_members (
        list_id uuid not null references lists on delete cascade,
        contact_id uuid not null references contacts on delete cascade,
        added_at timestamptz not null default now(),
        primary key (list_id, contact_id)
      )`)
    this.addSql(`create index list_members_of_contact on list_members (contact_id)`)

    this.addSql(`
      create table contact_tags (
        contact_id uuid not null references contacts on delete cascade,
        workspace_id uuid not null,
        tag_key text not null,
        name text not null,
        added_at timestamptz not null default now(),
        primary key (contact_id, tag_key)
      )`)
    this.addSql(`create index contact_tags_by_name on contact_tags (workspace_id, tag_key, contact_id)`)

    this.addSql(`
      create table segments (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        condition jsonb not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`)
    this.addSql(`create index segments_newest on segments (workspace_id, created_at desc, id desc)`)

    // A contact's place in its workspace. Contacts are counted in blocks of places, so that page 20,000 and the total
    // cost no more than page 1: see queries/contacts.ts.
    this.addSql(`alter table contacts add column place bigint generated always as identity`)
    this.addSql(`create index contacts_by_place on contacts (workspace_id, place desc)`)
    this.addSql(`drop index contacts_newest`)
    this.addSql(`
      create table tallies (
        subject uuid not null,
        block bigint not null,
        count integer not null,
        primary key (subject, block)
      ) with (fillfactor = 50)`)
    this.addSql(`
      create function tally_contacts() returns trigger language plpgsql as $$
      begin
        insert into tallies as tally (subject, block, count)
        select workspace_id, place / 4096, case tg_op when 'INSERT' then count(*) else -count(*) end
        from changed group by 1, 2 order by 1, 2
        on conflict (subject, block) do update set count = tally.count + excluded.count;
        return null;
      end $$`)
    this.addSql(`
      create function tally_list_members() returns trigger language plpgsql as $$
      begin
        insert into tallies as tally (subject, block, count)
        select list_id, 0, case tg_op when 'INSERT' then count(*) else -count(*) end
        from changed group by 1 order by 1
        on conflict (subject, block) do update set count = tally.count + excluded.count;
        return null;
      end $$`)
    for (const table of ['contacts', 'list_members']) {
      this.addSql(`
        create trigger tally_inserted after insert on ${table} referencing new table as changed
        for each statement execute function tally_${table}()`)
      this.addSql(`
        create trigger tally_deleted after delete on ${table} referencing old table as changed
        for each statement execute function tally_${table}()`)
    }
    // Whoever writes a contact's tags and memberships holds its row's lock, and the function sees all that was committed
    // before: so the bound holds, whoever writes at the same moment.
    for (const [table, most, what] of [
      ['contact_tags', 250, 'tags'],
      ['list_members', 1_000, 'lists'],
    ] as const) {
      this.addSql(`
        create function bound_${table}() returns trigger language plpgsql as $$
        begin
          if exists (
            select from (select distinct contact_id from changed) touched
            where (select count(*) from ${table} its where its.contact_id = touched.contact_id) > ${most}
          ) then
            raise exception 'A contact has more than ${most} ${what}'
              using errcode = 'check_violation', constraint = '${table}_most';
          end if;
          return null;
        end $$`)
      this.addSql(`
        create trigger bound_inserted after insert on ${table} referencing new table as changed
        for each statement execute function bound_${table}()`)
    }
    this.addSql(`
      insert into tallies (subject, block, count)
      select workspace_id, place / 4096, count(*) from contacts group by 1, 2`)
  }

  override down(): void {
    this.addSql(`drop trigger tally_inserted on contacts`)
    this.addSql(`drop trigger tally_deleted on contacts`)
    this.addSql(`drop table tallies, segments, contact_tags, list_members, lists`)
    this.addSql(`drop function bound_contact_tags`)
    this.addSql(`drop function bound_list_members`)
    this.addSql(`drop function tally_contacts`)
    this.addSql(`drop function tally_list_members`)
    this.addSql(`create index contacts_newest on contacts (workspace_id, created_at desc, id desc)`)
    this.addSql(`alter table contacts drop column place`)
  }
}
