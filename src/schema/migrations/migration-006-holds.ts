import { Migration } from '@mikro-orm/migrations'

/** Counts how often an enrollment was held: an attempt at an email that looked before that is not to claim it any more. */
export class Migration006Holds extends Migration {
  override name = '006-holds'

  override up(): void {
    this.addSql(`alter table enrollments add column holds integer not null default 0`)
    this.addSql(`alter table outbox drop constraint outbox_kind_check`)
    this.addSql(`
      alter table outbox add constraint outbox_kind_check
        check (kind in ('START', 'WAKE', 'CANCEL', 'WAKE_HELD', 'TEAR_DOWN', 'ERASE', 'RECONCILE', 'REDELIVER'))
    `)
  }

  override down(): void {
    this.addSql(`delete from outbox where kind = 'REDELIVER'`)
    this.addSql(`alter table outbox drop constraint outbox_kind_check`)
    this.addSql(`
      alter table outbox add constraint outbox_kind_check
        check (kind in ('START', 'WAKE', 'CANCEL', 'WAKE_HELD', 'TEAR_DOWN', 'ERASE', 'RECONCILE'))
    `)
    this.addSql(`alter table enrollments drop column holds`)
  }
}
