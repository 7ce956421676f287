import { setTimeout as delay } from 'node:timers/promises'
import { eventNamesOf } from '../automations/index.ts'
import { lockContactsAgainstErasure } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type Condition, eventsMentionedBy, type ResolvedCondition, segmentResolver } from '../segments/index.ts'
import { foldName } from '../triggers/index.ts'
import { Workspace } from '../workspaces/index.ts'
import { Rehearsal } from './entities.ts'
import {
  type Audience,
  audiencePage,
  readContacts,
  readLastEnrollments,
  readOpenLists,
  readOccurrences,
  type Wanted,
} from './facts-queries.ts'
import type { RehearsalPlan } from './plan.ts'
import { type Person, rehearsePerson } from './rehearse-people.ts'
import { conditionsOf, prepare, type Setting } from './rehearsed-automation.ts'
import { type ContactResult, insertResults, recordPage } from './store-queries.ts'
import { addCourse, differenceOf, emailsIn, outcomeOf } from './summary.ts'

const PAGE_SIZE = 500
/** Contacts whose events and messages are in memory at once. */
const PART_SIZE = 250
/** Milliseconds after which a page pauses, and for how long: the process does other work, and other processes get their share. */
const PAUSE_AFTER_MS = 20
const PAUSE_MS = 14

/** Rehearses the next page of contacts. @returns whether there may be more */
export async function advanceRehearsal(em: EntityManager, id: string): Promise<boolean> {
  const rehearsal = await em.fork().findOne(Rehearsal, { id, status: 'RUNNING' })
  if (!rehearsal) return false
  const { workspaceId, plan, summary, afterId } = rehearsal
  const { setting, wanted } = await settingOf(em.fork(), workspaceId, plan)
  const audience = await audienceOf(em.fork(), workspaceId, plan.segmentId, new Date(plan.from))
  const ids = await audiencePage(em.fork(), audience, afterId, PAGE_SIZE)
  const { id: automationId } = plan.rehearsed
  const lastEnrollments = await readLastEnrollments(em.fork(), automationId, ids, plan.from)
  const occurrences =
    plan.replay && (await readOccurrences(em.fork(), ids, { ...plan.replay, automationId, since: plan.from }))
  const rehearsed = prepare(plan.rehearsed)
  const current = plan.current && prepare(plan.current)
  const results: ContactResult[] = []
  let since = performance.now()
  for await (const state of readInParts(em, workspaceId, ids, wanted)) {
    const person: Person = {
      state,
      entries: occurrences
        ? (occurrences.get(state.id) ?? []).map((event) => ({ at: event.at, event }))
        : [{ at: plan.from, event: startOf(plan) }],
      lastEnrollment: lastEnrollments.get(state.id) ?? null,
    }
    const course = rehearsePerson(rehearsed, person, setting, plan.supposed)
    const inCurrent = current && rehearsePerson(current, person, setting, plan.supposed)
    addCourse(summary, course, inCurrent)
    results.push({
      contactId: state.id,
      emails: emailsIn(course),
      difference: differenceOf(course, inCurrent),
      outcome: outcomeOf(course),
      timeline: course.timeline,
    })
    if (performance.now() - since > PAUSE_AFTER_MS) {
      await delay(PAUSE_MS)
      since = performance.now()
    }
  }
  const isLast = ids.length < PAGE_SIZE
  const lastId = ids.at(-1) ?? afterId
  const isRecorded = await em.fork().transactional(async (unit) => {
    const isNew = await recordPage(unit, { id, afterId, lastId, done: results.length, summary, isLast })
    if (!isNew) return false
    // Contacts can be erased in the meantime.
    const existing = await lockContactsAgainstErasure(unit, ids)
    await insertResults(
      unit,
      id,
      results.filter(({ contactId }) => existing.has(contactId)),
    )
    return true
  })
  // If another worker has recorded this page, the next attempt finds where the rehearsal is.
  return !isRecorded || !isLast
}

/** Reads contacts with their facts, of which each can have thousands, a part at a time. */
async function* readInParts(em: EntityManager, workspaceId: string, ids: readonly string[], wanted: Wanted) {
  for (let from = 0; from < ids.length; from += PART_SIZE)
    yield* await readContacts(em.fork(), workspaceId, ids.slice(from, from + PART_SIZE), wanted)
}

/** The audience of a rehearsal. Tags, lists and attributes are those of now; periods count back from `at`. */
export async function audienceOf(
  em: EntityManager,
  workspaceId: string,
  segmentId: string | null,
  at: Date,
): Promise<Audience> {
  const condition: Condition = segmentId === null ? { all: [] } : { segment: segmentId }
  const resolve = await segmentResolver(em, workspaceId, [condition])
  return { condition: resolve(condition), context: { workspaceId, at } }
}

/** The event that enrolls contacts at the beginning, if an event starts the automation. */
export const startOf = ({ event, from }: Pick<RehearsalPlan, 'event' | 'from'>) => event && { ...event, at: from }

/** Reads what all contacts of a rehearsal share. */
export async function settingOf(
  em: EntityManager,
  workspaceId: string,
  plan: RehearsalPlan,
): Promise<{ setting: Setting; wanted: Wanted }> {
  const automations = [plan.rehearsed, ...(plan.current ? [plan.current] : [])]
  const conditions = automations.flatMap(conditionsOf)
  const resolve = await segmentResolver(em, workspaceId, conditions)
  const { timezone, mode } = await em.findOneOrFail(Workspace, { id: workspaceId })
  const resolved = conditions.map(resolve)
  const names = [
    ...automations.flatMap((each) => eventNamesOf(each, each.steps)),
    ...resolved.flatMap((each) => eventsMentionedBy(each)),
  ]
  return {
    setting: {
      resolve,
      openLists: await readOpenLists(em, workspaceId),
      timezone,
      sentAs: mode === 'test' ? 'CAPTURED' : 'SENT',
      until: plan.until,
      responses: plan.responses,
    },
    wanted: { eventNames: [...new Set(names.map(foldName))], messages: resolved.some(mentionsMessages) },
  }
}

function mentionsMessages(condition: ResolvedCondition): boolean {
  if ('all' in condition) return condition.all.some(mentionsMessages)
  if ('any' in condition) return condition.any.some(mentionsMessages)
  return 'not' in condition ? mentionsMessages(condition.not) : 'activity' in condition || 'message' in condition
}
