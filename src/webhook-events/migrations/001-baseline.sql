-- Outgoing webhooks: the endpoints of workspaces, the events that are recorded for them, and the deliveries.
-- Triggers record the events, in the transaction of the change: many statements change these rows, and a forgotten one would be a
-- lost event. A trigger does one lookup if no enabled endpoint of the workspace wants the event.

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

-- Whether an enabled endpoint of a workspace wants one of the types.
create function wants_webhook_events(of_workspace uuid, variadic types text[]) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from webhook_endpoints
    where workspace_id = of_workspace and status = 'ENABLED' and events && (types || text '*')
  );
end $$;

create function webhook_contact(contact_id uuid, email text, external_id text, first_name text)
returns jsonb language sql immutable parallel safe as
$$ select jsonb_build_object('id', contact_id, 'email', email, 'externalId', external_id, 'firstName', first_name) $$;

-- Contacts are written many at a time: one run per statement.
create function record_created_contacts() returns trigger language plpgsql as $$
begin
  insert into webhook_events (workspace_id, contact_id, type, data)
  select workspace_id, id, 'contact.created', webhook_contact(id, email, external_id, first_name)
  from changed where workspace_id in (
    select workspace_id from webhook_endpoints where status = 'ENABLED' and events && array['contact.created', '*']
  ) order by place;
  return null;
end $$;
create trigger webhook_created after insert on contacts referencing new table as changed
  for each statement execute function record_created_contacts();

-- Changes of one transaction to a contact are one event. Changes of a new contact are a part of its creation.
create function record_contact_changes(changes jsonb) returns void language sql as $$
  with changed as (
    select workspace_id, contact.id, place, webhook_contact(contact.id, email, external_id, first_name) as data, names
    from jsonb_to_recordset(changes) as change(id uuid, names jsonb) join contacts contact on contact.id = change.id
    -- The time of the transaction: other transactions of the same moment are not meant.
    where created_at <> now() and workspace_id in (
      select workspace_id from webhook_endpoints where status = 'ENABLED' and events && array['contact.updated', '*']
    )
  ),
  merged as (
    update webhook_events event set data = changed.data || jsonb_build_object('changed', (
      select jsonb_agg(distinct name) from jsonb_array_elements(event.data -> 'changed' || changed.names) name
    ))
    from changed
    where event.contact_id = changed.id and event.type = 'contact.updated' and event.xid = pg_current_xact_id()
    returning event.contact_id
  )
  insert into webhook_events (workspace_id, contact_id, type, data)
  select workspace_id, id, 'contact.updated', data || jsonb_build_object('changed', names)
  from changed where id not in (select contact_id from merged) order by place
$$;

create function record_updated_contacts() returns trigger language plpgsql as $$
begin
  -- Without this, comparing the rows costs as much as the update.
  if not exists (select from webhook_endpoints where status = 'ENABLED' and events && array['contact.updated', '*']) then
    return null;
  end if;
  perform record_contact_changes(jsonb_agg(jsonb_build_object('id', changed.id, 'names', fields.names)))
  from changed join before on before.id = changed.id
  cross join lateral (
    select array_remove(array[
      case when changed.email is distinct from before.email then 'email' end,
      case when changed.external_id is distinct from before.external_id then 'externalId' end,
      case when changed.first_name is distinct from before.first_name then 'firstName' end,
      case when changed.metadata is distinct from before.metadata then 'metadata' end
    ], null) as names
  ) fields
  where fields.names <> '{}';
  return null;
end $$;
create trigger webhook_updated after update on contacts referencing old table as before new table as changed
  for each statement execute function record_updated_contacts();

create function record_changed_tags() returns trigger language plpgsql as $$
begin
  if not exists (select from webhook_endpoints where status = 'ENABLED' and events && array['contact.updated', '*']) then
    return null;
  end if;
  perform record_contact_changes(jsonb_agg(jsonb_build_object('id', contact_id, 'names', array['tags'])))
  from (select distinct contact_id from changed) those;
  return null;
end $$;
create trigger webhook_inserted after insert on contact_tags referencing new table as changed
  for each statement execute function record_changed_tags();
create trigger webhook_deleted after delete on contact_tags referencing old table as changed
  for each statement execute function record_changed_tags();

-- An erasure deletes the events of the contact, with the deliveries and what they log. Only the ID is left to tell.
create function record_deleted_contacts() returns trigger language plpgsql as $$
begin
  delete from webhook_events where contact_id in (select id from gone);
  insert into webhook_events (workspace_id, type, data)
  select workspace_id, 'contact.deleted', jsonb_build_object('id', id)
  from gone where workspace_id in (
    select workspace_id from webhook_endpoints where status = 'ENABLED' and events && array['contact.deleted', '*']
  ) order by place;
  return null;
end $$;
create trigger webhook_deleted after delete on contacts referencing old table as gone
  for each statement execute function record_deleted_contacts();

-- Race: an email is in flight while its contact is erased, and its outcome is recorded as an event that the erasure does not see.
-- Guard: the erasure deletes that message when it is final, so after the event was committed. Test: test/webhooks/erasure.test.ts.
create function erase_webhook_events() returns trigger language plpgsql as $$
begin
  delete from webhook_events event
  where contact_id in (select contact_id from gone) and not exists (select from contacts where id = event.contact_id);
  return null;
end $$;
create trigger webhook_erased after delete on messages referencing old table as gone
  for each statement execute function erase_webhook_events();

-- Unsubscribed from all marketing email. The suppression names an address, which may have no contact.
create function record_suppressed_contacts() returns trigger language plpgsql as $$
declare
  fact text := case tg_op when 'INSERT' then 'contact.unsubscribed' else 'contact.resubscribed' end;
begin
  insert into webhook_events (workspace_id, contact_id, type, data)
  select contact.workspace_id, contact.id, fact,
    webhook_contact(contact.id, contact.email, contact.external_id, contact.first_name) || '{"listId": null}'
  from (
    select distinct workspace_id, address_hash from changed
    where reason in ('UNSUBSCRIBED', 'IMPORTED') and workspace_id in (
      select workspace_id from webhook_endpoints where status = 'ENABLED' and events && array[fact, '*']
    )
  ) suppressed
  join contacts contact on contact.workspace_id = suppressed.workspace_id
    and address_hash(contact.workspace_id, contact.email_key) = suppressed.address_hash
  -- The contact may be suppressed for the other reason, too.
  where tg_op = 'INSERT' or not exists (
    select from suppressions other where other.workspace_id = suppressed.workspace_id
      and other.address_hash = suppressed.address_hash and other.reason in ('UNSUBSCRIBED', 'IMPORTED')
  )
  order by contact.place;
  return null;
end $$;
create trigger webhook_inserted after insert on suppressions referencing new table as changed
  for each statement execute function record_suppressed_contacts();
create trigger webhook_deleted after delete on suppressions referencing old table as changed
  for each statement execute function record_suppressed_contacts();

-- Unsubscribed from one list.
create function record_opt_outs() returns trigger language plpgsql as $$
declare
  fact text := case tg_op when 'INSERT' then 'contact.unsubscribed' else 'contact.resubscribed' end;
begin
  insert into webhook_events (workspace_id, contact_id, type, data)
  select contact.workspace_id, contact.id, fact,
    webhook_contact(contact.id, contact.email, contact.external_id, contact.first_name) || jsonb_build_object('listId', changed.list_id)
  from changed join contacts contact on contact.id = changed.contact_id
  where contact.workspace_id in (
    select workspace_id from webhook_endpoints where status = 'ENABLED' and events && array[fact, '*']
  ) order by contact.place;
  return null;
end $$;
create trigger webhook_inserted after insert on list_opt_outs referencing new table as changed
  for each statement execute function record_opt_outs();
create trigger webhook_deleted after delete on list_opt_outs referencing old table as changed
  for each statement execute function record_opt_outs();

-- A contact that was deleted has left its lists, too, which needs no events of its own.
create function record_memberships() returns trigger language plpgsql as $$
declare
  fact text := case tg_op when 'INSERT' then 'list.joined' else 'list.left' end;
begin
  insert into webhook_events (workspace_id, contact_id, type, data)
  select contact.workspace_id, contact.id, fact, jsonb_build_object('listId', changed.list_id, 'listName', list.name,
    'contactId', contact.id, 'email', contact.email, 'externalId', contact.external_id)
  from changed join contacts contact on contact.id = changed.contact_id
  left join lists list on list.id = changed.list_id
  where contact.workspace_id in (
    select workspace_id from webhook_endpoints where status = 'ENABLED' and events && array[fact, '*']
  ) order by contact.place;
  return null;
end $$;
create trigger webhook_inserted after insert on list_members referencing new table as changed
  for each statement execute function record_memberships();
create trigger webhook_deleted after delete on list_members referencing old table as changed
  for each statement execute function record_memberships();

-- An enrollment can be recorded after it has ended. STOPPED is an exit: an email was rejected.
create function record_enrollment_change() returns trigger language plpgsql as $$
declare
  ended text := case new.status when 'ACTIVE' then null when 'STOPPED' then 'enrollment.exited' else 'enrollment.' || lower(new.status) end;
begin
  insert into webhook_events (workspace_id, contact_id, type, data)
  select new.workspace_id, new.contact_id, fact.type, jsonb_build_object('id', new.id, 'automationId', new.automation_id,
    'automationVersion', new.version, 'contactId', new.contact_id, 'externalId', contact.external_id,
    'status', case fact.type when 'enrollment.started' then 'ACTIVE' else new.status end,
    'rule', case fact.type when 'enrollment.started' then null else new.ended_by end)
  from unnest(array[case tg_op when 'INSERT' then 'enrollment.started' end, ended]) with ordinality fact(type, nth)
  join contacts contact on contact.id = new.contact_id
  where fact.type is not null and wants_webhook_events(new.workspace_id, fact.type) order by fact.nth;
  return null;
end $$;
create trigger webhook_inserted after insert on enrollments for each row execute function record_enrollment_change();
create trigger webhook_changed after update of status on enrollments
  for each row when (old.status = 'ACTIVE' and new.status <> 'ACTIVE') execute function record_enrollment_change();

-- An erased contact has no more events: their in-flight messages are deleted. A transactional email may have no contact.
create function record_message_event(message messages, fact text, more jsonb) returns void language sql as $$
  insert into webhook_events (workspace_id, contact_id, type, data)
  select message.workspace_id, message.contact_id, fact, jsonb_build_object('id', message.id, 'contactId', contact.id,
    'externalId', contact.external_id, 'automationId', message.automation_id, 'enrollmentId', message.enrollment_id,
    'stepId', message.step_id, 'campaignId', message.campaign_id,
    'to', coalesce(message.recipient, email.recipient, contact.email), 'subject', coalesce(message.subject, email.subject),
    'status', message.status, 'reason', message.error) || more
  from (select message.id) one
  left join contacts contact on contact.id = message.contact_id
  left join emails email on email.id = message.id
  where contact.id is not null or email.id is not null
$$;

create function record_message_status() returns trigger language plpgsql as $$
declare
  fact text := case when new.status in ('SENT', 'CAPTURED') then 'message.sent' else 'message.' || lower(new.status) end;
begin
  -- Not wants_webhook_events(): a call for each email of a campaign costs more than the lookup.
  if exists (
    select from webhook_endpoints
    where workspace_id = new.workspace_id and status = 'ENABLED' and events && array[fact, '*']
  ) then
    perform record_message_event(new, fact, '{}');
  end if;
  return null;
end $$;
create trigger webhook_inserted after insert on messages
  for each row when (new.status in ('SENT', 'CAPTURED', 'DEFERRED', 'FAILED', 'UNCONFIRMED', 'SUPPRESSED'))
  execute function record_message_status();
create trigger webhook_changed after update of status on messages
  for each row when (new.status <> old.status and new.status in ('SENT', 'CAPTURED', 'DEFERRED', 'FAILED', 'UNCONFIRMED', 'SUPPRESSED'))
  execute function record_message_status();

create function record_visited_message() returns trigger language plpgsql as $$
begin
  if old.opened_at is null and new.opened_at is not null and wants_webhook_events(new.workspace_id, 'message.opened') then
    perform record_message_event(new, 'message.opened', '{}');
  end if;
  if old.clicked_at is null and new.clicked_at is not null and wants_webhook_events(new.workspace_id, 'message.clicked') then
    perform record_message_event(new, 'message.clicked', jsonb_build_object('url', (
      select url from message_visits where message_id = new.id and kind = 'CLICK' and visitor = 'PERSON' order by at limit 1
    )));
  end if;
  return null;
end $$;
create trigger webhook_visited after update of opened_at, clicked_at on messages
  for each row when (old.opened_at is null and new.opened_at is not null or old.clicked_at is null and new.clicked_at is not null)
  execute function record_visited_message();

create function record_delivered_message() returns trigger language plpgsql as $$
begin
  if wants_webhook_events(new.workspace_id, 'message.delivered') then
    perform record_message_event(new, 'message.delivered', '{}');
  end if;
  return null;
end $$;
create trigger webhook_delivered after update of delivered_at on messages
  for each row when (old.delivered_at is null and new.delivered_at is not null)
  execute function record_delivered_message();

create function record_bounce() returns trigger language plpgsql as $$
declare
  fact text := case new.kind when 'COMPLAINT' then 'message.complained' else 'message.bounced' end;
begin
  if wants_webhook_events(new.workspace_id, fact) then
    perform record_message_event(message, fact, jsonb_build_object('reason', new.diagnostic, 'bounce', new.kind,
      'category', new.category))
    from messages message where message.id = new.message_id;
  end if;
  return null;
end $$;
create trigger webhook_inserted after insert on bounces
  for each row when (new.kind <> 'UNSUBSCRIBE') execute function record_bounce();

create function record_campaign_status() returns trigger language plpgsql as $$
declare
  fact text := case new.status when 'SENDING' then 'campaign.started' when 'PAUSED' then 'campaign.paused' else 'campaign.finished' end;
begin
  if wants_webhook_events(new.workspace_id, fact) then
    insert into webhook_events (workspace_id, type, data)
    values (new.workspace_id, fact, jsonb_build_object('id', new.id, 'name', new.name, 'status', new.status,
      'recipientCount', new.recipient_count, 'reason', new.pause_reason));
  end if;
  return null;
end $$;
create trigger webhook_changed after update of status on campaigns
  for each row when (new.status <> old.status
    and (new.status in ('PAUSED', 'SENT', 'CANCELLED') or new.status = 'SENDING' and old.status <> 'PAUSED'))
  execute function record_campaign_status();

create function record_finished_import() returns trigger language plpgsql as $$
begin
  if wants_webhook_events(new.workspace_id, 'import.finished') then
    insert into webhook_events (workspace_id, type, data)
    values (new.workspace_id, 'import.finished', jsonb_build_object('id', new.id, 'name', new.name, 'status', new.status,
      'created', new.created, 'updated', new.updated, 'suppressed', new.suppressed, 'failed', new.failed, 'reason', new.problem));
  end if;
  return null;
end $$;
create trigger webhook_finished after update of status on imports
  for each row when (old.status = 'RUNNING' and new.status in ('DONE', 'FAILED')) execute function record_finished_import();
