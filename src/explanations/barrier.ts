import { SUPPRESSED_ERRORS } from '../contacts/index.ts'
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
  const why = barrier && SUPPRESSED_ERRORS[barrier.reason]
  const since = barrier?.since ? ` since ${timeText(barrier.since)}` : ''
  return {
    name: 'ADDRESS',
    state: barrier ? 'FALSE' : 'TRUE',
    title: 'Address accepts email',
    needs: 'no opt-out, bounce or complaint',
    found: barrier ? `${barrier.reason.toLowerCase().replaceAll('_', ' ')}${since}` : 'yes',
    sentence: barrier ? `${why}${since && `,${since}`}.` : '',
  }
}
