import { Migration } from '@mikro-orm/migrations'

/** Templates and conditions know what an event had with it. */
export class Migration008EventData extends Migration {
  override name = '008-event-data'

  override up(): void {
    // A copy, because a sequence can be longer than events are kept. It goes with the enrollment, and so with the contact.
    this.addSql('alter table enrollments add column event jsonb')
    // As it is compared. The application folds names, because what the database takes for case depends on its locale: also those
    // of before, and those that an older version still writes.
    this.addSql('alter table trigger_events add column name_key text')
    this.addSql(`create index trigger_events_unfolded on trigger_events (id) where type = 'EVENT' and name_key is null`)
  }
}
