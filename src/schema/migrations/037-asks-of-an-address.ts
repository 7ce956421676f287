import { Migration } from '@mikro-orm/migrations'

/** So often a day an address is asked whether it wants to be in a list, whatever becomes of the contact that has it. */
const ASKS_A_DAY = 5

/**
 * How often an address was asked of late: a contact that is deleted and made anew, or whose address is changed to and fro, fills nobody's mailbox. Of
 * the address only its hash is kept, until somebody is asked behind that day.
 */
export class Migration037AsksOfAnAddress extends Migration {
  override name = '037-asks-of-an-address'

  override up(): void {
    this.addSql(`
      create table list_asks (
        id uuid primary key,
        list_id uuid not null references lists on delete cascade,
        address_hash bytea not null,
        at timestamptz not null default now()
      )`)
    this.addSql('create index list_asks_of_address on list_asks (list_id, address_hash)')
    this.addSql('create index list_asks_oldest on list_asks (at)')
    this.addSql(`
      create function may_ask(of_list uuid, key text) returns boolean language sql stable as $$
        select count(*) < ${ASKS_A_DAY} from list_asks
        where list_id = of_list and at > now() - interval '1 day'
          and address_hash = (select address_hash(workspace_id, key) from lists where id = of_list)
      $$`)
    this.addSql(`
      create function note_ask() returns trigger language plpgsql as $$
      begin
        insert into list_asks (id, list_id, address_hash)
        select gen_random_uuid(), new.list_id, address_hash(workspace_id, new.email_key) from lists where id = new.list_id;
        return null;
      end $$`)
    this.addSql(`
      create trigger ask_noted after insert on list_requests
      for each row when (new.requested_at = now()) execute function note_ask()`)
    // Whoever is asked once more within the day, at the same address, was asked in vain: what was never sent counts for nothing.
    this.addSql(`
      create trigger ask_noted_again after update on list_requests
      for each row when (
        new.requested_at = now()
        and (old.email_key <> new.email_key or old.requested_at < now() - interval '1 day')
      ) execute function note_ask()`)
    this.addSql(`
      create function forget_asks() returns trigger language plpgsql as $$
      begin
        delete from list_asks where id in (
          select id from list_asks where at < now() - interval '1 day' order by at limit 1000 for update skip locked
        );
        return null;
      end $$`)
    this.addSql(`
      create trigger asks_forgotten after insert on list_requests for each statement execute function forget_asks()`)
  }
}
