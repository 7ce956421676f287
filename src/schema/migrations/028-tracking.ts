import { Migration } from '@mikro-orm/migrations'

const NONE = `'00000000-0000-0000-0000-000000000000'::uuid`
const quarter = (at: string) => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`
const subjectOf = (row: string) => `coalesce(${row}.automation_id, ${row}.campaign_id)`
const stepOf = (row: string) => `coalesce(${row}.step_id, ${NONE})`

/** Which emails were opened, and which links of them followed, and by whom as far as that can be told. */
export class Migration028Tracking extends Migration {
  override name = '028-tracking'

  override up(): void {
    this.addSql(`
      alter table senders
        add column track_opens boolean not null default false,
        add column track_clicks boolean not null default false`)
    // When a person has first done so.
    this.addSql('alter table messages add column opened_at timestamptz, add column clicked_at timestamptz')
    this.addSql(`
      create table message_visits (
        message_id uuid not null references messages on delete cascade,
        kind text not null check (kind in ('OPEN', 'CLICK')),
        -- Where the link leads; of an opening, nowhere.
        url text not null,
        -- How many links its email has.
        links integer not null,
        -- When it was visited by whom it is said to be of.
        at timestamptz not null,
        visits integer not null default 1,
        visitor text not null check (visitor in ('UNDECIDED', 'PERSON', 'MACHINE', 'EARLY', 'BURST')),
        primary key (message_id, kind, url)
      )`)
    this.addSql(`create index message_visits_undecided on message_visits (at) where visitor = 'UNDECIDED'`)
    this.visits()
    this.figures()
  }

  /** A message is opened, or clicked, as long as a person is said to have done so. */
  private visits(): void {
    const first = (kind: string) =>
      `(select min(at) from message_visits where message_id = new.message_id and kind = '${kind}' and visitor = 'PERSON')`
    this.addSql(`
      create function visitor_decided() returns trigger language plpgsql as $$
      begin
        if new.kind = 'OPEN' then
          update messages set opened_at = ${first('OPEN')} where id = new.message_id;
        else
          update messages set clicked_at = ${first('CLICK')} where id = new.message_id;
        end if;
        return null;
      end $$`)
    this.addSql(`
      create trigger visitor_decided after update of visitor on message_visits
      for each row when ((old.visitor = 'PERSON') <> (new.visitor = 'PERSON')) execute function visitor_decided()`)
  }

  private figures(): void {
    const change = (name: string, by: number) =>
      ['OPENED', 'CLICKED']
        .map(
          (figure) => `
          if ${name}.${figure.toLowerCase()}_at is not null then
            insert into figure_changes (workspace_id, automation_id, step_id, at, figure, change) values
              (${name}.workspace_id, ${subjectOf(name)}, ${stepOf(name)}, ${quarter(`${name}.created_at`)}, '${figure}', ${by});
          end if;`,
        )
        .join('')
    this.addSql(`
      create function figure_visits() returns trigger language plpgsql as $$
      begin
        ${change('old', -1)}
        if tg_op = 'UPDATE' then
          ${change('new', 1)}
        end if;
        return null;
      end $$`)
    this.addSql(`
      create trigger figure_visited after update of opened_at, clicked_at on messages
      for each row when ((old.opened_at is null) <> (new.opened_at is null) or (old.clicked_at is null) <> (new.clicked_at is null))
      execute function figure_visits()`)
    this.addSql(`
      create trigger figure_unvisited after delete on messages
      for each row when (old.opened_at is not null or old.clicked_at is not null) execute function figure_visits()`)
    this.addSql(`create or replace function rebuild_figures() returns void language plpgsql as $$
    begin
      delete from next_wakes;
      delete from figure_changes;
      delete from step_figures;
      delete from flow_figures;
      perform know_places(automation_id, version) from enrollments where status = 'ACTIVE' group by automation_id, version;
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
      select workspace_id, ${subjectOf('message')}, ${stepOf('message')}, ${quarter('created_at')}, status, count(*)
        from messages message group by 1, 2, 3, 4, 5
      union all
      select workspace_id, ${subjectOf('message')}, ${stepOf('message')}, ${quarter('created_at')}, 'OPENED', count(*)
        from messages message where opened_at is not null group by 1, 2, 3, 4
      union all
      select workspace_id, ${subjectOf('message')}, ${stepOf('message')}, ${quarter('created_at')}, 'CLICKED', count(*)
        from messages message where clicked_at is not null group by 1, 2, 3, 4
      union all
      select workspace_id, automation_id, email_id, ${quarter('wakes_at')}, 'WAITING', count(*) from next_wakes group by 1, 2, 3, 4
      union all
      select workspace_id, automation_id, ${NONE}, ${quarter('enrolled_at')}, status, count(*) from enrollments group by 1, 2, 4, 5
      union all
      select workspace_id, automation_id, ${NONE}, ${quarter('enrolled_at')}, 'HELD', count(*) from enrollments where held
        group by 1, 2, 4;
    end $$`)
  }
}
