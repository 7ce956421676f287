import { Migration } from '@mikro-orm/migrations'

/** Who was ended is not let in by an event of before, however close together they come. */
export class Migration010HasHeard extends Migration {
  override name = '010-has-heard'

  override up(): void {
    // A statement sees what was committed when it began, and what lets somebody in may have waited since for whoever ends her. What
    // is volatile looks anew: https://www.postgresql.org/docs/current/xfunc-volatility.html
    this.addSql(`
      create function has_heard(of_automation uuid, of_contact uuid, of_event uuid) returns boolean
      language plpgsql volatile as $$
      begin
        perform from contacts where id = of_contact for key share;
        return exists (
          select from heard_events
          where automation_id = of_automation and contact_id = of_contact and event_id = of_event
        );
      end
      $$`)
  }
}
