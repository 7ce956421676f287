import { Migration } from '@mikro-orm/migrations'

/**
 * The version with which an automation was ACTIVE last: whoever comes in gets that, and not what is being written meanwhile.
 */
export class Migration003ActiveVersion extends Migration {
  override name = '003-active-version'

  override up(): void {
    this.addSql('alter table automations add column if not exists active_version integer')
    this.addSql(`update automations set active_version = version where status = 'ACTIVE' and active_version is null`)
  }
}
