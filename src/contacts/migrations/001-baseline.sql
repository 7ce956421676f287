-- Contacts, their tags, their former addresses, suppressed addresses, and counters of contacts.

-- Identifies an address without storing it. Suppressions keep the hash after the contact was erased.
create function address_hash(of_workspace uuid, key text) returns bytea language sql immutable parallel safe as
$$ select sha256(convert_to(of_workspace::text || ' ' || key, 'UTF8')) $$;

create table contacts (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  email text not null,
  -- The address as it is compared: folded to one case.
  email_key text not null,
  external_id text,
  first_name text,
  metadata jsonb not null default '{}',
  -- When a date in `metadata` was changed last, by key: a date that was reached before starts no automation.
  dates_written jsonb not null default '{}',
  -- Position in creation order. `contact_counters` counts contacts per block of positions, so page 20,000 and the total cost no more
  -- than page 1.
  place bigint generated always as identity,
  -- Optimistic lock for sending: incremented when what may be sent to the contact changes. A claim fails if the number differs
  -- from the one that was read when the message was prepared.
  consent_version integer not null default 0,
  -- The contact was created by a request to join a double opt-in list, and the address is not confirmed yet.
  unconfirmed boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint contacts_email_unique unique (workspace_id, email_key),
  -- 64 KB as clients write JSON. Postgres adds a space after each colon and comma.
  constraint contacts_metadata_size check (octet_length(metadata::text) <= 90000)
);
create unique index contacts_external_id_unique on contacts (workspace_id, external_id) where external_id is not null;
create index contacts_by_place on contacts (workspace_id, place desc);
-- Search by prefix, independent of the database's locale.
create index contacts_by_email on contacts (workspace_id, email_key text_pattern_ops);
create index contacts_by_first_name on contacts (workspace_id, lower(first_name) text_pattern_ops)
  where first_name is not null;
-- Finds the contact that now has the address of an erased one.
create index contacts_by_address_hash on contacts (address_hash(workspace_id, email_key));

create table contact_tags (
  contact_id uuid not null references contacts on delete cascade,
  workspace_id uuid not null,
  -- The tag as it is compared, folded to one case; and as it was first written.
  tag_key text not null,
  name text not null,
  added_at timestamptz not null default now(),
  primary key (contact_id, tag_key)
);
create index contact_tags_by_name on contact_tags (workspace_id, tag_key, contact_id);

-- Addresses that contacts had before. A bounce or an opt-out refers to the address that the email was sent to.
create table former_addresses (
  contact_id uuid not null references contacts on delete cascade,
  until timestamptz not null,
  workspace_id uuid not null,
  email text not null,
  email_key text not null,
  primary key (contact_id, until)
);
create index former_addresses_of_workspace on former_addresses (workspace_id, email_key);

-- Addresses that are not mailed, and why.
create table suppressions (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- A hash, because a suppression outlives its contact.
  address_hash bytea not null,
  reason text not null check (reason in ('UNSUBSCRIBED', 'BOUNCED', 'COMPLAINED', 'MANUAL', 'IMPORTED')),
  -- For people to read. Null if the contact was erased.
  email text,
  note text,
  created_at timestamptz not null default now(),
  constraint suppressions_once unique (workspace_id, address_hash, reason)
);
create index suppressions_newest on suppressions (workspace_id, created_at desc, id desc);

-- Counters: the contacts of a workspace per block of 4,096 positions. Each is split into slots, one of which a session uses: a
-- transaction locks its counter until it commits, and of many at once some would starve.
create table contact_counters (
  subject uuid not null,
  block bigint not null,
  slot smallint not null,
  count integer not null,
  primary key (subject, block, slot)
) with (fillfactor = 50);

create function count_contacts() returns trigger language plpgsql as $$
begin
  insert into contact_counters as tally (subject, block, slot, count)
  select workspace_id, place / 4096, pg_backend_pid() % 16, case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed group by 1, 2 order by 1, 2
  on conflict (subject, block, slot) do update set count = tally.count + excluded.count;
  return null;
end $$;
create trigger tally_inserted after insert on contacts referencing new table as changed
  for each statement execute function count_contacts();
create trigger tally_deleted after delete on contacts referencing old table as changed
  for each statement execute function count_contacts();
