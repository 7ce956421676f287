import { Migration } from '@mikro-orm/migrations'

/** Mail providers tell of an address: whether somebody was mailed there who is erased has to be found at once. */
export class Migration042ErasedByAddress extends Migration {
  override name = '042-erased-by-address'

  override up(): void {
    this.addSql('create index erased_contacts_by_address on erased_contacts (workspace_id, address_hash)')
    // The dashboard asks for one kind.
    this.addSql('create index bounces_by_kind on bounces (workspace_id, kind, created_at desc, id desc)')
    this.addSql('drop index erased_contacts_of_workspace')
    // What was told of it lately: the same again is no other wish.
    this.addSql(`alter table erased_contacts add column heard text[] not null default '{}'`)
  }
}
