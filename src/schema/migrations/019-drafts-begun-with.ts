import { Migration } from '@mikro-orm/migrations'

/** Of a draft that has gone along with changes of the status: what its editor knew when it was saved. */
export class Migration019DraftsBegunWith extends Migration {
  override name = '019-drafts-begun-with'

  override up(): void {
    this.addSql('alter table automation_drafts add column begun_with integer')
    this.addSql('update automation_drafts set begun_with = based_on')
    this.addSql('alter table automation_drafts alter column begun_with set not null')
  }
}
