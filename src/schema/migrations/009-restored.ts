import { Migration } from '@mikro-orm/migrations'

/** A restored installation sends nothing until its ledger and Temporal have been held against each other. */
export class Migration009Restored extends Migration {
  override name = '009-restored'

  override up(): void {
    this.addSql(
      // And until when somebody holds them against each other.
      'alter table installation add column restored_at timestamptz, add column reconciling_until timestamptz, ' +
        // And until when what was sent may be lost from the ledger; and was, behind the restore before.
        'add column lost_until timestamptz, add column lost_before timestamptz, ' +
        // And how new the newest is that was restored.
        'add column backed_up_at timestamptz',
    )
  }
}
