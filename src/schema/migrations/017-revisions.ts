import { Migration } from '@mikro-orm/migrations'

/** Two who edit one automation: the second is told. And what somebody edits is kept before it is said to be so. */
export class Migration017Revisions extends Migration {
  override name = '017-revisions'

  override up(): void {
    // Grows with each change, of fields as of steps.
    this.addSql('alter table automations add column revision integer not null default 1')
    // No revision comes twice: whoever has read a draft that is gone has not read the next one.
    this.addSql('create sequence draft_revisions')
    this.addSql(`
      create table automation_drafts (
        automation_id uuid primary key references automations on delete cascade,
        content jsonb not null,
        -- The automation's, when the draft was begun.
        based_on integer not null,
        revision bigint not null default nextval('draft_revisions'),
        saved_by text not null,
        saved_at timestamptz not null default now()
      )`)
  }
}
