-- Lists, their members, opt-outs, and pending confirmations of double opt-in.

create table lists (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  description text,
  -- Shown to recipients on the preferences page.
  public boolean not null default false,
  double_opt_in boolean not null default false,
  -- Set when the list is being deleted. It is emptied a page at a time, and nothing new may refer to it.
  deleting_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index lists_newest on lists (workspace_id, created_at desc, id desc);

create table list_members (
  list_id uuid not null references lists on delete cascade,
  contact_id uuid not null references contacts on delete cascade,
  added_at timestamptz not null default now(),
  primary key (list_id, contact_id)
);
create index list_members_of_contact on list_members (contact_id);

-- Counts the members of each list, in slots as `contact_counters` does.
create table list_counters (
  list_id uuid not null,
  slot smallint not null,
  count integer not null,
  primary key (list_id, slot)
) with (fillfactor = 50);

create function count_list_members() returns trigger language plpgsql as $$
begin
  insert into list_counters as tally (list_id, slot, count)
  select list_id, pg_backend_pid() % 16, case tg_op when 'INSERT' then count(*) else -count(*) end from changed group by 1 order by 1
  on conflict (list_id, slot) do update set count = tally.count + excluded.count;
  return null;
end $$;
create trigger tally_inserted after insert on list_members referencing new table as changed
  for each statement execute function count_list_members();
create trigger tally_deleted after delete on list_members referencing old table as changed
  for each statement execute function count_list_members();

-- Lists that contacts have left themselves. Only "resubscribe": true or the contact adds them again.
-- No foreign key to the list: a campaign to a deleted list may still have messages to retry.
create table list_opt_outs (
  list_id uuid not null,
  contact_id uuid not null references contacts on delete cascade,
  created_at timestamptz not null default now(),
  primary key (list_id, contact_id)
);
create index list_opt_outs_of_contact on list_opt_outs (contact_id);

-- Contacts who asked to join a double opt-in list and have not confirmed it.
create table confirmation_requests (
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
create index confirmation_requests_of_contact on confirmation_requests (contact_id);

-- Confirmation emails of the last day, by the hash of their address. A contact that is deleted and created again, or whose
-- address changes to and fro, does not fill a mailbox. No foreign key: claiming a message must not wait for the list.
create table confirmation_emails (
  id uuid primary key,
  list_id uuid not null,
  address_hash bytea not null,
  at timestamptz not null default now()
);
create index confirmation_emails_of_address on confirmation_emails (list_id, address_hash);
create index confirmation_emails_oldest on confirmation_emails (at);
