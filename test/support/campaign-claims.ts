import { preparePage } from '../../src/campaigns/advance-campaign.ts'
import { Campaign } from '../../src/campaigns/entities.ts'
import { queuePage } from '../../src/campaigns/recipients.ts'
import type { SuppressedBy } from '../../src/contacts/index.ts'
import type { Prepared } from '../../src/messages/prepared.ts'
import { dueRecipients, findMessage, readSendSettings } from '../../src/messages/read-queries.ts'
import { prepareStored } from '../../src/messages/deliver-retry.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { aList } from './factories.ts'
import type { Service } from './service.ts'

export { anAttempt } from './step-claims.ts'

/** More recipients than the campaign of a test has. */
const ALL = 1_000

/** Creates a campaign that is being sent to contacts, without a workflow, and queues its messages. @returns its ID */
export async function aQueuedCampaign(service: Service, contactIds: readonly string[]): Promise<string> {
  const listId = await aList(service)
  await service.call('POST', `lists/${listId}/contacts`, { contactIds })
  const fields = { name: 'News', subject: 'News', text: 'x', audience: { listIds: [listId] } }
  const { body } = await service.call('POST', 'campaigns', fields)
  const id = body.data.id as string
  const em = service.context.orm.em.fork()
  const begin = `update campaigns set status = 'SENDING', started_at = now(), last_place = 1000000000 where id = $1::uuid`
  await sql(em, begin, [id])
  const audience = { listIds: [listId], at: new Date(), conditions: [], excludedListIds: [], excludedConditions: [] }
  await queuePage(em, { id, workspaceId: service.workspaceId, cursor: 0, abTest: null }, audience, null)
  return id
}

/** Prepares the due recipients of a campaign. @returns the messages by contact ID */
export async function prepareRecipients(service: Service, campaignId: string): Promise<Map<string, Prepared>> {
  const em = service.context.orm.em.fork()
  const campaign = await em.findOneOrFail(Campaign, { id: campaignId })
  const settings = await readSendSettings(em, campaign.workspaceId)
  const page = await preparePage(em, campaign, await dueRecipients(em, campaignId, ALL), settings!)
  return new Map(page.map((message) => [message.contactId, message]))
}

/** Prepares the due recipients of a campaign. @returns the suppression by contact ID, or `null` if the message may be sent */
export async function dueOf(service: Service, campaignId: string): Promise<Map<string, SuppressedBy | null>> {
  const messages = await prepareRecipients(service, campaignId)
  return new Map([...messages].map(([contactId, { suppressedBy }]) => [contactId, suppressedBy]))
}

/** Prepares the retry of a message. @returns `undefined` if it may not be sent */
export async function prepareRetry(service: Service, id: string): Promise<Prepared | undefined> {
  const { em } = service.context.orm
  const stored = await findMessage(em.fork(), id)
  return stored && prepareStored({ em, store: createMessageStore(em) }, stored, 'retry')
}
