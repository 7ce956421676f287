-- The addresses of erased contacts.

-- Links in emails outlive the contact. An opt-out by such a link applies to each address that the contact was mailed at.
create table erased_contacts (
  contact_id uuid not null,
  workspace_id uuid not null references workspaces on delete cascade,
  address_hash bytea not null,
  -- Hashes of the provider notifications that were applied recently. A repeated one is not a new opt-out.
  processed_events text[] not null default '{}',
  primary key (contact_id, address_hash)
);
create index erased_contacts_by_address on erased_contacts (workspace_id, address_hash);
