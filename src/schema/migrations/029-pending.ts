import { Migration } from '@mikro-orm/migrations'

/** Who is in a list is not asked whether she wants to be; and what somebody has left is known when the list is gone. */
export class Migration029Pending extends Migration {
  override name = '029-pending'

  override up(): void {
    // Of a statement that waited for somebody's confirmation, and does not see it: a function that is called behind it does.
    this.addSql(`
      create function settle_requests() returns trigger language plpgsql as $$
      begin
        delete from list_requests request using changed
        where request.list_id = changed.list_id and request.contact_id = changed.contact_id
          and exists (select from list_members where list_id = request.list_id and contact_id = request.contact_id);
        return null;
      end $$`)
    for (const [table, event] of [
      ['list_members', 'insert'],
      ['list_requests', 'insert'],
      ['list_requests', 'update'],
    ]) {
      this.addSql(`
        create trigger requests_settled_by_${event} after ${event} on ${table} referencing new table as changed
        for each statement execute function settle_requests()`)
    }
    this.addSql(`
      delete from list_requests request
      where exists (select from list_members where list_id = request.list_id and contact_id = request.contact_id)`)
    // A campaign whose list is gone is still tried again for some, and an automation still sends to whoever has joined it.
    this.addSql('alter table list_opt_outs drop constraint list_opt_outs_list_id_fkey')
  }
}
