import { Migration } from '@mikro-orm/migrations'
import { workspaces } from './workspaces.ts'
import { contacts } from './contacts.ts'
import { automations } from './automations.ts'
import { enrollments } from './enrollments.ts'
import { outbox } from './outbox.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { rateLimits } from './rate-limits.ts'

/** All tables of version 0.1.0. */
export class Migration001Foundation extends Migration {
  override name = '001-foundation'

  override up(): void {
    for (const part of [workspaces, contacts, automations, enrollments, outbox, idempotencyKeys, rateLimits]) {
      part((statement) => this.addSql(statement))
    }
  }
}
