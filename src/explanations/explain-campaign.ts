import type { Campaign } from '../campaigns/index.ts'
import type { ContactProfile } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { contactMatches } from '../segments/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { barrierFact } from './barrier.ts'
import { deliveryFact } from './delivery-fact.ts'
import { type Explanation, type Fact, firstFalse, timeText } from './explanation.ts'
import { campaignMessage, type CampaignMessage, isReachedBy, listsWith, segmentNames } from './queries.ts'

/** Explains whether a contact got the email of a campaign. Without a message, facts are those of this moment. */
export async function explainCampaign(
  em: EntityManager,
  campaign: Campaign,
  contact: ContactProfile,
): Promise<Explanation> {
  const message = await campaignMessage(em, campaign.id, contact.id)
  const status = statusFact(campaign)
  if (message) {
    const delivery = deliveryFact(message, 'Email', 'The email')
    const facts = [status, recipientFact(message), delivery]
    const outcome = delivery.state === 'TRUE' ? 'SENT' : delivery.state === 'OPEN' ? 'WAITING' : 'NOT_SENT'
    return {
      outcome,
      sentence: delivery.sentence,
      facts,
      decisive: delivery,
      enrollmentId: null,
      messageId: message.id,
    }
  }
  const { isReached, isInTime } = await isReachedBy(em, campaign.id, contact.id)
  const { category, audience, startedAt } = campaign
  // A contact who joins before the campaign reaches them is a recipient.
  const joinedBy = isReached ? startedAt : undefined
  const facts = [
    status,
    createdFact(campaign, contact, isInTime),
    ...(await audienceFacts(em, campaign, contact, joinedBy)),
    await barrierFact(em, contact.id, {
      category,
      listIds: audience.listIds.filter((id) => contact.listIds.includes(id)),
    }),
  ]
  const isWaiting = campaign.status !== 'SENT' && campaign.status !== 'CANCELLED' && !isReached
  const wasCut = campaign.status === 'CANCELLED' && startedAt != null && !isReached
  const decisive = firstFalse(facts)
  const sentence = decisive?.sentence ?? (wasCut ? CUT : isWaiting ? dueSentence(campaign) : NOT_IN_AUDIENCE)
  const isDue = isWaiting && facts.every(({ state }) => state !== 'FALSE')
  return { outcome: isDue ? 'WAITING' : 'NOT_SENT', sentence, facts, decisive, enrollmentId: null, messageId: null }
}

const CUT = 'The campaign was cancelled before it reached the contact.'

const dueSentence = ({ status }: Campaign): string =>
  status === 'PAUSED'
    ? 'The campaign is paused. The contact is in the audience, and will get the email when it resumes.'
    : 'The contact is in the audience, and gets the email when the campaign reaches them.'

const NOT_IN_AUDIENCE =
  'The contact was not in the audience when the campaign was sent. They are now, so something has changed since.'

function statusFact({ status, startedAt, scheduledAt }: Campaign): Fact {
  const fact = { name: 'CAMPAIGN', title: 'Campaign', needs: 'sent' }
  const started = startedAt ? ` ${timeText(startedAt)}` : ''
  switch (status) {
    case 'DRAFT':
      return {
        ...fact,
        state: 'FALSE',
        found: 'draft',
        sentence: 'The campaign is a draft: it was not sent to any contact.',
      }
    case 'SCHEDULED': {
      const at = scheduledAt ? ` ${timeText(scheduledAt)}` : ''
      return { ...fact, state: 'OPEN', found: `scheduled for${at}`, sentence: '' }
    }
    case 'SENDING':
    case 'PAUSED':
      return {
        ...fact,
        state: 'OPEN',
        found: `${status.toLowerCase()}${startedAt ? ` since${started}` : ''}`,
        sentence: '',
      }
    case 'SENT':
      return { ...fact, state: 'TRUE', found: `sent${started}`, sentence: '' }
    case 'CANCELLED':
      return {
        ...fact,
        state: startedAt ? 'OPEN' : 'FALSE',
        found: `cancelled${startedAt ? `, started${started}` : ''}`,
        sentence: 'The campaign was cancelled before it was sent.',
      }
  }
}

function createdFact({ startedAt }: Campaign, { createdAt }: ContactProfile, isInTime: boolean): Fact {
  return {
    name: 'CONTACT',
    state: isInTime ? 'TRUE' : 'FALSE',
    title: 'Contact exists',
    needs: startedAt ? `by ${timeText(startedAt)}` : 'when it is sent',
    found: `created ${timeText(createdAt)}`,
    sentence: `The contact was created on ${timeText(createdAt)}, after the audience was fixed.`,
  }
}

async function audienceFacts(
  em: EntityManager,
  { workspaceId, audience, status }: Campaign,
  { id }: ContactProfile,
  joinedBy: Date | null | undefined,
): Promise<Fact[]> {
  const { listIds, segmentIds, exclude } = audience
  const included = await partsOf(em, workspaceId, id, { listIds, segmentIds })
  const excluded = await partsOf(em, workspaceId, id, exclude)
  const joined = included.filter(({ isIn }) => isIn)
  const joinedInTime = joined.filter(({ addedAt }) => !addedAt || !joinedBy || addedAt <= joinedBy)
  const late = joinedInTime.length === 0 ? joined[0] : undefined
  const facts: Fact[] = [
    {
      name: 'AUDIENCE',
      state: joinedInTime.length > 0 ? 'TRUE' : 'FALSE',
      title: 'In the audience',
      needs: included.length === 0 ? 'a list or segment' : included.map(({ name }) => name).join(' or '),
      found: joined.length === 0 ? nowIn(included) : joined.map(foundIn).join(', '),
      sentence: late
        ? `The contact joined the ${late.name} on ${timeText(late.addedAt!)}, after the audience was fixed.`
        : `The contact is not in the audience: ${included.length === 0 ? missingParts(status) : included.map(({ name }) => name).join(' or ')}.`,
    },
  ]
  const exclusion = excluded.find(({ isIn }) => isIn)
  if (excluded.length > 0)
    facts.push({
      name: 'NOT_EXCLUDED',
      state: exclusion ? 'FALSE' : 'TRUE',
      title: 'Not excluded',
      needs: `not in the ${excluded.map(({ name }) => name).join(' or ')}`,
      found: exclusion ? foundIn(exclusion) : nowIn(excluded),
      sentence: exclusion ? `The contact is in the ${exclusion.name}, which the campaign excludes.` : '',
    })
  return facts
}

const missingParts = (status: Campaign['status']): string =>
  status === 'DRAFT' ? 'the campaign has no list or segment' : 'its lists and segments were deleted'

const nowIn = ({ length }: readonly Part[]): string => (length === 1 ? 'not in it now' : 'in none of them now')

/** A list or segment of an audience. `name` begins with its kind. */
interface Part {
  name: string
  isIn: boolean
  /** When the contact joined the list. */
  addedAt: Date | null
}

const foundIn = ({ name, addedAt }: Part): string => (addedAt ? `${name} since ${timeText(addedAt)}` : `${name} now`)

async function partsOf(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  { listIds, segmentIds }: { listIds: readonly string[]; segmentIds: readonly string[] },
): Promise<Part[]> {
  const lists = await listsWith(em, workspaceId, contactId, listIds)
  const segments = await segmentNames(em, workspaceId, segmentIds)
  const at = await timeIn(em, workspaceId)
  const parts = lists.map(({ name, addedAt }): Part => ({ name: `list “${name}”`, isIn: addedAt !== null, addedAt }))
  for (const { id, name } of segments) {
    const isIn = await contactMatches(em, workspaceId, contactId, { segment: id }, { at })
    parts.push({ name: `segment “${name}”`, isIn, addedAt: null })
  }
  return parts
}

const recipientFact = ({ createdAt }: CampaignMessage): Fact => ({
  name: 'AUDIENCE',
  state: 'TRUE',
  title: 'In the audience',
  needs: 'when it was sent',
  found: `recipient since ${timeText(createdAt)}`,
  sentence: '',
})
