import { Migration } from '@mikro-orm/migrations'

/**
 * Whether a contact has left a list by herself, as it is by then: a statement that puts many into a list sees what was so when it began, and
 * comes to her row later. Whoever asks has her row locked, for which she waits, or has waited.
 */
export class Migration036LeftLists extends Migration {
  override name = '036-left-lists'

  override up(): void {
    this.addSql(`
      create function has_left(of_list uuid, of_contact uuid) returns boolean language plpgsql volatile as $$
      begin
        return exists (select from list_opt_outs where list_id = of_list and contact_id = of_contact);
      end $$`)
  }
}
