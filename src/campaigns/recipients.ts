import { createHash } from 'node:crypto'
import { listsRequiredBy } from '../segments/index.ts'
import { type QueuedRow, queueRecipients } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { AbTest } from './ab-test.ts'
import {
  advanceCursor,
  type CampaignPosition,
  type Recipients,
  recipientsPage,
  type RecipientRow,
  type SendTimes,
} from './recipients-queries.ts'

/**
 * Lists on which a campaign is based: its own, and those that each of its segments requires. An opt-out of a list that included a
 * recipient suppresses their message.
 */
function listsOf({ listIds, conditions: [first, ...others] }: Recipients): string[] {
  const required = first
    ? listsRequiredBy(first).filter((id) => others.every((other) => listsRequiredBy(other).includes(id)))
    : []
  return [...new Set([...listIds, ...required])]
}

/** Settings of the random draw for an A/B test. */
type Draw = Pick<AbTest, 'testPercent' | 'variants'>

/** Buckets into which recipients are drawn: hundredths of a percent. */
const BUCKETS = 10_000

/**
 * Draws the variant of a recipient. The draw is deterministic: it returns the same variant each time. @returns `null` if the
 * recipient waits for the winner
 */
export function drawVariant(campaignId: string, contactId: string, { testPercent, variants }: Draw): number | null {
  const number = createHash('md5').update(`${campaignId}${contactId}`).digest().readUInt32BE()
  if (number % BUCKETS >= testPercent * (BUCKETS / 100)) return null
  return Math.floor(number / BUCKETS) % (variants.length + 1)
}

/** A recipient as it is queued. @param times when each is due, by their time zone; `null` for immediately */
function queuedRow(
  { id: contactId, zone, listIds }: RecipientRow,
  campaign: { id: string; abTest: Draw | null },
  times: SendTimes | null,
): QueuedRow {
  const variant = campaign.abTest ? drawVariant(campaign.id, contactId, campaign.abTest) : null
  const waitsForWinner = campaign.abTest !== null && variant === null
  const at = times && (times.zones.find((each) => each.zone.toLowerCase() === zone)?.at ?? times.fallback)
  return {
    contact_id: contactId,
    list_ids: listIds,
    variant,
    due_at: waitsForWinner ? 'infinity' : (at?.toISOString() ?? null),
  }
}

/**
 * Queues a page of a campaign's recipients, and moves on to the next page, in one transaction. It sends nothing. A contact that
 * is already queued stays unchanged.
 *
 * Race: a contact leaves a list while the page is read. Guard: the row records the lists that included the contact, and the
 * opt-out is compared when the message is prepared; the claim fails if it came after that. Test: test/campaigns/opt-outs.test.ts.
 *
 * @returns the position of the campaign; `undefined` if another process advanced it, or it is no longer sending
 */
export async function queuePage(
  em: EntityManager,
  campaign: CampaignPosition & { abTest: Draw | null },
  of: Recipients,
  times: SendTimes | null,
): Promise<{ cursor: number; materialized: boolean } | undefined> {
  return em.transactional(async (unit) => {
    const page = await recipientsPage(unit, campaign, of, listsOf(of))
    if (!page) return undefined
    const rows = page.recipients.map((recipient) => queuedRow(recipient, campaign, times))
    const queued = rows.length === 0 ? 0 : await queueRecipients(unit, campaign, rows)
    return advanceCursor(unit, campaign.id, { cursor: page.last, materialized: page.isLast, queued })
  })
}
