import { Migration } from '@mikro-orm/migrations'

/** What was said while a statement of many waited for somebody's row, or while an email was about to be claimed. */
export class Migration038SaidMeanwhile extends Migration {
  override name = '038-said-meanwhile'

  override up(): void {
    // In which transaction somebody has vouched for her who was unconfirmed until then: a statement that waited for her row knows by it
    // whether it was the one, and not by what it saw when it began.
    this.addSql('alter table contacts add column vouched_in xid8')
    // Another address is other mail: who looked at the one before, and at what may be sent to it, claims nothing behind that.
    this.addSql(`
      create function count_address() returns trigger language plpgsql as $$
      begin
        new.consents = greatest(new.consents, old.consents + 1);
        return new;
      end $$`)
    this.addSql(`
      create trigger address_counted before update of email on contacts
      for each row when (old.email is distinct from new.email) execute function count_address()`)
    // Who has come back and left again since has left, whatever was known of the first time.
    this.addSql(`
      create function left_at(of_list uuid, of_contact uuid) returns timestamptz language plpgsql volatile as $$
      begin
        return (select created_at from list_opt_outs where list_id = of_list and contact_id = of_contact);
      end $$`)
    // What she was tagged with, and whether she wants no mail, as it is when her row is somebody's.
    this.addSql(`
      create function tags_of(of_contact uuid) returns setof text language plpgsql volatile as $$
      begin
        return query select tag_key from contact_tags where contact_id = of_contact;
      end $$`)
    this.addSql(`
      create function wants_none(of_workspace uuid, key text) returns boolean language plpgsql volatile as $$
      begin
        return exists (
          select from suppressions where workspace_id = of_workspace and address_hash = address_hash(of_workspace, key)
        );
      end $$`)
    // An address was asked when an email that asks was claimed, and not when it was to be.
    this.addSql('drop trigger ask_noted on list_requests')
    this.addSql('drop trigger ask_noted_again on list_requests')
    this.addSql('drop function note_ask()')
    // A claim waits for no list, and fails for none that is gone.
    this.addSql('alter table list_asks drop constraint list_asks_list_id_fkey')
  }
}
