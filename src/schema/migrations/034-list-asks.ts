import { Migration } from '@mikro-orm/migrations'

/**
 * Whoever joins a list is asked to confirm it from the moment on in which that is said: behind the answer nobody is in it who was not. A
 * row lock would do, but those that share one keep coming, and who wants it alone would wait for ever; these take turns.
 */
export class Migration034ListAsks extends Migration {
  override name = '034-list-asks'

  override up(): void {
    this.addSql(`
      create function list_key(of_list uuid) returns bigint language sql immutable parallel safe as
      $$ select hashtextextended('list ' || of_list::text, 0) $$`)
    // Each statement of it sees what is committed by then, which the statement that calls it does not.
    this.addSql(`
      create function list_asks(of_list uuid) returns boolean language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(list_key(of_list));
        return coalesce((select double_opt_in from lists where id = of_list), false);
      end $$`)
  }
}
