import { Migration } from '@mikro-orm/migrations'

/**
 * What an enrollment was begun by, as its automation's trigger said then: the trigger may be another one before the sequence is over, and
 * whoever leaves the list that began it is to get no more. `null` of those that are over, and of what an older process writes meanwhile:
 * what their automation's trigger says.
 */
export class Migration040BegunBy extends Migration {
  override name = '040-begun-by'

  override up(): void {
    this.addSql('alter table enrollments add column trigger text, add column trigger_key text')
    this.addSql(`
      update enrollments set trigger = automation.trigger, trigger_key = automation.trigger_key
      from automations automation where automation.id = enrollments.automation_id and enrollments.status = 'ACTIVE'`)
  }
}
