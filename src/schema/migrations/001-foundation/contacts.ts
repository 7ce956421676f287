import type { AddSql } from './add-sql.ts'

/** Contacts, lists and who is in them, tags, saved conditions. */
export function contacts(add: AddSql): void {
  add(`
    create table contacts (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      email text not null,
      email_key text not null,
      first_name text,
      metadata jsonb not null default '{}',
      -- Its place in its workspace. Contacts are counted in blocks of places, so that page 20,000 and the total cost no more
      -- than page 1: see src/contacts/queries.ts.
      place bigint generated always as identity,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint contacts_email_unique unique (workspace_id, email_key),
      -- 64 KB as callers write JSON; Postgres writes a space behind each colon and comma.
      constraint contacts_metadata_size check (octet_length(metadata::text) <= 90000)
    )`)
  add(`create index contacts_by_place on contacts (workspace_id, place desc)`)

  add(`
    create table lists (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null,
      description text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`)
  add(`create index lists_newest on lists (workspace_id, created_at desc, id desc)`)
  add(`
    create table list_members (
      list_id uuid not null references lists on delete cascade,
      contact_id uuid not null references contacts on delete cascade,
      added_at timestamptz not null default now(),
      primary key (list_id, contact_id)
    )`)
  add(`create index list_members_of_contact on list_members (contact_id)`)

  add(`
    create table contact_tags (
      contact_id uuid not null references contacts on delete cascade,
      workspace_id uuid not null,
      tag_key text not null,
      name text not null,
      added_at timestamptz not null default now(),
      primary key (contact_id, tag_key)
    )`)
  add(`create index contact_tags_by_name on contact_tags (workspace_id, tag_key, contact_id)`)

  add(`
    create table segments (
      id uuid primary key,
      workspace_id uuid not null references workspaces on delete cascade,
      name text not null,
      condition jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`)
  add(`create index segments_newest on segments (workspace_id, created_at desc, id desc)`)

  // How many there are of what, without counting.
  add(`
    create table tallies (
      subject uuid not null,
      block bigint not null,
      count integer not null,
      primary key (subject, block)
    ) with (fillfactor = 50)`)
  add(`
    create function tally_contacts() returns trigger language plpgsql as $$
    begin
      insert into tallies as tally (subject, block, count)
      select workspace_id, place / 4096, case tg_op when 'INSERT' then count(*) else -count(*) end
      from changed group by 1, 2 order by 1, 2
      on conflict (subject, block) do update set count = tally.count + excluded.count;
      return null;
    end $$`)
  add(`
    create function tally_list_members() returns trigger language plpgsql as $$
    begin
      insert into tallies as tally (subject, block, count)
      select list_id, 0, case tg_op when 'INSERT' then count(*) else -count(*) end
      from changed group by 1 order by 1
      on conflict (subject, block) do update set count = tally.count + excluded.count;
      return null;
    end $$`)
  for (const table of ['contacts', 'list_members']) {
    add(`
      create trigger tally_inserted after insert on ${table} referencing new table as changed
      for each statement execute function tally_${table}()`)
    add(`
      create trigger tally_deleted after delete on ${table} referencing old table as changed
      for each statement execute function tally_${table}()`)
  }
  // Whoever writes a contact's tags and memberships holds its row's lock, and the function sees all that was committed
  // before: so the bound holds, whoever writes at the same moment.
  for (const [table, most, what] of [
    ['contact_tags', 250, 'tags'],
    ['list_members', 1_000, 'lists'],
  ] as const) {
    add(`
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
    add(`
      create trigger bound_inserted after insert on ${table} referencing new table as changed
      for each statement execute function bound_${table}()`)
  }
}
