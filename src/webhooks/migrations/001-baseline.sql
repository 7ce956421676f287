-- Outgoing webhooks: the endpoints of workspaces, the events that are recorded for them, and the deliveries.
-- The modules that make the changes record the events, in the same transaction (src/webhook-events/record.ts).

create table webhook_endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- Null: the events are not delivered but polled.
  url text,
  -- Types of events; '*' is all types.
  events text[] not null,
  description text,
  status text not null default 'ENABLED' check (status in ('ENABLED', 'DISABLED')),
  -- Why Dripline disabled the endpoint: GONE or FAILING. Null if it was disabled by request.
  disabled_reason text check (disabled_reason in ('GONE', 'FAILING')),
  disabled_at timestamptz,
  -- The first failed attempt since the last success.
  failing_since timestamptz,
  -- Failed attempts since then; those that were recorded together count as one.
  failures integer not null default 0,
  -- Encrypted with SECRETS_KEY.
  secret bytea not null,
  -- The secret before, which signs, too, until the time.
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhook_endpoints_of_workspace on webhook_endpoints (workspace_id, created_at);

-- No foreign keys to workspaces and contacts: an insert would lock their rows, in another order than docs/lock-order.md.
create table webhook_events (
  -- The order in which events were recorded.
  position bigint generated always as identity primary key,
  id uuid not null default gen_random_uuid() unique,
  workspace_id uuid not null,
  -- Only for this endpoint: a test event.
  endpoint_id uuid,
  contact_id uuid,
  type text not null,
  data jsonb not null,
  -- The transaction that recorded the event. A position becomes visible after a higher one if its transaction commits later. So
  -- polling reads in the order of (xid, position), and only events of transactions that are older than every running one.
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default now()
);
create index webhook_events_of_workspace on webhook_events (workspace_id, xid, position);
create index webhook_events_of_contact on webhook_events (contact_id) where contact_id is not null;

-- No foreign key to endpoints: every insert would lock the endpoint's row.
create table webhook_deliveries (
  event_position bigint not null references webhook_events on delete cascade,
  endpoint_id uuid not null,
  -- Deliveries of one lane are sent in order: those of a contact to an endpoint. Null for none. One column instead of two, because
  -- without statistics, Postgres would choose an index by the endpoint alone.
  lane uuid,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  -- The worker that has the delivery sends no request after this time.
  leased_until timestamptz,
  -- The last attempts, oldest first: time, duration, URL, status or problem, and the first bytes of the response.
  log jsonb not null default '[]',
  finished_at timestamptz,
  primary key (event_position, endpoint_id)
) with (fillfactor = 70);
create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, event_position desc);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, event_position) where status = 'PENDING';
-- The deliveries for which later ones of the lane wait: those that have not been attempted, and those that a worker has.
create index webhook_deliveries_new on webhook_deliveries (lane, event_position)
  where status = 'PENDING' and attempts = 0 and lane is not null;
create index webhook_deliveries_leased on webhook_deliveries (lane, event_position)
  where status = 'PENDING' and leased_until is not null and lane is not null;
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, event_position desc) where status = 'FAILED';

create function webhook_lane(endpoint_id uuid, contact_id uuid) returns uuid language sql immutable parallel safe as
$$ select md5(endpoint_id::text || contact_id::text)::uuid $$;

-- A trigger, so that an event never lacks its deliveries.
create function enqueue_webhook_deliveries() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (event_position, endpoint_id, lane)
  select event.position, endpoint.id, webhook_lane(endpoint.id, event.contact_id)
  from recorded event join webhook_endpoints endpoint on endpoint.workspace_id = event.workspace_id
  where endpoint.status = 'ENABLED' and endpoint.url is not null
    and case when event.endpoint_id is null then endpoint.events && array[event.type, '*'] else endpoint.id = event.endpoint_id end
  order by event.position;
  return null;
end $$;
create trigger webhook_deliveries_enqueued after insert on webhook_events referencing new table as recorded
  for each statement execute function enqueue_webhook_deliveries();
