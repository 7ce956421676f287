import { Migration } from '@mikro-orm/migrations'

/** Lists that somebody joins only by confirming it herself, and who has been asked. */
export class Migration027DoubleOptIn extends Migration {
  override name = '027-double-opt-in'

  override up(): void {
    this.addSql('alter table lists add column double_opt_in boolean not null default false')
    // Who came to be by asking for such a list: all that we know of her is that somebody has typed her address.
    this.addSql('alter table contacts add column unconfirmed boolean not null default false')
    this.addSql(`
      create table list_requests (
        list_id uuid not null references lists on delete cascade,
        contact_id uuid not null references contacts on delete cascade,
        -- Which links to confirm it are of: another one, where it is asked at another address.
        id uuid not null,
        email_key text not null,
        requested_at timestamptz not null default now(),
        primary key (list_id, contact_id)
      )`)
    this.addSql('create index list_requests_of_contact on list_requests (contact_id)')
    for (const [table, column] of [
      ['automations', 'trigger'],
      ['trigger_events', 'type'],
    ]) {
      this.addSql(`alter table ${table} drop constraint ${table}_${column}_check`)
      this.addSql(`
        alter table ${table} add constraint ${table}_${column}_check
          check (${column} in ('LIST_ADDED', 'LIST_REQUESTED', 'TAG_ADDED', 'EVENT', 'SIGNUP')) not valid`)
      this.addSql(`alter table ${table} validate constraint ${table}_${column}_check`)
    }
  }
}
