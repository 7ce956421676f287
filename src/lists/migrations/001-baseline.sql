-- Lists, their members, and pending confirmations of double opt-in.

create table lists (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  description text,
  -- Shown to recipients on the preferences page.
  public boolean not null default false,
  double_opt_in boolean not null default false,
  -- Set when the list is being deleted. It is emptied a page at a time, and nothing new may refer to it.
  going_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index lists_newest on lists (workspace_id, created_at desc, id desc);

-- Key of the advisory lock that orders joining a list and switching its double opt-in. Row locks would starve the switch:
-- those who join share the lock, and more keep coming.
create function list_key(of_list uuid) returns bigint language sql immutable parallel safe as
$$ select hashtextextended('list ' || of_list::text, 0) $$;

-- Whether the list requires confirmation, read after the lock was granted.
create function list_asks(of_list uuid) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(list_key(of_list));
  return coalesce((select double_opt_in from lists where id = of_list), false);
end $$;

create table list_members (
  list_id uuid not null references lists on delete cascade,
  contact_id uuid not null references contacts on delete cascade,
  added_at timestamptz not null default now(),
  primary key (list_id, contact_id)
);
create index list_members_of_contact on list_members (contact_id);

create function tally_list_members() returns trigger language plpgsql as $$
begin
  insert into tallies as tally (subject, block, count)
  select list_id, 0, case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed group by 1 order by 1
  on conflict (subject, block) do update set count = tally.count + excluded.count;
  return null;
end $$;
create trigger tally_inserted after insert on list_members referencing new table as changed
  for each statement execute function tally_list_members();
create trigger tally_deleted after delete on list_members referencing old table as changed
  for each statement execute function tally_list_members();

-- Holds under concurrency: see bound_contact_tags().
create function bound_list_members() returns trigger language plpgsql as $$
begin
  if exists (
    select from (select distinct contact_id from changed) touched
    where (select count(*) from list_members its where its.contact_id = touched.contact_id) > 1000
  ) then
    raise exception 'A contact has more than 1000 lists'
      using errcode = 'check_violation', constraint = 'list_members_most';
  end if;
  return null;
end $$;
create trigger bound_inserted after insert on list_members referencing new table as changed
  for each statement execute function bound_list_members();

-- Joining a list that requires no confirmation confirms the contact.
create function vouch_for() returns trigger language plpgsql as $$
begin
  update contacts set unconfirmed = false, consents = consents + 1
  from changed where contacts.id = changed.contact_id and contacts.unconfirmed;
  return null;
end $$;
create trigger vouched_for after insert on list_members referencing new table as changed
  for each statement execute function vouch_for();

-- Contacts who asked to join a double opt-in list and have not confirmed it.
create table list_requests (
  list_id uuid not null references lists on delete cascade,
  contact_id uuid not null references contacts on delete cascade,
  -- Part of the confirmation link. It changes when the request is repeated with another address.
  id uuid not null,
  email_key text not null,
  requested_at timestamptz not null default now(),
  -- When an automation that asks for the confirmation was started. Null if an import created the request, or if no automation
  -- was active.
  asked_at timestamptz,
  primary key (list_id, contact_id)
);
create index list_requests_of_contact on list_requests (contact_id);

-- A member has no pending request. A statement that waited for a concurrent confirmation does not see it; this trigger does.
create function settle_requests() returns trigger language plpgsql as $$
begin
  delete from list_requests request using changed
  where request.list_id = changed.list_id and request.contact_id = changed.contact_id
    and exists (select from list_members where list_id = request.list_id and contact_id = request.contact_id);
  return null;
end $$;
create trigger requests_settled_by_insert after insert on list_members referencing new table as changed
  for each statement execute function settle_requests();
create trigger requests_settled_by_insert after insert on list_requests referencing new table as changed
  for each statement execute function settle_requests();
create trigger requests_settled_by_update after update on list_requests referencing new table as changed
  for each statement execute function settle_requests();

-- Confirmation emails of the last day, by the hash of their address. A contact that is deleted and created again, or whose
-- address changes to and fro, does not fill a mailbox. No foreign key: claiming a message must not wait for the list.
create table list_asks (
  id uuid primary key,
  list_id uuid not null,
  address_hash bytea not null,
  at timestamptz not null default now()
);
create index list_asks_of_address on list_asks (list_id, address_hash);
create index list_asks_oldest on list_asks (at);

-- An address gets at most five confirmation emails a day for a list.
create function may_ask(of_list uuid, key text) returns boolean language sql stable as $$
  select count(*) < 5 from list_asks
  where list_id = of_list and at > now() - interval '1 day'
    and address_hash = (select address_hash(workspace_id, key) from lists where id = of_list)
$$;

create function forget_asks() returns trigger language plpgsql as $$
begin
  delete from list_asks where id in (
    select id from list_asks where at < now() - interval '1 day' order by at limit 1000 for update skip locked
  );
  return null;
end $$;
create trigger asks_forgotten after insert on list_requests for each statement execute function forget_asks();
