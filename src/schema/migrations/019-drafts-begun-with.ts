import { Migration } from '@mikro-orm/migrations'

/** Of a draft that has gone along with changes of the status: what its editor knew when it was saved. */
export class Migration019DraftsBegunWith extends Migration {
  override name = '019-drafts-begun-with'

  override up(): void {
    this.addSql('alter table automation_drafts add column begun_with bigint')
    this.addSql('update automation_drafts set begun_with = based_on')
    this.addSql('alter table automation_drafts alter column begun_with set not null')
    // Behind a restore they go on from the milliseconds of that moment.
    this.addSql('alter table automation_drafts alter column based_on type bigint')
    this.addSql('alter table automations alter column revision type bigint')
  }
}
