import type { Automation } from '../automations/index.ts'
import type { ContactProfile } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { contactMatches } from '../segments/index.ts'
import type { Trigger } from '../triggers/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { type Fact, timeText } from './explanation.ts'
import { lastOccurrenceOf, listsWith, segmentNames, tagTime } from './queries.ts'

/** A thing that a contact needs for a trigger, and the time at which they got it. */
interface Requirement {
  title: string
  needs: string
  /** `undefined` if the contact does not have it. `null` if the time is not known. */
  since: Date | null | undefined
  /** Why the contact did not enter, if they do not have it. */
  lack: string
}

/**
 * Returns whether the trigger of an automation happened to a contact.
 * @param refusedAt when a rule last kept the contact out; the trigger happened then
 */
export async function triggerFact(
  em: EntityManager,
  automation: Automation,
  contact: ContactProfile,
  refusedAt: Date | undefined,
): Promise<Fact> {
  const { id: automationId, trigger, triggerKey: key } = automation
  const fact = { name: 'TRIGGER' }
  if (key == null)
    return {
      ...fact,
      state: 'FALSE',
      title: 'Has a trigger',
      needs: 'a complete trigger',
      found: 'incomplete',
      sentence: 'The trigger of the automation is incomplete, so no contact enters.',
    }
  const { title, needs, since, lack } = await requirementOf(em, automation, contact, key)
  const occurrence = await lastOccurrenceOf(em, { automationId, contactId: contact.id, trigger, key })
  const happenedAt = occurrence?.isHeard ? occurrence.createdAt : refusedAt
  if (happenedAt) return { ...fact, state: 'TRUE', title, needs, found: timeText(happenedAt), sentence: '' }
  const last = occurrence?.createdAt ?? since
  if (last === undefined) return { ...fact, state: 'FALSE', title, needs, found: 'never', sentence: lack }
  const when = last === null ? '' : ` on ${timeText(last)}`
  return {
    ...fact,
    state: 'FALSE',
    title,
    needs,
    found: `${last === null ? 'yes' : timeText(last)}, but the automation did not start then`,
    sentence: `${HAPPENED[trigger]}${when}, when the automation did not listen for it. It starts for what happens while it is active.`,
  }
}

const HAPPENED: Record<Trigger, string> = {
  EVENT: 'The event happened',
  TAG_ADDED: 'The contact got the tag',
  LIST_ADDED: 'The contact joined the list',
  LIST_REQUESTED: 'The contact asked to join the list',
  SIGNUP: 'The contact was created',
  SEGMENT_ENTERED: 'The contact entered the segment',
  DATE: 'The contact got the date',
}

async function requirementOf(
  em: EntityManager,
  { workspaceId, trigger, triggerConfig }: Automation,
  contact: ContactProfile,
  key: string,
): Promise<Requirement> {
  switch (trigger) {
    case 'EVENT': {
      const name = triggerConfig.eventName ?? key
      return {
        title: `Event ${name}`,
        needs: 'received',
        since: undefined,
        lack: `The contact has never had the event ${name}, which starts the automation.`,
      }
    }
    case 'TAG_ADDED': {
      const name = triggerConfig.tagName ?? key
      return {
        title: `Tag “${name}”`,
        needs: 'added',
        since: await tagTime(em, contact.id, key),
        lack: `The contact does not have the tag “${name}”, which starts the automation.`,
      }
    }
    case 'LIST_ADDED':
    case 'LIST_REQUESTED': {
      const [list] = await listsWith(em, workspaceId, contact.id, [key])
      const name = list ? `“${list.name}”` : 'that was deleted'
      return {
        title: `List ${name}`,
        needs: trigger === 'LIST_ADDED' ? 'joined' : 'asked to join',
        since: list?.addedAt ?? undefined,
        lack: `The contact ${trigger === 'LIST_ADDED' ? 'is not in' : 'has not asked to join'} the list ${name}, which starts the automation.`,
      }
    }
    case 'SIGNUP':
      return { title: 'New contact', needs: 'created while active', since: contact.createdAt, lack: '' }
    case 'SEGMENT_ENTERED': {
      const [segment] = await segmentNames(em, workspaceId, [key])
      const name = segment ? `“${segment.name}”` : 'that was deleted'
      const at = await timeIn(em, workspaceId)
      const isIn =
        segment !== undefined && (await contactMatches(em, workspaceId, contact.id, { segment: key }, { at }))
      return {
        title: `Segment ${name}`,
        needs: 'entered while active',
        since: isIn ? null : undefined,
        lack: `The contact is not in the segment ${name}, which starts the automation.`,
      }
    }
    case 'DATE': {
      const name = key.replace(/^contact\.(metadata\.)?/, '')
      const has = name === 'createdAt' || contact.metadata[name] != null
      return {
        title: `Date ${name}`,
        needs: 'reached while active',
        since: has ? null : undefined,
        lack: `The contact has no date in ${name}, which starts the automation.`,
      }
    }
  }
}
