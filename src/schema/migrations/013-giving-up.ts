import { Migration } from '@mikro-orm/migrations'

/** What was being sent when a backup was made is given up in pages, behind the hold: as long as that is not done, it is known. */
export class Migration013GivingUp extends Migration {
  override name = '013-giving-up'

  override up(): void {
    this.addSql('alter table installation add column giving_up boolean not null default false')
  }
}
