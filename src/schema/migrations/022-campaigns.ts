import { Migration } from '@mikro-orm/migrations'

const NONE = `'00000000-0000-0000-0000-000000000000'::uuid`
const quarter = (at: string) => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`

/** Of what a message is counted: its automation and step, or its campaign. */
const subjectOf = (row: string) => `coalesce(${row}.automation_id, ${row}.campaign_id)`
const stepOf = (row: string) => `coalesce(${row}.step_id, ${NONE})`

/** One email to many, in the same ledger as those of sequences. */
export class Migration022Campaigns extends Migration {
  override name = '022-campaigns'

  override up(): void {
    this.addSql(`
      create table campaigns (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        status text not null default 'DRAFT'
          check (status in ('DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED')),
        category text not null default 'marketing' check (category in ('marketing', 'transactional')),
        template_id uuid,
        template_version integer,
        -- What it says itself, as it was written; and what is rendered, by language.
        source jsonb,
        compiled jsonb,
        audience jsonb not null default '{}',
        throttle_per_hour integer,
        -- When it begins; and the time on the clock on recipients' walls, where it is that.
        scheduled_at timestamptz,
        local_time text,
        fallback_time_zone text,
        -- How far the contacts of the workspace are gone through, up to those that there were when it began.
        cursor bigint not null default 0,
        last_place bigint,
        walked boolean not null default false,
        recipient_count bigint not null default 0,
        -- Not before then, for the rate that it keeps.
        next_at timestamptz,
        -- What it was before it was paused.
        paused_from text,
        revision integer not null default 1,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz
      )`)
    this.addSql('create index campaigns_newest on campaigns (workspace_id, created_at desc, id desc)')
    this.addSql(`create index campaigns_under_way on campaigns (id) where status in ('SCHEDULED', 'SENDING', 'PAUSED')`)

    for (const column of ['automation_id', 'enrollment_id', 'step_id', 'visit'])
      this.addSql(`alter table messages alter column ${column} drop not null`)
    this.addSql('alter table messages add column campaign_id uuid')
    // When it is to be tried, of a campaign's.
    this.addSql('alter table messages add column due_at timestamptz')
    this.addSql('alter table messages drop constraint messages_status_check')
    this.addSql(`
      alter table messages add constraint messages_status_check check (status in
        ('QUEUED', 'SENDING', 'DEFERRED', 'SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'DISMISSED', 'SUPPRESSED')) not valid`)
    this.addSql('alter table messages validate constraint messages_status_check')
    this.addSql(`
      alter table messages add constraint messages_of_one check (
        case when campaign_id is null
          then automation_id is not null and enrollment_id is not null and step_id is not null and visit is not null
          else automation_id is null and enrollment_id is null and step_id is null and visit is null and due_at is not null
        end) not valid`)
    this.addSql('alter table messages validate constraint messages_of_one')
    // Each person once, whoever comes to the page of recipients a second time.
    this.addSql(`
      create unique index messages_once_a_campaign on messages (campaign_id, contact_id) where campaign_id is not null`)
    this.addSql(`
      create index messages_queue on messages (campaign_id, due_at, id)
      where campaign_id is not null and status in ('QUEUED', 'DEFERRED')`)
    this.addSql(`
      create index messages_of_campaign on messages (campaign_id, status, created_at desc, id desc)
      where campaign_id is not null`)
    this.addSql(`
      create index messages_sending_of_campaign on messages (campaign_id)
      where campaign_id is not null and status = 'SENDING'`)

    this.addSql('alter table outbox add column campaign_id uuid')
    this.addSql('alter table outbox drop constraint outbox_kind_check')
    this.addSql(
      `alter table outbox add constraint outbox_kind_check check (kind in
         ('START', 'WAKE', 'CANCEL', 'END', 'RETRY', 'CAMPAIGN', 'WAKE_HELD', 'WAKE_RETRIES', 'TEAR_DOWN', 'ERASE',
          'RECONCILE', 'REDELIVER'))`,
    )
    this.figures()
  }

  /** As 016 has them, of campaigns as well. */
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
      select workspace_id, automation_id, email_id, ${quarter('wakes_at')}, 'WAITING', count(*) from next_wakes group by 1, 2, 3, 4
      union all
      select workspace_id, automation_id, ${NONE}, ${quarter('enrolled_at')}, status, count(*) from enrollments group by 1, 2, 4, 5
      union all
      select workspace_id, automation_id, ${NONE}, ${quarter('enrolled_at')}, 'HELD', count(*) from enrollments where held
        group by 1, 2, 4;
    end $$`)
  }
}
