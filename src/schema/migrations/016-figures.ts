import { Migration } from '@mikro-orm/migrations'

/** The step of whoever has none before them: an enrollment's entry, and its end. */
const NONE = `'00000000-0000-0000-0000-000000000000'::uuid`

/** Quarters of an hour begin days in every time zone that there is. */
const quarter = (at: string) => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`

/**
 * When each enrollment goes on, and how many there are of what, without counting. Triggers write both, because rows of the ledger
 * are written in many places, and whatever is forgotten in one of them would be missing for ever. A change is a row that nobody
 * waits for: `foldFigures` adds them up.
 */
export class Migration016Figures extends Migration {
  override name = '016-figures'

  override up(): void {
    this.wakes()
    this.figures()
    this.addSql(`create function rebuild_figures() returns void language plpgsql as $$
    begin
      delete from next_wakes;
      delete from figure_changes;
      delete from step_figures;
      delete from flow_figures;
      perform know_places(automation_id, version) from enrollments where status = 'ACTIVE' group by automation_id, version;
      -- As the triggers have it: behind the last email that is settled.
      insert into next_wakes (enrollment_id, workspace_id, automation_id, version, email_id, wakes_at)
      select enrollment.id, enrollment.workspace_id, enrollment.automation_id, enrollment.version, at.email_id, at.since + at.wait
      from enrollments enrollment
      cross join lateral (
        select place.email_id, place.wait, since from (
          select enrollment.enrolled_at as since, ${NONE} as step_id
          union all
          select settled_at, step_id from messages where enrollment_id = enrollment.id and settled_at is not null
        ) passed
        join step_places place on place.automation_id = enrollment.automation_id and place.version = enrollment.version
          and place.step_id = passed.step_id
        order by place.place desc limit 1
      ) at
      where enrollment.status = 'ACTIVE';
      delete from figure_changes;
      insert into figure_changes (workspace_id, automation_id, step_id, at, figure, change)
      select workspace_id, automation_id, step_id, ${quarter('created_at')}, status, count(*) from messages group by 1, 2, 3, 4, 5
      union all
      select workspace_id, automation_id, email_id, ${quarter('wakes_at')}, 'WAITING', count(*) from next_wakes group by 1, 2, 3, 4
      union all
      select workspace_id, automation_id, ${NONE}, ${quarter('enrolled_at')}, status, count(*) from enrollments group by 1, 2, 4, 5
      union all
      select workspace_id, automation_id, ${NONE}, ${quarter('enrolled_at')}, 'HELD', count(*) from enrollments where held
        group by 1, 2, 4;
    end $$`)
    this.addSql(`select rebuild_figures()`)
  }

  /** Where everybody is who is in, as the ledger proves it: behind the last email that is settled, and when the next one is due. */
  private wakes(): void {
    // What is behind each email of a version, so that nobody reads five hundred steps for that. Written when somebody enters it.
    this.addSql(`
      create table step_places (
        automation_id uuid not null,
        version integer not null,
        step_id uuid not null,
        place integer not null,
        email_id uuid not null,
        wait interval not null,
        primary key (automation_id, version, step_id),
        foreign key (automation_id, version) references automation_versions (automation_id, version) on delete cascade
      )`)
    this.addSql(`
      create function know_places(of_automation uuid, of_version integer) returns void language plpgsql as $$
      begin
        if exists (
          select from step_places where automation_id = of_automation and version = of_version and step_id = ${NONE}
        ) then
          return;
        end if;
        insert into step_places (automation_id, version, step_id, place, email_id, wait)
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
          select count(*) + 1, ${NONE}, coalesce(sum(wait), interval '0') from steps
        ),
        passed as (
          select 0::bigint as place, ${NONE} as id, interval '0' as waited
          union all
          select place, id, waited from waited where type = 'EMAIL'
        )
        select of_automation, of_version, passed.id, passed.place, stop.id, stop.waited - passed.waited
        from (
          select *, lead(place) over (order by place) as next_place from passed
        ) passed
        join stops stop on stop.place = coalesce(passed.next_place, (select max(place) from stops))
        on conflict do nothing;
      end $$`)

    this.addSql(`
      create table next_wakes (
        enrollment_id uuid primary key references enrollments on delete cascade,
        workspace_id uuid not null,
        automation_id uuid not null,
        version integer not null,
        -- The email that is next; none where the end is.
        email_id uuid not null,
        wakes_at timestamptz not null
      )`)
    this.addSql(`create index next_wakes_of_step on next_wakes (automation_id, email_id, wakes_at, enrollment_id)`)
    this.addSql(`create index next_wakes_of_workspace on next_wakes (workspace_id, wakes_at, enrollment_id)`)

    this.addSql(`
      create function wake_enrollment() returns trigger language plpgsql as $$
      begin
        if new.status <> 'ACTIVE' then
          delete from next_wakes where enrollment_id = new.id;
          return null;
        end if;
        perform know_places(new.automation_id, new.version);
        insert into next_wakes (enrollment_id, workspace_id, automation_id, version, email_id, wakes_at)
        select new.id, new.workspace_id, new.automation_id, new.version, email_id, new.enrolled_at + wait
        from step_places
        where automation_id = new.automation_id and version = new.version and step_id = ${NONE};
        return null;
      end $$`)
    this.addSql(`
      create trigger wake_inserted after insert on enrollments
      for each row when (new.status = 'ACTIVE') execute function wake_enrollment()`)
    this.addSql(`
      create trigger wake_ended after update of status on enrollments
      for each row when (old.status = 'ACTIVE' and new.status <> 'ACTIVE') execute function wake_enrollment()`)
    // Whoever holds that row ends the enrollment: to wait for him could be to wait for each other.
    this.addSql(`
      create function wake_behind_message() returns trigger language plpgsql as $$
      begin
        update next_wakes wake set email_id = behind.email_id, wakes_at = new.settled_at + behind.wait
        from (
          select waiting.enrollment_id, place.email_id, place.wait
          from next_wakes waiting
          join step_places place on place.automation_id = waiting.automation_id and place.version = waiting.version
            and place.step_id = new.step_id
          where waiting.enrollment_id = new.enrollment_id
          for update of waiting skip locked
        ) behind
        where wake.enrollment_id = behind.enrollment_id;
        return null;
      end $$`)
    this.addSql(`
      create trigger wake_inserted after insert on messages
      for each row when (new.settled_at is not null) execute function wake_behind_message()`)
    this.addSql(`
      create trigger wake_settled after update of settled_at on messages
      for each row when (old.settled_at is null and new.settled_at is not null) execute function wake_behind_message()`)
  }

  private figures(): void {
    // It is emptied as fast as it fills: what is dead in it is to go soon.
    this.addSql(`
      create table figure_changes (
        id bigint generated always as identity primary key,
        workspace_id uuid not null,
        automation_id uuid not null,
        step_id uuid not null,
        at timestamptz not null,
        figure text not null,
        change integer not null
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 1000000)`)
    this.addSql(`
      create table step_figures (
        automation_id uuid not null,
        step_id uuid not null,
        figure text not null,
        count bigint not null,
        primary key (automation_id, step_id, figure)
      ) with (fillfactor = 50)`)
    this.addSql(`
      create table flow_figures (
        -- A workspace, by quarters of an hour; or an automation, by hours.
        subject uuid not null,
        figure text not null,
        at timestamptz not null,
        count bigint not null,
        primary key (subject, figure, at)
      ) with (fillfactor = 50)`)
    const changes: [table: string, figure: (row: string) => string, step: (row: string) => string, at: string][] = [
      ['messages', (row) => `${row}.status`, (row) => `${row}.step_id`, 'created_at'],
      ['next_wakes', () => `'WAITING'`, (row) => `${row}.email_id`, 'wakes_at'],
      ['enrollments', (row) => `${row}.status`, () => NONE, 'enrolled_at'],
    ]
    for (const [table, figure, step, at] of changes) {
      const row = (name: string, change: number, as = figure(name)) =>
        `(${name}.workspace_id, ${name}.automation_id, ${step(name)}, ${quarter(`${name}.${at}`)}, ${as}, ${change})`
      const write = (...rows: string[]) =>
        `insert into figure_changes (workspace_id, automation_id, step_id, at, figure, change) values ${rows.join()};`
      const held = (name: string, change: number) =>
        table === 'enrollments' ? `if ${name}.held then ${write(row(name, change, `'HELD'`))} end if;` : ''
      this.addSql(`
        create function figure_${table}() returns trigger language plpgsql as $$
        begin
          if tg_op = 'INSERT' then
            ${write(row('new', 1))} ${held('new', 1)}
          elsif tg_op = 'DELETE' then
            ${write(row('old', -1))} ${held('old', -1)}
          else
            ${write(row('old', -1), row('new', 1))} ${held('old', -1)} ${held('new', 1)}
          end if;
          return null;
        end $$`)
      this.addSql(`
        create trigger figure_written after insert or delete on ${table} for each row execute function figure_${table}()`)
    }
    this.addSql(`
      create trigger figure_changed after update of status on messages
      for each row when (old.status is distinct from new.status) execute function figure_messages()`)
    this.addSql(`
      create trigger figure_changed after update on next_wakes for each row execute function figure_next_wakes()`)
    this.addSql(`
      create trigger figure_changed after update of status, held on enrollments
      for each row when (old.status is distinct from new.status or old.held is distinct from new.held)
      execute function figure_enrollments()`)
  }
}
