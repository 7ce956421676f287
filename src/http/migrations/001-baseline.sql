-- Requests that carried an Idempotency-Key: in progress, or with their response.

create table idempotency_keys (
  workspace_id uuid not null references workspaces on delete cascade,
  key text not null,
  id uuid not null,
  -- Hash of the request. Null if the request was about a contact that has since been erased.
  fingerprint bytea,
  contact_id uuid,
  status integer,
  headers jsonb,
  body jsonb,
  -- Number of the attempt that owns the key. An attempt whose lease expired finds another number here and stops.
  attempt integer not null default 1,
  lease_until timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
create index idempotency_keys_of_contact on idempotency_keys (contact_id) where contact_id is not null;
