import { SUPPRESSED_ERRORS, type SuppressedBy } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type Fact, timeText } from './explanation.ts'
import { barrierOf } from './queries.ts'

/** Returns whether the address may be emailed now. */
export async function barrierFact(
  em: EntityManager,
  contactId: string,
  email: Parameters<typeof barrierOf>[2],
): Promise<Fact> {
  const barrier = await barrierOf(em, contactId, email)
  const since = barrier?.since ? ` on ${timeText(barrier.since)}` : ''
  const base = { name: 'ADDRESS', title: 'Address accepts email', needs: 'no opt-out, bounce or complaint' }
  if (!barrier) return { ...base, state: 'TRUE', found: 'yes', sentence: '' }
  const found = `${FOUND[barrier.reason]}${since}`
  return { ...base, state: 'FALSE', found, sentence: `${SUPPRESSED_ERRORS[barrier.reason]}.` }
}

const FOUND: Record<SuppressedBy, string> = {
  COMPLAINED: 'reported spam',
  BOUNCED: 'bounced',
  MANUAL: 'suppressed manually',
  UNSUBSCRIBED: 'unsubscribed',
  IMPORTED: 'imported as opted out',
  LEFT_LIST: 'left the list',
  UNCONFIRMED: 'not confirmed yet',
  NOT_PENDING: 'no confirmation is pending',
}
