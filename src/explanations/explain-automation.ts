import type { Automation, EntryRules } from '../automations/index.ts'
import type { ContactProfile } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type Condition, explainMatches } from '../segments/index.ts'
import { comparedText, endSentence } from '../steps/index.ts'
import type { RefusalReason } from '../triggers/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { barrierFact } from './barrier.ts'
import { deliveryFact } from './delivery-fact.ts'
import { type Explanation, type Fact, firstFalse, timeText } from './explanation.ts'
import {
  type EmailOfEnrollment,
  emailsOfEnrollment,
  type LastEnrollment,
  lastEnrollmentOf,
  lastOccurrenceOf,
  type LastRefusal,
  lastRefusalOf,
  sendsMarketing,
} from './queries.ts'
import { triggerFact } from './trigger-fact.ts'

/**
 * Explains why a contact is or was in an automation, or never was. Facts are those of this moment, except where an entry was refused:
 * that one was decided then.
 */
export async function explainAutomation(
  em: EntityManager,
  automation: Automation,
  contact: ContactProfile,
): Promise<Explanation> {
  const { id: automationId, trigger, triggerKey } = automation
  const enrollment = await lastEnrollmentOf(em, automationId, contact.id)
  const refusal = await lastRefusalOf(em, automation, contact.id)
  const listIds = trigger === 'LIST_ADDED' && triggerKey != null ? [triggerKey] : []
  const category = (await sendsMarketing(em, automation)) ? 'marketing' : 'transactional'
  const barrier = await barrierFact(em, contact.id, { category, listIds })
  const base = { enrollmentId: enrollment?.id ?? null, messageId: null }
  if (enrollment) {
    const emails = (await emailsOfEnrollment(em, enrollment.id)).map((email) => emailFact(email, enrollment))
    const again = refusal && refusal.createdAt > enrollment.enrolledAt ? refusedFact(refusal) : undefined
    const facts = [enteredFact(enrollment), ...emails, ...(again ? [again] : []), barrier]
    const unsent = firstFalse(emails)
    const sentence = [
      ...(unsent ? [unsent.sentence] : []),
      stateSentence(enrollment, automation),
      ...(again ? [again.sentence.replace('did not enter', 'did not enter again')] : []),
    ].join(' ')
    return { ...base, outcome: 'ENTERED', sentence, facts, decisive: unsent ?? again }
  }
  const occurrence =
    triggerKey == null
      ? undefined
      : await lastOccurrenceOf(em, { automationId, contactId: contact.id, trigger, key: triggerKey })
  const eventData = refusal ? refusal.data : occurrence?.data
  const active = activeFact(automation, refusal)
  const filter = await filterFact(em, automation, contact, { refusal, eventData })
  // Where the refusal has no fact of its own, it gets one, in the order in which an entry is decided.
  const hasOwn = refusal?.rule === 'PAUSED' || (refusal?.rule === 'FILTER' && filter !== undefined)
  const refused = refusal && !hasOwn ? [refusedFact(refusal)] : []
  const filters = filter ? [filter] : []
  const facts = [
    active,
    await triggerFact(em, automation, contact, { occurrence, refusedAt: refusal?.createdAt }),
    ...(refusal?.rule === 'REENTRY' ? [...filters, ...refused] : [...refused, ...filters]),
  ]
  const open = facts.find(({ state, sentence }) => state === 'OPEN' && sentence !== '')
  const byRefusal = refusal && (refusal.rule === 'PAUSED' ? active : (refused[0] ?? filter))
  const decisive = byRefusal ?? firstFalse(facts) ?? open
  return {
    ...base,
    outcome: 'NOT_ENTERED',
    sentence: decisive?.sentence ?? NOT_YET,
    facts: [...facts, barrier],
    decisive,
  }
}

const NOT_YET = 'Nothing keeps the contact out. They enter when the trigger happens next.'

function activeFact({ status }: Automation, refusal: LastRefusal | undefined): Fact {
  const fact = { name: 'ACTIVE', title: 'Automation is active', needs: 'active' }
  if (status === 'ACTIVE' && refusal?.rule === 'PAUSED')
    return {
      ...fact,
      state: 'FALSE',
      found: `paused on ${timeText(refusal.createdAt)}, active now`,
      sentence: `The automation was paused on ${timeText(refusal.createdAt)}, when its trigger happened, so the contact did not enter.`,
    }
  return {
    ...fact,
    state: status === 'ACTIVE' ? 'TRUE' : 'FALSE',
    found: status.toLowerCase(),
    sentence:
      status === 'DRAFT'
        ? 'The automation is not active yet.'
        : `The automation is ${status.toLowerCase()}, so no contact enters.`,
  }
}

async function filterFact(
  em: EntityManager,
  { workspaceId, entry }: Automation,
  { id }: ContactProfile,
  { refusal, eventData }: { refusal: LastRefusal | undefined; eventData: unknown },
): Promise<Fact | undefined> {
  const { filter } = entry as EntryRules
  if (!filter) return undefined
  const condition = filter as unknown as Condition
  const evaluation = { at: await timeIn(em, workspaceId), eventData }
  const found = await explainMatches(em, workspaceId, id, [condition], evaluation)
  const matches = found?.matches[0] ?? false
  const values = comparedText(found?.values ?? [])
  const now = `${matches ? 'matches' : 'does not match'}${values && `: ${values}`}`
  const fact = { name: 'FILTER', title: 'Matches the entry filter', needs: 'matches' }
  // A rule that is checked later refused the entry, so the filter matched.
  if (refusal?.rule === 'REENTRY')
    return { ...fact, state: 'TRUE', found: `matched on ${timeText(refusal.createdAt)}`, sentence: '' }
  if (refusal?.rule === 'FILTER') {
    const when = timeText(refusal.createdAt)
    return {
      ...fact,
      state: 'FALSE',
      found: `did not match on ${when}. As of now: ${now}`,
      sentence: `The contact did not enter on ${when}: ${reasonOf(refusal)}.`,
    }
  }
  return {
    ...fact,
    state: matches ? 'TRUE' : 'FALSE',
    found: now,
    sentence: `The contact does not match the entry filter${values && `: ${values}`}.`,
  }
}

/** The rules that have no fact of their own. */
const OTHER_RULES: Partial<Record<RefusalReason, { title: string; needs: string; why: string }>> = {
  REENTRY: {
    title: 'May enter again',
    needs: 'allowed by the re-entry rule',
    why: 'the re-entry rule did not allow another enrollment',
  },
  KEY: {
    title: 'Event has the concurrency key',
    needs: 'a text, number or boolean',
    why: 'the event had no usable concurrency key',
  },
  LOOP: {
    title: 'Not part of a loop',
    needs: 'at most 10 automations in a row',
    why: 'too many automations had started each other',
  },
  TRIGGERS_OFF: {
    title: 'Triggers on',
    needs: 'a change with triggers',
    why: 'a request changed the contact with `triggers: false`',
  },
}

const reasonOf = ({ rule }: LastRefusal): string =>
  OTHER_RULES[rule]?.why ?? (rule === 'PAUSED' ? 'the automation was paused' : 'the entry filter did not match')

function refusedFact(refusal: LastRefusal): Fact {
  const { title = 'May enter', needs = 'allowed by its rules' } = OTHER_RULES[refusal.rule] ?? {}
  const when = timeText(refusal.createdAt)
  return {
    name: refusal.rule,
    state: 'FALSE',
    title,
    needs,
    found: `refused on ${when}`,
    sentence: `The contact did not enter on ${when}: ${reasonOf(refusal)}.`,
  }
}

function enteredFact(enrollment: LastEnrollment): Fact {
  return {
    name: 'ENTERED',
    state: 'TRUE',
    title: 'Entered the automation',
    needs: 'entered',
    found: `${timeText(enrollment.enrolledAt)}, version ${enrollment.version}`,
    sentence: '',
  }
}

function stateSentence(
  { status, enrolledAt, endedAt, endedBy, place, stepCount, paused, wakesAt }: LastEnrollment,
  { status: automationStatus }: Automation,
): string {
  const since = timeText(enrolledAt)
  if (status === 'ACTIVE') {
    const pause =
      automationStatus !== 'ACTIVE'
        ? ` No email is sent while the automation is ${automationStatus.toLowerCase()}.`
        : paused
          ? ' The enrollment is paused.'
          : ''
    const at = wakesAt === null || pause !== '' ? '' : `, at ${timeText(wakesAt)}`
    const next = place === null ? '' : ` Step ${place} of ${stepCount} is next${at}.`
    return `The contact has been in it since ${since}.${next}${pause}`
  }
  const end = endedAt && timeText(endedAt)
  if (status === 'COMPLETED')
    return `The contact entered on ${since}, and completed the automation${end ? ` on ${end}` : ''}.`
  const why = endSentence({ rule: status, detail: endedBy ?? {} })
  return `The contact entered on ${since}, and was in it${end ? ` until ${end}` : ''}. ${why}`
}

function emailFact({ subject, isInBranch, ...email }: EmailOfEnrollment, enrollment: LastEnrollment): Fact {
  const title = `Email “${subject}”`
  const { status } = email
  if (status !== null) return deliveryFact({ ...email, status }, title, `The email “${subject}”`)
  const found = enrollment.status === 'ACTIVE' && !isInBranch ? 'not reached yet' : 'not reached'
  return { name: 'EMAIL', state: 'OPEN', title, needs: 'sent', found, sentence: '' }
}
