import { Migration } from '@mikro-orm/migrations'

/** A campaign's email wakes nobody: to look for whom it would took a sixth of a millisecond of each of a million. */
export class Migration035WakesOfSequences extends Migration {
  override name = '035-wakes-of-sequences'

  override up(): void {
    for (const [name, event, settled] of [
      ['wake_inserted', 'insert', 'new.settled_at is not null'],
      ['wake_settled', 'update of settled_at', 'old.settled_at is null and new.settled_at is not null'],
    ]) {
      this.addSql(`drop trigger ${name} on messages`)
      this.addSql(`
        create trigger ${name} after ${event} on messages
        for each row when (new.enrollment_id is not null and ${settled}) execute function wake_behind_message()`)
    }
  }
}
