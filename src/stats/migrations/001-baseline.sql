-- Statistics without counting: when each enrollment continues, and how many messages and enrollments are in which state.
-- Triggers keep them, because messages and enrollments are written in many places, and a forgotten change would be wrong forever.
-- A change is a row in `counter_changes`, so that no transaction waits for another one. The relay adds the changes up (foldStats).
--
-- '00000000-0000-0000-0000-000000000000' stands for no step: the start and the end of an automation, or a campaign without
-- variants. A variant's step is its number plus one.
-- Times are rounded to 15 minutes, because days begin on a quarter of an hour in every time zone.

-- What follows each email of a version: the next email, and how long to wait for it. Written when a contact enters the version,
-- so that reading 500 steps is not needed per enrollment.
create table step_offsets (
  automation_id uuid not null,
  version integer not null,
  step_id uuid not null,
  place integer not null,
  email_id uuid not null,
  wait interval not null,
  primary key (automation_id, version, step_id),
  foreign key (automation_id, version) references automation_versions (automation_id, version) on delete cascade
);

create function ensure_step_offsets(of_automation uuid, of_version integer) returns void language plpgsql as $$
begin
  if exists (
    select from step_offsets where automation_id = of_automation and version = of_version and step_id = '00000000-0000-0000-0000-000000000000'::uuid
  ) then
    return;
  end if;
  insert into step_offsets (automation_id, version, step_id, place, email_id, wait)
  with steps as (
    select place, step ->> 'type' as type, (step ->> 'id')::uuid as id,
      case when step ->> 'type' = 'WAIT' then make_interval(secs => (step ->> 'delayMinutes')::float8 * 60) else interval '0' end as wait
    from automation_versions, jsonb_array_elements(steps) with ordinality as each_step(step, place)
    where automation_id = of_automation and version = of_version
  ),
  waited as (select *, sum(wait) over (order by place) as waited from steps),
  stops as (
    select place, id, waited from waited where type = 'EMAIL'
    union all
    select count(*) + 1, '00000000-0000-0000-0000-000000000000'::uuid, coalesce(sum(wait), interval '0') from steps
  ),
  passed as (
    select 0::bigint as place, '00000000-0000-0000-0000-000000000000'::uuid as id, interval '0' as waited
    union all
    select place, id, waited from waited where type = 'EMAIL'
  )
  select of_automation, of_version, passed.id, passed.place, stop.id, stop.waited - passed.waited
  from (
    select *, lead(place) over (order by place) as next_place from passed
  ) passed
  join stops stop on stop.place = coalesce(passed.next_place, (select max(place) from stops))
  on conflict do nothing;
end $$;

-- When each active enrollment continues, counted from its last email.
create table next_wakes (
  enrollment_id uuid primary key references enrollments on delete cascade,
  workspace_id uuid not null,
  automation_id uuid not null,
  version integer not null,
  -- The next email; no step if the automation ends next.
  email_id uuid not null,
  wakes_at timestamptz not null
);
create index next_wakes_of_step on next_wakes (automation_id, email_id, wakes_at, enrollment_id);
create index next_wakes_of_workspace on next_wakes (workspace_id, wakes_at, enrollment_id);

create function wake_enrollment() returns trigger language plpgsql as $$
begin
  if new.status <> 'ACTIVE' then
    delete from next_wakes where enrollment_id = new.id;
    return null;
  end if;
  perform ensure_step_offsets(new.automation_id, new.version);
  insert into next_wakes (enrollment_id, workspace_id, automation_id, version, email_id, wakes_at)
  select new.id, new.workspace_id, new.automation_id, new.version, email_id, new.enrolled_at + wait
  from step_offsets
  where automation_id = new.automation_id and version = new.version and step_id = '00000000-0000-0000-0000-000000000000'::uuid;
  return null;
end $$;
create trigger wake_inserted after insert on enrollments
  for each row when (new.status = 'ACTIVE') execute function wake_enrollment();
create trigger wake_ended after update of status on enrollments
  for each row when (old.status = 'ACTIVE' and new.status <> 'ACTIVE') execute function wake_enrollment();

-- Skips a locked row, because its owner ends the enrollment: waiting for it could deadlock.
-- Only for automations: looking for an enrollment would cost a sixth of a millisecond for each message of a campaign.
create function wake_after_message() returns trigger language plpgsql as $$
begin
  update next_wakes wake set email_id = next_email.email_id, wakes_at = new.final_at + next_email.wait
  from (
    select waiting.enrollment_id, place.email_id, place.wait
    from next_wakes waiting
    join step_offsets place on place.automation_id = waiting.automation_id and place.version = waiting.version
      and place.step_id = new.step_id
    where waiting.enrollment_id = new.enrollment_id
    for update of waiting skip locked
  ) next_email
  where wake.enrollment_id = next_email.enrollment_id;
  return null;
end $$;
create trigger wake_inserted after insert on messages
  for each row when (new.enrollment_id is not null and new.final_at is not null) execute function wake_after_message();
create trigger wake_settled after update of final_at on messages
  for each row when (new.enrollment_id is not null and old.final_at is null and new.final_at is not null)
  execute function wake_after_message();

-- Current numbers per step.
create table step_counters (
  automation_id uuid not null,
  step_id uuid not null,
  counter text not null,
  count bigint not null,
  primary key (automation_id, step_id, counter)
) with (fillfactor = 50);

-- Numbers over time: of a workspace by quarters of an hour, of an automation by hours.
create table flow_counters (
  subject uuid not null,
  counter text not null,
  at timestamptz not null,
  count bigint not null,
  primary key (subject, counter, at)
) with (fillfactor = 50);

-- Emptied as fast as it fills, so it is vacuumed often and analyzed rarely.
create table counter_changes (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  automation_id uuid not null,
  step_id uuid not null,
  at timestamptz not null,
  counter text not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 1000000);

create function count_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (new.workspace_id, coalesce(new.automation_id, new.campaign_id), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), new.status, 1);
  elsif tg_op = 'DELETE' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), old.status, -1);
  else
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), old.status, -1),
      (new.workspace_id, coalesce(new.automation_id, new.campaign_id), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), new.status, 1);
  end if;
  return null;
end $$;
create trigger counter_written after insert or delete on messages for each row execute function count_messages();
create trigger counter_changed after update of status, variant on messages
  for each row when (old.status is distinct from new.status or old.variant is distinct from new.variant)
  execute function count_messages();

create function count_visits() returns trigger language plpgsql as $$
begin
  if old.opened_at is not null then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), 'OPENED', -1);
  end if;
  if old.clicked_at is not null then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), 'CLICKED', -1);
  end if;
  if tg_op = 'UPDATE' then
    if new.opened_at is not null then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (new.workspace_id, coalesce(new.automation_id, new.campaign_id), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), 'OPENED', 1);
    end if;
    if new.clicked_at is not null then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (new.workspace_id, coalesce(new.automation_id, new.campaign_id), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), 'CLICKED', 1);
    end if;
  end if;
  return null;
end $$;
create trigger counter_visited after update of opened_at, clicked_at on messages
  for each row when ((old.opened_at is null) <> (new.opened_at is null) or (old.clicked_at is null) <> (new.clicked_at is null))
  execute function count_visits();
create trigger counter_unvisited after delete on messages
  for each row when (old.opened_at is not null or old.clicked_at is not null) execute function count_visits();

create function count_next_wakes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (new.workspace_id, new.automation_id, new.email_id, date_bin('15 minutes', new.wakes_at, timestamptz 'epoch'), 'WAITING', 1);
  elsif tg_op = 'DELETE' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, old.automation_id, old.email_id, date_bin('15 minutes', old.wakes_at, timestamptz 'epoch'), 'WAITING', -1);
  else
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, old.automation_id, old.email_id, date_bin('15 minutes', old.wakes_at, timestamptz 'epoch'), 'WAITING', -1),
      (new.workspace_id, new.automation_id, new.email_id, date_bin('15 minutes', new.wakes_at, timestamptz 'epoch'), 'WAITING', 1);
  end if;
  return null;
end $$;
create trigger counter_written after insert or delete on next_wakes for each row execute function count_next_wakes();
create trigger counter_changed after update on next_wakes for each row execute function count_next_wakes();

create function count_enrollments() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (new.workspace_id, new.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', new.enrolled_at, timestamptz 'epoch'), new.status, 1);
    if new.paused then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (new.workspace_id, new.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', new.enrolled_at, timestamptz 'epoch'), 'PAUSED', 1);
    end if;
  elsif tg_op = 'DELETE' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, old.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', old.enrolled_at, timestamptz 'epoch'), old.status, -1);
    if old.paused then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (old.workspace_id, old.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', old.enrolled_at, timestamptz 'epoch'), 'PAUSED', -1);
    end if;
  else
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, old.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', old.enrolled_at, timestamptz 'epoch'), old.status, -1),
      (new.workspace_id, new.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', new.enrolled_at, timestamptz 'epoch'), new.status, 1);
    if old.paused then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (old.workspace_id, old.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', old.enrolled_at, timestamptz 'epoch'), 'PAUSED', -1);
    end if;
    if new.paused then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (new.workspace_id, new.automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', new.enrolled_at, timestamptz 'epoch'), 'PAUSED', 1);
    end if;
  end if;
  return null;
end $$;
create trigger counter_written after insert or delete on enrollments for each row execute function count_enrollments();
create trigger counter_changed after update of status, paused on enrollments
  for each row when (old.status is distinct from new.status or old.paused is distinct from new.paused)
  execute function count_enrollments();

-- Writes the statistics again from messages and enrollments, after a restore.
create function rebuild_counters() returns void language plpgsql as $$
begin
  delete from next_wakes;
  delete from counter_changes;
  delete from step_counters;
  delete from flow_counters;
  perform ensure_step_offsets(automation_id, version) from enrollments where status = 'ACTIVE' group by automation_id, version;
  insert into next_wakes (enrollment_id, workspace_id, automation_id, version, email_id, wakes_at)
  select enrollment.id, enrollment.workspace_id, enrollment.automation_id, enrollment.version, at.email_id, at.since + at.wait
  from enrollments enrollment
  cross join lateral (
    select place.email_id, place.wait, since from (
      select enrollment.enrolled_at as since, '00000000-0000-0000-0000-000000000000'::uuid as step_id
      union all
      select final_at, step_id from messages where enrollment_id = enrollment.id and final_at is not null
    ) passed
    join step_offsets place on place.automation_id = enrollment.automation_id and place.version = enrollment.version
      and place.step_id = passed.step_id
    order by place.place desc limit 1
  ) at
  where enrollment.status = 'ACTIVE';
  delete from counter_changes;
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
  select workspace_id, coalesce(message.automation_id, message.campaign_id),
    coalesce(message.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(message.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid),
    date_bin('15 minutes', created_at, timestamptz 'epoch'), state.name, count(*)
    from messages message
    cross join lateral (values
      (message.status, true), ('OPENED', message.opened_at is not null), ('CLICKED', message.clicked_at is not null)
    ) state (name, applies)
    where state.applies group by 1, 2, 3, 4, 5
  union all
  select workspace_id, automation_id, email_id, date_bin('15 minutes', wakes_at, timestamptz 'epoch'), 'WAITING', count(*) from next_wakes group by 1, 2, 3, 4
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', enrolled_at, timestamptz 'epoch'), status, count(*) from enrollments group by 1, 2, 4, 5
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', enrolled_at, timestamptz 'epoch'), 'PAUSED', count(*) from enrollments where paused
    group by 1, 2, 4;
end $$;
