import type { Automation } from '../automations/index.ts'
import type { ContactProfile } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { contactMatches } from '../segments/index.ts'
import { TRIGGER_EVENT_DAYS, type Trigger } from '../triggers/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { type Fact, timeText } from './explanation.ts'
import { isKnownInSegment, type LastOccurrence, listsWith, requestTime, segmentNames, tagTime } from './queries.ts'

/** The need of a trigger, and what a contact has of it at this moment. */
interface Requirement {
  title: string
  needs: string
  found: string
  /** The reason why the contact did not enter. */
  sentence: string
  /** Whether it may still start the automation. */
  isOpen?: boolean
}

/** Minutes after which an enrollment that a trigger started is recorded, unless something is wrong. */
const START_MINUTES = 60

/**
 * Returns whether the trigger of an automation happened to a contact who is not enrolled.
 * @param occurrence the last one that is recorded
 * @param refusedAt when a rule last kept the contact out; the trigger happened then
 */
export async function triggerFact(
  em: EntityManager,
  automation: Automation,
  contact: ContactProfile,
  { occurrence, refusedAt }: { occurrence: LastOccurrence | undefined; refusedAt: Date | undefined },
): Promise<Fact> {
  const { triggerKey: key } = automation
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
  const { title, needs, found, sentence, isOpen } = await requirementOf(em, automation, contact, key)
  const base = { ...fact, title, needs }
  if (refusedAt) return { ...base, state: 'TRUE', found: timeText(refusedAt), sentence: '' }
  if (!occurrence) return { ...base, state: isOpen ? 'OPEN' : 'FALSE', found, sentence }
  const when = timeText(occurrence.createdAt)
  if (!occurrence.isHeard) return { ...base, ...missed(automation.trigger, when) }
  const isRecent = Date.now() - occurrence.createdAt.getTime() < START_MINUTES * 60_000
  return {
    ...base,
    state: 'OPEN',
    found: when,
    sentence: isRecent
      ? `The trigger happened on ${when}, and the contact is about to enter.`
      : `The trigger happened on ${when}. The enrollment is no longer stored, or it was removed.`,
  }
}

/** Describes a trigger that happened when the automation did not listen for it. */
const missed = (trigger: Trigger, when: string) => ({
  state: 'FALSE' as const,
  found: `${when}, before the automation was listening`,
  sentence: `${HAPPENED[trigger]} on ${when}, before the automation was listening. It reacts only to what happens while it is active.`,
})

/** Describes what a contact has since a time, without a record of what that started. */
function happenedOn(trigger: Trigger, at: Date) {
  if (Date.now() - at.getTime() < TRIGGER_EVENT_DAYS * 86_400_000) return missed(trigger, timeText(at))
  const when = timeText(at)
  return {
    found: when,
    sentence: `${HAPPENED[trigger]} on ${when}. What that started is no longer stored.`,
    isOpen: true,
  }
}

const HAPPENED: Record<Trigger, string> = {
  EVENT: 'The event happened',
  TAG_ADDED: 'The contact got the tag',
  LIST_ADDED: 'The contact joined the list',
  LIST_REQUESTED: 'The contact asked to join the list',
  SIGNUP: 'The contact was created',
  SEGMENT_ENTERED: 'The contact entered the segment',
  DATE: 'The date came',
}

/** Describes what a contact has at this moment. */
async function requirementOf(
  em: EntityManager,
  { id, workspaceId, trigger, triggerConfig }: Automation,
  contact: ContactProfile,
  key: string,
): Promise<Requirement> {
  const since = (at: Date | undefined, lack: string) =>
    at === undefined ? { found: 'never', sentence: lack } : happenedOn(trigger, at)
  switch (trigger) {
    case 'EVENT': {
      const name = triggerConfig.eventName ?? key
      const lack = `The event “${name}”, which starts the automation, never happened for the contact, or is no longer stored.`
      return { title: `Event “${name}”`, needs: 'happened', ...since(undefined, lack) }
    }
    case 'TAG_ADDED': {
      const name = triggerConfig.tagName ?? key
      const lack = `The contact does not have the tag “${name}”, which starts the automation.`
      return { title: `Tag “${name}”`, needs: 'added', ...since(await tagTime(em, contact.id, key), lack) }
    }
    case 'LIST_ADDED':
    case 'LIST_REQUESTED': {
      const [list] = await listsWith(em, workspaceId, contact.id, [key])
      const name = list ? `“${list.name}”` : 'that was deleted'
      const title = `List ${name}`
      if (trigger === 'LIST_ADDED') {
        const lack = `The contact is not in the list ${name}, which starts the automation.`
        return { title, needs: 'joined', ...since(list?.addedAt ?? undefined, lack) }
      }
      const lack = `The contact has not asked to join the list ${name}, which starts the automation.`
      return { title, needs: 'asked to join', ...since(await requestTime(em, contact.id, key), lack) }
    }
    case 'SIGNUP':
      return { title: 'New contact', needs: 'created while active', ...since(contact.createdAt, '') }
    case 'SEGMENT_ENTERED': {
      const [segment] = await segmentNames(em, workspaceId, [key])
      const name = segment ? `“${segment.name}”` : 'that was deleted'
      const base = { title: `Segment ${name}`, needs: 'entered while active' }
      const at = await timeIn(em, workspaceId)
      if (!segment || !(await contactMatches(em, workspaceId, contact.id, { segment: key }, { at })))
        return {
          ...base,
          found: 'not in it',
          sentence: `The contact is not in the segment ${name}, which starts the automation.`,
        }
      return (await isKnownInSegment(em, id, contact.id))
        ? {
            ...base,
            found: 'in it since before',
            sentence: `The contact was already in the segment ${name}. The automation starts for contacts who enter it.`,
          }
        : { ...base, found: 'in it now', sentence: `The contact has just entered the segment ${name}.`, isOpen: true }
    }
    case 'DATE': {
      const name = key.replace(/^contact\.(metadata\.)?/, '')
      const value = name === 'createdAt' ? contact.createdAt : contact.metadata[name]
      const base = { title: `Date ${name}`, needs: 'reached while active' }
      if (value == null)
        return {
          ...base,
          found: 'missing',
          sentence: `The contact has no date in ${name}, which starts the automation.`,
        }
      const text = (value instanceof Date ? timeText(value) : textOf(value)).slice(0, MAX_VALUE_LENGTH)
      return {
        ...base,
        found: text,
        sentence: `The date in ${name} is ${text}. The automation starts when it comes, and has not started for it yet.`,
      }
    }
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A longer text is not a date. */
const MAX_VALUE_LENGTH = 40
