-- Statistics without counting: how many messages and enrollments are in which state, when enrollments continue, and how many
-- contacts passed which step.
-- Whoever changes an enrollment, a step or a refused entry counts it. Triggers count messages.
-- A change is a row in `counter_changes`, so that no transaction waits for another one. The relay adds the changes up (foldCounters).
--
-- '00000000-0000-0000-0000-000000000000' stands for no step: the start and the end of an automation, or a campaign without
-- variants. A variant's step is its number plus one.
-- Times are rounded to 15 minutes, because days begin on a quarter of an hour in every time zone.

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

-- Writes the statistics again from what they count, after a restore.
create function rebuild_counters() returns void language plpgsql as $$
begin
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
  select workspace_id, automation_id, coalesce(next_step_id, '00000000-0000-0000-0000-000000000000'::uuid),
    date_bin('15 minutes', wakes_at, timestamptz 'epoch'), 'WAITING', count(*) from enrollments where status = 'ACTIVE' group by 1, 2, 3, 4
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', enrolled_at, timestamptz 'epoch'), status, count(*) from enrollments group by 1, 2, 4, 5
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', enrolled_at, timestamptz 'epoch'), 'PAUSED', count(*) from enrollments where paused
    group by 1, 2, 4;
  insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
  select workspace_id, automation_id, step_id, date_bin('15 minutes', finished_at, timestamptz 'epoch'),
    rtrim('PASSED ' || coalesce(result ->> 'branch', '')), count(*)
  from step_runs where result ->> 'next' in ('go-on', 'wait') group by 1, 2, 3, 4, 5
  union all
  select workspace_id, automation_id, '00000000-0000-0000-0000-000000000000'::uuid, date_bin('15 minutes', created_at, timestamptz 'epoch'),
    'REFUSED ' || rule, count(*)
  from refused_entries group by 1, 2, 4, 5;
  perform rebuild_reports();
end $$;
