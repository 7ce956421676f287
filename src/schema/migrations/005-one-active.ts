import { Migration } from '@mikro-orm/migrations'

/**
 * A contact is in an automation once: two statements that look whether somebody is in do not see what the other one writes.
 * Where two are in already, the later one stays; the other's workflow ends when it next asks the ledger.
 */
export class Migration005OneActive extends Migration {
  override name = '005-one-active'

  override up(): void {
    this.addSql(
      `update enrollments older set status = 'CANCELLED', held = false, ended_at = now()
       from enrollments newer
       where older.status = 'ACTIVE' and newer.status = 'ACTIVE'
         and newer.automation_id = older.automation_id and newer.contact_id = older.contact_id
         and (newer.recorded_at, newer.id) > (older.recorded_at, older.id)`,
    )
    this.addSql(
      `create unique index enrollments_one_active on enrollments (automation_id, contact_id) where status = 'ACTIVE'`,
    )
  }
}
