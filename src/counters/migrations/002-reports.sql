-- The results of messages after they were sent: bounces, complaints, unsubscribes, and opens by machines, beside the statuses, opens
-- and clicks of 001-baseline.sql. Also the numbers of each receiving domain by day, and the clicks on each link.
--
-- A day is the UTC day on which a message was sent. The domain '' has the sums of all domains.

create table domain_days (
  workspace_id uuid not null,
  domain text not null,
  day date not null,
  sent bigint not null,
  -- Not sent, because the mail server rejected the recipient.
  rejected bigint not null,
  hard_bounced bigint not null,
  soft_bounced bigint not null,
  blocked bigint not null,
  complained bigint not null,
  unsubscribed bigint not null,
  opened bigint not null,
  clicked bigint not null,
  machine_opened bigint not null,
  primary key (workspace_id, domain, day)
) with (fillfactor = 50);
-- The largest domains of a day, of any number of domains.
create index domain_days_largest on domain_days (workspace_id, day, sent desc);
create index domain_days_empty on domain_days (workspace_id) where sent = 0 and rejected = 0;

-- Emptied as fast as it fills, like counter_changes.
create table domain_changes (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  domain text not null,
  day date not null,
  sent integer not null default 0,
  rejected integer not null default 0,
  hard_bounced integer not null default 0,
  soft_bounced integer not null default 0,
  blocked integer not null default 0,
  complained integer not null default 0,
  unsubscribed integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  machine_opened integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 1000000);

-- How many messages a person clicked a link in, by the step or variant. The URL is hashed, because it can be longer than an index
-- entry.
create table link_clicks (
  automation_id uuid not null,
  step_id uuid not null,
  url_hash bytea not null,
  url text not null,
  clicks bigint not null,
  primary key (automation_id, step_id, url_hash)
) with (fillfactor = 50);
create index link_clicks_most on link_clicks (automation_id, clicks desc);
create index link_clicks_empty on link_clicks (automation_id) where clicks = 0;

create table link_changes (
  id bigint generated always as identity primary key,
  automation_id uuid not null,
  step_id uuid not null,
  url text not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 1000000);

create function subject_of(message messages) returns uuid language sql immutable as $$
  select coalesce(message.automation_id, message.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid)
$$;

create function part_of(message messages) returns uuid language sql immutable as $$
  select coalesce(
    message.step_id,
    ('00000000-0000-0000-0000-' || lpad(to_hex(message.variant + 1), 12, '0'))::uuid,
    '00000000-0000-0000-0000-000000000000'::uuid
  )
$$;

create function is_by_machine(visitor text) returns boolean language sql immutable as $$
  select visitor in ('MACHINE', 'EARLY', 'BURST')
$$;

-- When a message counts for its domain: when it was sent or failed. Null if it does not. Without a recipient, as in a message whose
-- contact was erased in flight, a message belongs to no domain.
create function domain_time(message messages) returns timestamptz language sql immutable as $$
  select case when message.recipient is null then null when message.status = 'SENT' then message.sent_at
    when message.status = 'FAILED' then message.final_at end
$$;
create function has_domain(message messages) returns boolean language sql immutable as $$
  select domain_time(message) is not null
$$;
create function domain_of(recipient text) returns text language sql immutable as $$
  select left(lower(split_part(recipient, '@', -1)), 255)
$$;
create function utc_day(at timestamptz) returns date language sql immutable as $$
  select (at at time zone 'UTC')::date
$$;

-- The outcomes of a message that other tables record.
create function outcomes_of(
  message_id uuid, out rejected integer, out hard_bounced integer, out soft_bounced integer, out blocked integer,
  out complained integer, out unsubscribed integer, out machine_opened integer
) language sql stable as $$
  select
    count(*) filter (where kind = 'HARD' and source = 'rejection'), count(*) filter (where kind = 'HARD' and source <> 'rejection'),
    count(*) filter (where kind = 'SOFT' and source <> 'rejection'), count(*) filter (where kind = 'BLOCKED'),
    count(*) filter (where kind = 'COMPLAINT'),
    (select count(*) from unsubscribes where unsubscribes.message_id = outcomes_of.message_id),
    (select count(*) from message_visits visit
      where visit.message_id = outcomes_of.message_id and visit.kind = 'OPEN' and is_by_machine(visitor))
  from bounces where bounces.message_id = outcomes_of.message_id
$$;

-- Adds a message with all of its outcomes to its domain, or subtracts it. Of a failed message, only its rejection counts.
create function count_domain(message messages, sign integer) returns void language sql as $$
  insert into domain_changes (workspace_id, domain, day, sent, rejected, hard_bounced, soft_bounced, blocked, complained, unsubscribed,
    opened, clicked, machine_opened)
  select message.workspace_id, domain_of(message.recipient), utc_day(domain_time(message)), of_sent, (sign - of_sent) * rejected,
    of_sent * hard_bounced, of_sent * soft_bounced, of_sent * blocked, of_sent * complained, of_sent * unsubscribed,
    of_sent * (message.opened_at is not null)::integer, of_sent * (message.clicked_at is not null)::integer, of_sent * machine_opened
  from outcomes_of(message.id) cross join lateral (select sign * (message.status = 'SENT')::integer as of_sent) signs
  where message.status = 'SENT' or rejected > 0
$$;

create function count_outcome(message messages, outcome text, by integer) returns void language sql as $$
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
    (message.workspace_id, subject_of(message), part_of(message), date_bin('15 minutes', message.created_at, timestamptz 'epoch'), outcome, by)
$$;

-- The usual case, a first attempt, takes one statement of its own: calling `count_domain` would cost three times as much. A machine
-- may have opened such a message, and its contact may have unsubscribed, while it was in flight.
create function count_domains() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.status = 'SENDING' and new.status = 'SENT' and new.attempts <= 1 then
    if has_domain(new) then
      insert into domain_changes (workspace_id, domain, day, sent, unsubscribed, machine_opened) values
        (new.workspace_id, domain_of(new.recipient), utc_day(new.sent_at), 1,
          (select count(*) from unsubscribes where message_id = new.id),
          (select count(*) from message_visits where message_id = new.id and kind = 'OPEN' and is_by_machine(visitor)));
    end if;
    return null;
  end if;
  if tg_op = 'UPDATE' and has_domain(old) then
    perform count_domain(old, -1);
  end if;
  if has_domain(new) then
    perform count_domain(new, 1);
  end if;
  return null;
end $$;
create trigger domain_written after insert on messages for each row when (new.status in ('SENT', 'FAILED')) execute function count_domains();
create trigger domain_changed after update of status, recipient, sent_at, opened_at, clicked_at on messages
  for each row when (
    (old.status in ('SENT', 'FAILED') or new.status in ('SENT', 'FAILED')) and (
      old.status <> new.status or old.recipient is distinct from new.recipient or old.sent_at is distinct from new.sent_at
      or (old.opened_at is null) <> (new.opened_at is null) or (old.clicked_at is null) <> (new.clicked_at is null)
    )
  ) execute function count_domains();

-- Before the delete, because the outcomes are deleted with the message. Their own triggers find no message then.
create function uncount_message() returns trigger language plpgsql as $$
declare
  outcomes record;
begin
  if has_domain(old) then
    perform count_domain(old, -1);
  end if;
  select * into outcomes from outcomes_of(old.id);
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
  select old.workspace_id, subject_of(old), part_of(old), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), counter, -count
  from (values
    ('REJECTED', outcomes.rejected), ('HARD_BOUNCED', outcomes.hard_bounced), ('SOFT_BOUNCED', outcomes.soft_bounced),
    ('BLOCKED', outcomes.blocked),
    ('COMPLAINED', outcomes.complained), ('UNSUBSCRIBED', outcomes.unsubscribed), ('MACHINE_OPENED', outcomes.machine_opened)
  ) counted (counter, count) where count > 0;
  insert into link_changes (automation_id, step_id, url, change)
  select subject_of(old), part_of(old), url, -1 from message_visits
  where message_id = old.id and kind = 'CLICK' and visitor = 'PERSON' and coalesce(old.automation_id, old.campaign_id) is not null;
  return old;
end $$;
create trigger outcomes_deleted before delete on messages for each row execute function uncount_message();

-- Race: a message becomes SENT while one of its outcomes is recorded, and neither transaction sees the other. Guard: the share lock
-- waits for the other one. Triggers of bounces and unsubscribes take it at the commit, because messages come after enrollments in the
-- lock order. Test: test/stats/reports.test.ts.
create function count_outcome_of(of_message uuid, outcome text, by integer) returns void language plpgsql as $$
declare
  message messages;
begin
  select * into message from messages where id = of_message for share;
  if not found then
    return;
  end if;
  perform count_outcome(message, outcome, by);
  if has_domain(message) and (message.status = 'SENT') = (outcome <> 'REJECTED') then
    insert into domain_changes (workspace_id, domain, day, rejected, hard_bounced, soft_bounced, blocked, complained, unsubscribed,
      machine_opened)
    values (message.workspace_id, domain_of(message.recipient), utc_day(domain_time(message)),
      by * (outcome = 'REJECTED')::integer, by * (outcome = 'HARD_BOUNCED')::integer, by * (outcome = 'SOFT_BOUNCED')::integer,
      by * (outcome = 'BLOCKED')::integer, by * (outcome = 'COMPLAINED')::integer,
      by * (outcome = 'UNSUBSCRIBED')::integer, by * (outcome = 'MACHINE_OPENED')::integer);
  end if;
end $$;

-- An unsubscribe at a provider is also a row of `unsubscribes`. A full mailbox that the mail server rejects only counts as failed.
create function bounce_counter(bounce bounces) returns text language sql immutable as $$
  select case bounce.kind
    when 'HARD' then case bounce.source when 'rejection' then 'REJECTED' else 'HARD_BOUNCED' end
    when 'SOFT' then case bounce.source when 'rejection' then null else 'SOFT_BOUNCED' end
    when 'BLOCKED' then 'BLOCKED'
    when 'COMPLAINT' then 'COMPLAINED'
  end
$$;

create function count_bounces() returns trigger language plpgsql as $$
declare
  bounce bounces := case when tg_op = 'DELETE' then old else new end;
begin
  if bounce_counter(bounce) is not null then
    perform count_outcome_of(bounce.message_id, bounce_counter(bounce), case when tg_op = 'DELETE' then -1 else 1 end);
  end if;
  return null;
end $$;
create constraint trigger outcome_written after insert on bounces deferrable initially deferred
  for each row execute function count_bounces();
create trigger outcome_deleted after delete on bounces for each row execute function count_bounces();

create function count_unsubscribes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform count_outcome_of(old.message_id, 'UNSUBSCRIBED', -1);
  else
    perform count_outcome_of(new.message_id, 'UNSUBSCRIBED', 1);
  end if;
  return null;
end $$;
create constraint trigger outcome_written after insert on unsubscribes deferrable initially deferred
  for each row execute function count_unsubscribes();
create trigger outcome_deleted after delete on unsubscribes for each row execute function count_unsubscribes();

-- Visits are written under a lock of their message, and deleted with it.
create function count_visitors() returns trigger language plpgsql as $$
declare
  message messages;
  was text := case when tg_op = 'UPDATE' then old.visitor else '' end;
begin
  if new.kind = 'OPEN' and is_by_machine(new.visitor) <> is_by_machine(was) then
    perform count_outcome_of(new.message_id, 'MACHINE_OPENED', case when is_by_machine(was) then -1 else 1 end);
  elsif new.kind = 'CLICK' and (new.visitor = 'PERSON') <> (was = 'PERSON') then
    select * into message from messages where id = new.message_id;
    if coalesce(message.automation_id, message.campaign_id) is not null then
      insert into link_changes (automation_id, step_id, url, change) values
        (subject_of(message), part_of(message), new.url, case when was = 'PERSON' then -1 else 1 end);
    end if;
  end if;
  return null;
end $$;
create trigger outcome_written after insert on message_visits for each row execute function count_visitors();
create trigger outcome_changed after update of visitor on message_visits
  for each row when (old.visitor <> new.visitor) execute function count_visitors();

-- Writes the numbers again from what they count: called by rebuild_counters.
create function rebuild_reports() returns void language plpgsql as $$
begin
  delete from domain_changes;
  delete from domain_days;
  delete from link_changes;
  delete from link_clicks;
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
  select message.workspace_id, subject_of(message), part_of(message), date_bin('15 minutes', message.created_at, timestamptz 'epoch'),
    outcome.counter, count(*)
  from (
    select message_id, bounce_counter(bounces) as counter from bounces where bounce_counter(bounces) is not null
    union all
    select message_id, 'UNSUBSCRIBED' from unsubscribes
    union all
    select message_id, 'MACHINE_OPENED' from message_visits where kind = 'OPEN' and is_by_machine(visitor)
  ) outcome join messages message on message.id = outcome.message_id
  group by 1, 2, 3, 4, 5;
  perform count_domain(message, 1) from messages message where has_domain(message);
  insert into link_changes (automation_id, step_id, url, change)
  select subject_of(message), part_of(message), visit.url, count(*)
  from message_visits visit join messages message on message.id = visit.message_id
  where visit.kind = 'CLICK' and visit.visitor = 'PERSON' and coalesce(message.automation_id, message.campaign_id) is not null
  group by 1, 2, 3;
end $$;
