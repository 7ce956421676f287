-- Opt-outs: suppressed addresses, lists that contacts have left, and the addresses of erased contacts.

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

-- Volatile: sees what was committed after the calling statement began.
create function wants_none(of_workspace uuid, key text) returns boolean language plpgsql volatile as $$
begin
  return exists (
    select from suppressions where workspace_id = of_workspace and address_hash = address_hash(of_workspace, key)
  );
end $$;

-- Lists that contacts have left themselves. Only "resubscribe": true or the contact adds them again.
-- No foreign key to the list: a campaign to a deleted list may still have messages to retry.
create table list_opt_outs (
  list_id uuid not null,
  contact_id uuid not null references contacts on delete cascade,
  created_at timestamptz not null default now(),
  primary key (list_id, contact_id)
);
create index list_opt_outs_of_contact on list_opt_outs (contact_id);

-- Volatile: a statement that adds many contacts reaches each row later than its snapshot. The caller holds the contact's lock.
create function has_left(of_list uuid, of_contact uuid) returns boolean language plpgsql volatile as $$
begin
  return exists (select from list_opt_outs where list_id = of_list and contact_id = of_contact);
end $$;

-- Volatile, as has_left(). A contact who rejoined and left again has a new time.
create function left_at(of_list uuid, of_contact uuid) returns timestamptz language plpgsql volatile as $$
begin
  return (select created_at from list_opt_outs where list_id = of_list and contact_id = of_contact);
end $$;

-- Links in emails outlive the contact. An opt-out by such a link applies to each address that the contact was mailed at.
create table erased_contacts (
  contact_id uuid not null,
  workspace_id uuid not null references workspaces on delete cascade,
  address_hash bytea not null,
  -- Hashes of the provider notifications that were applied recently. A repeated one is not a new opt-out.
  heard text[] not null default '{}',
  primary key (contact_id, address_hash)
);
create index erased_contacts_by_address on erased_contacts (workspace_id, address_hash);
