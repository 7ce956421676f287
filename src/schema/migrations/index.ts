import { Migration001Foundation } from './migration-001-foundation.ts'
import { Migration002RateLimits } from './migration-002-rate-limits.ts'
import { Migration003IdempotencyKeys } from './migration-003-idempotency-keys.ts'
import { Migration004ListsTagsSegments } from './migration-004-lists-tags-segments.ts'
import { Migration005MailSender } from './migration-005-mail-sender.ts'
import { Migration006Holds } from './migration-006-holds.ts'

/** All migrations, oldest first. One that was released is never changed: a new one follows it. */
export const migrations = [
  Migration001Foundation,
  Migration002RateLimits,
  Migration003IdempotencyKeys,
  Migration004ListsTagsSegments,
  Migration005MailSender,
  Migration006Holds,
]
