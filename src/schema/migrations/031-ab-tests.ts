import { Migration } from '@mikro-orm/migrations'

const NONE = `'00000000-0000-0000-0000-000000000000'::uuid`
const quarter = (at: string) => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`
const subjectOf = (row: string) => `coalesce(${row}.automation_id, ${row}.campaign_id)`
/** Of a campaign, the variant that is sent. */
const stepOf = (row: string) =>
  `coalesce(${row}.step_id, ('00000000-0000-0000-0000-' || lpad(to_hex(${row}.variant + 1), 12, '0'))::uuid, ${NONE})`

/** Campaigns that say it in several ways to some, and in the best one to the rest. */
export class Migration031AbTests extends Migration {
  override name = '031-ab-tests'

  override up(): void {
    this.addSql(`
      alter table campaigns
        add column ab_test jsonb,
        add column decides_at timestamptz,
        add column winner smallint`)
    // Which way it is said in: 0 is the campaign's own. Whoever waits for the best one has none yet.
    this.addSql('alter table messages add column variant smallint')
    this.figures()
  }

  /** As 028 has them, of each variant. */
  private figures(): void {
    const row = (name: string, change: number) =>
      `(${name}.workspace_id, ${subjectOf(name)}, ${stepOf(name)}, ${quarter(`${name}.created_at`)}, ${name}.status, ${change})`
    const write = (...rows: string[]) =>
      `insert into figure_changes (workspace_id, automation_id, step_id, at, figure, change) values ${rows.join()};`
    this.addSql(`
      create or replace function figure_messages() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          ${write(row('new', 1))}
        elsif tg_op = 'DELETE' then
          ${write(row('old', -1))}
        else
          ${write(row('old', -1), row('new', 1))}
        end if;
        return null;
      end $$`)
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
      create or replace function figure_visits() returns trigger language plpgsql as $$
      begin
        ${change('old', -1)}
        if tg_op = 'UPDATE' then
          ${change('new', 1)}
        end if;
        return null;
      end $$`)
    this.addSql('drop trigger figure_changed on messages')
    this.addSql(`
      create trigger figure_changed after update of status, variant on messages
      for each row when (old.status is distinct from new.status or old.variant is distinct from new.variant)
      execute function figure_messages()`)
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
