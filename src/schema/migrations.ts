import { readFileSync } from 'node:fs'
import { Migration } from '@mikro-orm/migrations'

/**
 * All migrations, in the order in which they run: `MODULE/FILE` is `src/MODULE/migrations/FILE.sql`. A module's tables come after
 * those that they refer to. Each migration is recorded under its name in this list, so never change a released one: add a new one
 * at the end.
 */
const MIGRATIONS = [
  'workspaces/001-baseline',
  'instance/001-baseline',
  'accounts/001-baseline',
  'audit/001-baseline',
  'request-log/001-baseline',
  'http/001-baseline',
  'outbox/001-baseline',
  'contacts/001-baseline',
  'segments/001-baseline',
  'lists/001-baseline',
  'consent/001-baseline',
  'senders/001-baseline',
  'templates/001-baseline',
  'media/001-baseline',
  'automations/001-baseline',
  'triggers/001-baseline',
  'enrollments/001-baseline',
  'steps/001-baseline',
  'publishing/001-baseline',
  'messages/001-baseline',
  'tracking/001-baseline',
  'bounces/001-baseline',
  'imports/001-baseline',
  'sources/001-baseline',
  'rehearsal/001-baseline',
  'campaigns/001-baseline',
  'emails/001-baseline',
  'counters/001-baseline',
  'webhooks/001-baseline',
  'proposals/001-baseline',
]

/** The names of all migrations, in the order in which they run. */
export const migrationNames: readonly string[] = MIGRATIONS.map((path) => path.replace('/', '-'))

export const migrations = MIGRATIONS.map((path, n) => ({ name: migrationNames[n]!, class: readMigration(path) }))

/** Returns a migration that executes a file: all statements in one query. */
function readMigration(path: string) {
  const [module, file] = path.split('/')
  return class extends Migration {
    override up(): void {
      this.addSql(readFileSync(new URL(`../${module}/migrations/${file}.sql`, import.meta.url), 'utf8'))
    }
  }
}
