import { Migration } from '@mikro-orm/migrations'

/** Calls of mail providers that have been dealt with, where their signature says nothing of what they tell. */
export class Migration030FeedbackCalls extends Migration {
  override name = '030-feedback-calls'

  override up(): void {
    this.addSql(`
      create table feedback_calls (
        workspace_id uuid not null references workspaces on delete cascade,
        provider text not null,
        id text not null,
        at timestamptz not null default now(),
        primary key (workspace_id, provider, id)
      )`)
    this.addSql('create index feedback_calls_oldest on feedback_calls (at)')
  }
}
