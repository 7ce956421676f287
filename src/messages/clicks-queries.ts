import { CounterChanges, writeCounterChanges } from '../counters/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { countedStep } from './changes-queries.ts'

/** A link in a message that a person clicked. */
interface ClickedLink {
  automationId: string | null
  campaignId: string | null
  stepId: string | null
  variant: number | null
  url: string
}

/** SQL: the columns of a `ClickedLink`, of a `visit` and its `message`. */
const CLICKED_LINK = `message.automation_id as "automationId", message.campaign_id as "campaignId",
  message.step_id as "stepId", message.variant, visit.url`

/** Adds or subtracts clicks by persons. Ignores those in transactional emails. */
export async function countClicks(
  em: EntityManager,
  clicks: readonly { messageId: string; url: string }[],
  change: 1 | -1,
): Promise<void> {
  if (clicks.length === 0) return
  const links = await sql<ClickedLink>(
    em,
    `select ${CLICKED_LINK} from unnest($1::uuid[], $2::text[]) visit (message_id, url)
     join messages message on message.id = visit.message_id`,
    [clicks.map(({ messageId }) => messageId), clicks.map(({ url }) => url)],
  )
  await countLinks(em, links, change)
}

/** Subtracts the clicks in messages that are being deleted. The caller has locked these. */
export async function uncountClicksIn(em: EntityManager, messageIds: readonly string[]): Promise<void> {
  const links = await sql<ClickedLink>(
    em,
    `select ${CLICKED_LINK} from message_visits visit join messages message on message.id = visit.message_id
     where visit.message_id = any($1::uuid[]) and kind = 'CLICK' and visitor = 'PERSON'`,
    [messageIds],
  )
  await countLinks(em, links, -1)
}

/** Counts all clicks again. */
export async function recountClicks(em: EntityManager, changes: CounterChanges): Promise<void> {
  const links = await sql<ClickedLink & { count: number }>(
    em,
    `select ${CLICKED_LINK}, count(*)::integer from message_visits visit join messages message on message.id = visit.message_id
     where kind = 'CLICK' and visitor = 'PERSON' group by 1, 2, 3, 4, 5`,
  )
  for (const { count, ...link } of links) addLink(changes, link, count)
}

async function countLinks(em: EntityManager, links: readonly ClickedLink[], change: 1 | -1): Promise<void> {
  const changes = new CounterChanges()
  for (const link of links) addLink(changes, link, change)
  await writeCounterChanges(em, changes)
}

function addLink(
  changes: CounterChanges,
  { automationId, campaignId, stepId, variant, url }: ClickedLink,
  change: number,
): void {
  const subject = automationId ?? campaignId
  if (subject !== null) changes.addToLink({ automationId: subject, stepId: countedStep(stepId, variant), url }, change)
}
