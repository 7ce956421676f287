import { preparePage } from '../../src/campaigns/advance-campaign.ts'
import { Campaign } from '../../src/campaigns/entities.ts'
import type { SuppressedBy } from '../../src/contacts/index.ts'
import type { Prepared } from '../../src/messages/prepared.ts'
import { dueRecipients, findMessage, readSendSettings } from '../../src/messages/read-queries.ts'
import { prepareStored } from '../../src/messages/deliver-retry.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import type { Service } from './service.ts'

export { anAttempt } from './step-claims.ts'

/** More recipients than the campaign of a test has. */
const ALL = 1_000

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
