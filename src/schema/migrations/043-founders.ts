import { Migration } from '@mikro-orm/migrations'

/** Workspaces that one account has made share what one workspace has: of what it made before, each has its own share still. */
export class Migration043Founders extends Migration {
  override name = '043-founders'

  override up(): void {
    this.addSql('alter table workspaces add column founded_by uuid references accounts on delete set null')
    this.addSql('create index workspaces_of_founder on workspaces (founded_by) where founded_by is not null')
  }
}
