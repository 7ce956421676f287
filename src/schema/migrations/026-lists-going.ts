import { Migration } from '@mikro-orm/migrations'

/** Since when a list is being deleted: it is emptied page by page, and nothing new is to count on it meanwhile. */
export class Migration026ListsGoing extends Migration {
  override name = '026-lists-going'

  override up(): void {
    this.addSql('alter table lists add column going_at timestamptz')
  }
}
