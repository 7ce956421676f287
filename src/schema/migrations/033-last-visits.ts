import { Migration } from '@mikro-orm/migrations'

/** A link that was followed before is part of a burst, too. */
export class Migration033LastVisits extends Migration {
  override name = '033-last-visits'

  override up(): void {
    this.addSql('alter table message_visits add column last_at timestamptz')
    this.addSql('update message_visits set last_at = at')
    this.addSql('alter table message_visits alter column last_at set not null, alter column last_at set default now()')
  }
}
