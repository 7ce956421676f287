-- Statistics without counting: when each enrollment continues, how many messages and enrollments are in which state, and how many
-- contacts passed which step.
-- Triggers keep them, because messages and enrollments are written in many places, and a forgotten change would be wrong forever.
-- A change is a row in `counter_changes`, so that no transaction waits for another one. The relay adds the changes up (foldStats).
--
-- '00000000-0000-0000-0000-000000000000' stands for no step: the start and the end of an automation, or a campaign without
-- variants. A variant's step is its number plus one.
-- Times are rounded to 15 minutes, because days begin on a quarter of an hour in every time zone.

-- What follows each step of a version: the next step that is not a WAIT, and how long to wait for it. A step with branches has
-- a row for each branch; the others have one without a name. Written when a contact enters the version, so that reading 500 steps
-- is not needed per enrollment.
create table step_offsets (
  automation_id uuid not null,
  version integer not null,
  step_id uuid not null,
  branch text not null,
  place integer not null,
  next_id uuid not null,
  wait interval not null,
  primary key (automation_id, version, step_id, branch),
  foreign key (automation_id, version) references automation_versions (automation_id, version) on delete cascade
);

create function ensure_step_offsets(of_automation uuid, of_version integer) returns void language plpgsql as $$
begin
  if exists (
    select from step_offsets where automation_id = of_automation and version = of_version and step_id = '00000000-0000-0000-0000-000000000000'::uuid
  ) then
    return;
  end if;
  insert into step_offsets (automation_id, version, step_id, branch, place, next_id, wait)
  with recursive steps as (
    select place, step ->> 'id' as id, step ->> 'type' as type, step -> 'branchStarts' as branch_starts,
      case when step ? 'next' then step ->> 'next' else lead(step ->> 'id') over (order by place) end as next_id,
      case when step ->> 'type' = 'WAIT' then make_interval(secs => (step ->> 'delayMinutes')::float8 * 60) end as wait
    from automation_versions, jsonb_array_elements(steps) with ordinality as each_step(step, place)
    where automation_id = of_automation and version = of_version
  ),
  passed as (
    select '00000000-0000-0000-0000-000000000000' as id, '' as branch, 0::bigint as place, (select id from steps where place = 1) as next_id
    union all
    select id, '', place, next_id from steps where type <> 'WAIT'
    union all
    select id, key, place, value from steps, jsonb_each_text(branch_starts)
  ),
  walk as (
    select id, branch, place, next_id, interval '0' as waited from passed
    union all
    select walk.id, walk.branch, walk.place, steps.next_id, walk.waited + steps.wait
    from walk join steps on steps.id = walk.next_id and steps.type = 'WAIT'
  )
  select of_automation, of_version, id::uuid, branch, place, coalesce(next_id, '00000000-0000-0000-0000-000000000000')::uuid, waited
  from walk
  where not exists (select from steps where steps.id = walk.next_id and steps.type = 'WAIT')
  on conflict do nothing;
end $$;

-- When each active enrollment continues, counted from the last step that is not a WAIT.
create table next_wakes (
  enrollment_id uuid primary key references enrollments on delete cascade,
  workspace_id uuid not null,
  automation_id uuid not null,
  version integer not null,
  -- The next step that is not a WAIT; no step if the automation ends next.
  step_id uuid not null,
  wakes_at timestamptz not null
);
create index next_wakes_of_step on next_wakes (automation_id, step_id, wakes_at, enrollment_id);
create index next_wakes_of_workspace on next_wakes (workspace_id, wakes_at, enrollment_id);

create function wake_enrollment() returns trigger language plpgsql as $$
begin
  if new.status <> 'ACTIVE' then
    delete from next_wakes where enrollment_id = new.id;
    return null;
  end if;
  perform ensure_step_offsets(new.automation_id, new.version);
  insert into next_wakes (enrollment_id, workspace_id, automation_id, version, step_id, wakes_at)
  select new.id, new.workspace_id, new.automation_id, new.version, next_id, new.enrolled_at + wait
  from step_offsets
  where automation_id = new.automation_id and version = new.version and step_id = '00000000-0000-0000-0000-000000000000'::uuid;
  return null;
end $$;
create trigger wake_inserted after insert on enrollments
  for each row when (new.status = 'ACTIVE') execute function wake_enrollment();
create trigger wake_ended after update of status on enrollments
  for each row when (old.status = 'ACTIVE' and new.status <> 'ACTIVE') execute function wake_enrollment();

-- Skips a locked row, because its owner ends the enrollment: waiting for it could deadlock.
create function pass_step(of_enrollment uuid, passed_id uuid, taken text, at timestamptz) returns void language sql as $$
  update next_wakes wake set step_id = following.next_id, wakes_at = at + following.wait
  from (
    select waiting.enrollment_id, place.next_id, place.wait
    from next_wakes waiting
    join step_offsets place on place.automation_id = waiting.automation_id and place.version = waiting.version
      and place.step_id = passed_id and place.branch = taken
    where waiting.enrollment_id = of_enrollment
    for update of waiting skip locked
  ) following
  where wake.enrollment_id = following.enrollment_id
$$;

-- Only for automations: looking for an enrollment would cost a sixth of a millisecond for each message of a campaign.
create function wake_after_message() returns trigger language plpgsql as $$
begin
  perform pass_step(new.enrollment_id, new.step_id, '', new.final_at);
  return null;
end $$;
create trigger wake_inserted after insert on messages
  for each row when (new.enrollment_id is not null and new.final_at is not null) execute function wake_after_message();
create trigger wake_settled after update of final_at on messages
  for each row when (new.enrollment_id is not null and old.final_at is null and new.final_at is not null)
  execute function wake_after_message();

-- When the enrollment continues after a step: its result may name a time, in milliseconds since 1970.
create function passed_at(run step_runs) returns timestamptz language sql immutable as $$
  select coalesce(to_timestamp(coalesce(run.result ->> 'until', run.result ->> 'at')::float8 / 1000), run.finished_at)
$$;

create function wake_after_run() returns trigger language plpgsql as $$
begin
  if new.finished_at is null then
    update next_wakes set wakes_at = new.until
    where enrollment_id = (select enrollment_id from next_wakes where enrollment_id = new.enrollment_id for update skip locked);
  else
    perform pass_step(new.enrollment_id, new.step_id, coalesce(new.result ->> 'branch', ''), passed_at(new));
  end if;
  return null;
end $$;
create trigger wake_inserted after insert on step_runs
  for each row when (new.finished_at is not null or new.until is not null) execute function wake_after_run();
create trigger wake_changed after update of finished_at, until on step_runs
  for each row when (old.finished_at is null and (new.finished_at is not null or new.until is distinct from old.until and new.until is not null))
  execute function wake_after_run();

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
      (new.workspace_id, coalesce(new.automation_id, new.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), new.status, 1);
  elsif tg_op = 'DELETE' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), old.status, -1);
  else
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), old.status, -1),
      (new.workspace_id, coalesce(new.automation_id, new.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), new.status, 1);
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
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), 'OPENED', -1);
  end if;
  if old.clicked_at is not null then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, coalesce(old.automation_id, old.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(old.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(old.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', old.created_at, timestamptz 'epoch'), 'CLICKED', -1);
  end if;
  if tg_op = 'UPDATE' then
    if new.opened_at is not null then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (new.workspace_id, coalesce(new.automation_id, new.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), 'OPENED', 1);
    end if;
    if new.clicked_at is not null then
      insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
        (new.workspace_id, coalesce(new.automation_id, new.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(new.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(new.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid), date_bin('15 minutes', new.created_at, timestamptz 'epoch'), 'CLICKED', 1);
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
      (new.workspace_id, new.automation_id, new.step_id, date_bin('15 minutes', new.wakes_at, timestamptz 'epoch'), 'WAITING', 1);
  elsif tg_op = 'DELETE' then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, old.automation_id, old.step_id, date_bin('15 minutes', old.wakes_at, timestamptz 'epoch'), 'WAITING', -1);
  else
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (old.workspace_id, old.automation_id, old.step_id, date_bin('15 minutes', old.wakes_at, timestamptz 'epoch'), 'WAITING', -1),
      (new.workspace_id, new.automation_id, new.step_id, date_bin('15 minutes', new.wakes_at, timestamptz 'epoch'), 'WAITING', 1);
  end if;
  return null;
end $$;
create trigger counter_written after insert or delete on next_wakes for each row execute function count_next_wakes();
create trigger counter_changed after update on next_wakes for each row execute function count_next_wakes();

-- How many contacts passed a step that is not an email, and by which branch: 'PASSED', or 'PASSED else'.
create function passed_counter(run step_runs) returns text language sql immutable as $$
  select case when run.result ->> 'next' in ('go-on', 'wait') then rtrim('PASSED ' || coalesce(run.result ->> 'branch', '')) end
$$;

create function count_passed() returns trigger language plpgsql as $$
declare
  run step_runs := case when tg_op = 'DELETE' then old else new end;
begin
  if passed_counter(run) is not null then
    insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
      (run.workspace_id, run.automation_id, run.step_id, date_bin('15 minutes', run.finished_at, timestamptz 'epoch'), passed_counter(run),
        case when tg_op = 'DELETE' then -1 else 1 end);
  end if;
  return null;
end $$;
create trigger counter_written after insert on step_runs
  for each row when (new.finished_at is not null) execute function count_passed();
create trigger counter_changed after update of finished_at on step_runs
  for each row when (old.finished_at is null and new.finished_at is not null) execute function count_passed();
create trigger counter_deleted after delete on step_runs
  for each row when (old.finished_at is not null) execute function count_passed();

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

-- Entries that a rule refused: 'REFUSED FILTER'.
create function count_refused() returns trigger language plpgsql as $$
declare
  entry refused_entries := case when tg_op = 'DELETE' then old else new end;
begin
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change) values
    (entry.workspace_id, entry.automation_id, '00000000-0000-0000-0000-000000000000'::uuid,
      date_bin('15 minutes', entry.created_at, timestamptz 'epoch'), 'REFUSED ' || entry.rule, case when tg_op = 'DELETE' then -1 else 1 end);
  return null;
end $$;
create trigger counter_written after insert or delete on refused_entries for each row execute function count_refused();

create function rebuild_next_wakes() returns void language plpgsql as $$
begin
  delete from next_wakes;
  perform ensure_step_offsets(automation_id, version) from enrollments where status = 'ACTIVE' group by automation_id, version;
  insert into next_wakes (enrollment_id, workspace_id, automation_id, version, step_id, wakes_at)
  select enrollment.id, enrollment.workspace_id, enrollment.automation_id, enrollment.version, at.next_id,
    coalesce((
      select until from step_runs where enrollment_id = enrollment.id and step_id = at.next_id and finished_at is null
    ), at.since + at.wait)
  from enrollments enrollment
  cross join lateral (
    select place.next_id, place.wait, since from (
      select enrollment.enrolled_at as since, '00000000-0000-0000-0000-000000000000'::uuid as step_id, '' as branch
      union all
      select final_at, step_id, '' from messages where enrollment_id = enrollment.id and final_at is not null
      union all
      select passed_at(run), step_id, coalesce(run.result ->> 'branch', '')
      from step_runs run where enrollment_id = enrollment.id and finished_at is not null
    ) passed
    join step_offsets place on place.automation_id = enrollment.automation_id and place.version = enrollment.version
      and place.step_id = passed.step_id and place.branch = passed.branch
    order by place.place desc limit 1
  ) at
  where enrollment.status = 'ACTIVE';
end $$;

-- Writes the statistics again from what they count, after a restore.
create function rebuild_counters() returns void language plpgsql as $$
begin
  perform rebuild_next_wakes();
  delete from counter_changes;
  delete from step_counters;
  delete from flow_counters;
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
  select workspace_id, coalesce(message.automation_id, message.campaign_id, '00000000-0000-0000-0000-000000000000'::uuid),
    coalesce(message.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(message.variant + 1), 12, '0'))::uuid, '00000000-0000-0000-0000-000000000000'::uuid),
    date_bin('15 minutes', created_at, timestamptz 'epoch'), state.name, count(*)
    from messages message
    cross join lateral (values
      (message.status, true), ('OPENED', message.opened_at is not null), ('CLICKED', message.clicked_at is not null)
    ) state (name, applies)
    where state.applies group by 1, 2, 3, 4, 5
  union all
  select workspace_id, automation_id, step_id, date_bin('15 minutes', wakes_at, timestamptz 'epoch'), 'WAITING', count(*) from next_wakes group by 1, 2, 3, 4
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', enrolled_at, timestamptz 'epoch'), status, count(*) from enrollments group by 1, 2, 4, 5
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', enrolled_at, timestamptz 'epoch'), 'PAUSED', count(*) from enrollments where paused
    group by 1, 2, 4;
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
  select workspace_id, automation_id, step_id, date_bin('15 minutes', finished_at, timestamptz 'epoch'), passed_counter(run), count(*)
  from step_runs run where passed_counter(run) is not null group by 1, 2, 3, 4, 5
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', created_at, timestamptz 'epoch'),
    'REFUSED ' || rule, count(*)
  from refused_entries group by 1, 2, 4, 5;
  perform rebuild_reports();
end $$;
