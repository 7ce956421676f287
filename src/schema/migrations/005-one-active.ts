import { Migration } from '@mikro-orm/migrations'

/**
 * A contact is in an automation once: two statements that look whether somebody is in do not see what the other one writes.
 * Where two are in already, the one stays that has come furthest, or was first; the other's workflow ends when it next asks the
 * ledger.
 */
export class Migration005OneActive extends Migration {
  override name = '005-one-active'

  override up(): void {
    this.addSql(
      `with several as (
         select automation_id, contact_id from enrollments where status = 'ACTIVE'
         group by automation_id, contact_id having count(*) > 1
       ),
       ranked as (
         select id, row_number() over (
           partition by automation_id, contact_id
           order by (select count(*) from messages where enrollment_id = enrollment.id) desc, recorded_at, id
         ) as place
         from enrollments enrollment join several using (automation_id, contact_id)
         where status = 'ACTIVE'
       )
       update enrollments set status = 'CANCELLED', held = false, ended_at = now()
       where id in (select id from ranked where place > 1)`,
    )
    this.addSql(
      `create unique index enrollments_one_active on enrollments (automation_id, contact_id) where status = 'ACTIVE'`,
    )
  }
}
