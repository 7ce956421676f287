import { Migration } from '@mikro-orm/migrations'

/** What is to be tried again of an automation that sends again is made due in pages: it can be half a million. */
export class Migration012WakeRetries extends Migration {
  override name = '012-wake-retries'

  override up(): void {
    this.addSql('create index messages_to_retry_of on messages (automation_id, id) where retry_at is not null')
    this.addSql('alter table outbox drop constraint outbox_kind_check')
    this.addSql(
      `alter table outbox add constraint outbox_kind_check check (kind in
         ('START', 'WAKE', 'CANCEL', 'END', 'RETRY', 'WAKE_HELD', 'WAKE_RETRIES', 'TEAR_DOWN', 'ERASE', 'RECONCILE',
          'REDELIVER'))`,
    )
  }
}
