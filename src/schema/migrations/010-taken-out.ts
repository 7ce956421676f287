import { Migration } from '@mikro-orm/migrations'

/** Who was taken out by a call is not let in by an event of before, nor mailed with the many that are tried again. */
export class Migration010TakenOut extends Migration {
  override name = '010-taken-out'

  override up(): void {
    // Since when nobody wants it sent any more, unless by name.
    this.addSql('alter table messages add column unwanted_at timestamptz')
    // Since when a key ends because there is another one in its place.
    this.addSql('alter table api_keys add column rotated_at timestamptz')
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
