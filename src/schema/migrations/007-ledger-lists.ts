import { Migration } from '@mikro-orm/migrations'

/** The ledger is listed by what became of its rows, newest first; an enrollment is ended by itself; and messages are tried again. */
export class Migration007LedgerLists extends Migration {
  override name = '007-ledger-lists'

  override up(): void {
    this.addSql(`create index messages_of_workspace on messages (workspace_id, status, created_at desc, id desc)`)
    this.addSql(`create index messages_of_automation on messages (automation_id, status, created_at desc, id desc)`)
    // That one begins as this did.
    this.addSql(`drop index messages_sending`)
    this.addSql(`create index enrollments_newest on enrollments (automation_id, status, enrolled_at desc, id desc)`)
    // Since when a message is to be tried again because somebody asked for it; null where nobody did.
    this.addSql(`alter table messages add column retry_at timestamptz`)
    this.addSql(`create index messages_to_retry on messages (retry_at) where retry_at is not null`)
    this.addSql(`alter table outbox add column message_id uuid`)
    this.addSql(`alter table outbox drop constraint outbox_kind_check`)
    this.addSql(
      `alter table outbox add constraint outbox_kind_check check (kind in
         ('START', 'WAKE', 'CANCEL', 'END', 'RETRY', 'WAKE_HELD', 'TEAR_DOWN', 'ERASE', 'RECONCILE', 'REDELIVER'))`,
    )
  }
}
