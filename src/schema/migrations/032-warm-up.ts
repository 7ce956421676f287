import { Migration } from '@mikro-orm/migrations'

/** Senders that nobody knows yet mail a little more each day. */
export class Migration032WarmUp extends Migration {
  override name = '032-warm-up'

  override up(): void {
    this.addSql(`
      alter table senders
        add column warm_up_per_day integer check (warm_up_per_day > 0),
        add column warm_up_growth_percent integer check (warm_up_growth_percent > 0),
        add column warm_up_up_to integer check (warm_up_up_to > warm_up_per_day),
        -- Its first day, of UTC; null where there is none.
        add column warm_up_since date,
        add check (num_nulls(warm_up_per_day, warm_up_growth_percent, warm_up_up_to, warm_up_since) in (0, 4))`)
    // How many emails have begun to be handed over, or may have.
    this.addSql(`
      create table warm_up_days (
        workspace_id uuid not null references workspaces on delete cascade,
        day date not null,
        mailed integer not null default 0 check (mailed >= 0),
        primary key (workspace_id, day)
      )`)
  }
}
