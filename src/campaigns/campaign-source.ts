import { type Recipient, readRecipients, lockContactsShared } from '../contacts/index.ts'
import type { CampaignRef, MessageRef, MessageSource, SourceContext } from '../messages/index.ts'
import { contentsFor } from './contents-queries.ts'
import { Campaign } from './entities.ts'
import type { CampaignStatus } from './campaign.ts'
import { lockCampaignShared } from './queries.ts'
import type { EmailContent } from '../rendering/index.ts'
import { FRESH_READ } from '../platform/db/sql.ts'

/** Send context of a campaign's message. @param listIds the lists that included the recipient */
export const contextOf = (
  { workspaceId, category }: Pick<Campaign, 'workspaceId' | 'category'>,
  { contactId, listIds }: { contactId: string; listIds: readonly string[] },
  content: EmailContent,
): SourceContext => ({
  workspaceId,
  contactId,
  automationId: null,
  content,
  category,
  onSendFailure: 'CONTINUE',
  listIds,
  event: null,
  confirmation: null,
  pauseCount: 0,
})

/** The contact's language, as in `campaign_contents`; `''` if unknown. */
export const localeOf = ({ metadata }: Pick<Recipient, 'metadata'>): string => {
  const { locale } = metadata
  return typeof locale === 'string' ? locale.replaceAll('_', '-').toLowerCase() : ''
}

/** Statuses in which retries are sent. Campaigns in other statuses were paused or cancelled. */
const SENDS_RETRIES: readonly CampaignStatus[] = ['SENDING', 'SENT']

function refOf({ ref }: { ref: MessageRef }): CampaignRef {
  if (ref.kind !== 'campaign') throw new Error('The message does not belong to a campaign')
  return ref
}

/**
 * The recipients of campaigns. Locks in the order campaign, contacts.
 *
 * Race: a pause, a cancellation, an opt-out or an erasure against a claim. Guard: the claim shares the locks of the campaign and
 * the contacts, and whatever stops it takes one of them exclusively. Test: test/campaigns/campaigns.test.ts.
 */
export const campaignSource: MessageSource = {
  async load(em, message, intent) {
    const campaign = await em.findOne(Campaign, { id: refOf(message).campaignId }, FRESH_READ)
    const recipient = (await readRecipients(em, message.workspaceId, [message.contactId])).get(message.contactId)
    if (!campaign || !recipient) return undefined
    if (intent === 'retry' && !SENDS_RETRIES.includes(campaign.status)) return undefined
    const wanted = { variant: message.variant, locale: localeOf(recipient) }
    const contentOf = await contentsFor(em, campaign.id, [wanted])
    return contextOf(campaign, message, contentOf(wanted))
  },

  async lockForClaim(em, messages) {
    const contactIds = messages.map(({ contactId }) => contactId)
    const [status, contacts] = await Promise.all([
      lockCampaignShared(em, refOf(messages[0]!).campaignId),
      lockContactsShared(em, contactIds),
    ])
    return messages.filter(({ intent, contactId, contact, consentVersion }) => {
      const now = contacts.get(contactId)
      if (status === undefined || now === undefined) return false
      if (intent === 'send' && status !== 'SENDING') return false
      if (intent === 'retry' && !SENDS_RETRIES.includes(status)) return false
      return now.email === contact.email && now.consentVersion === consentVersion
    })
  },

  // A cancelled campaign dismisses its remaining messages itself.
  lockForDeferral: () => Promise.resolve(new Set()),
}
