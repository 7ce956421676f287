import { NO_STEP } from '../counters/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { MESSAGE_STATUSES } from '../messages/index.ts'
import {
  type Counts,
  countsOf,
  dueOf,
  dueOfWorkspace,
  flowCounts,
  type StepCounts,
  stepCounts,
  totalCounts,
  countOpenMessages,
} from './queries.ts'
import { type AutomationStats, MAX_LISTED_DAYS, type ListedStats } from './responses.ts'

const HOUR_MS = 3_600_000

/** Reads the counters of automations. @param automationIds automations that the caller may see */
async function read(em: EntityManager, automationIds: readonly string[]) {
  const [counts, enrolled] = [await stepCounts(em, automationIds), await countsOf(em, automationIds)]
  const due = await dueOf(
    em,
    counts.filter(({ counts: of }) => (of['WAITING'] ?? 0) > 0),
  )
  const dueAt = new Map(due.map((each) => [`${each.automationId} ${each.stepId}`, each]))
  const byAutomation = Map.groupBy(counts, ({ automationId }) => automationId)
  return automationIds.map((automationId) => {
    const steps = byAutomation.get(automationId) ?? []
    const countsAt = (stepId: string): Counts => steps.find((step) => step.stepId === stepId)?.counts ?? {}
    const dueAtStep = (stepId: string) => dueAt.get(`${automationId} ${stepId}`)
    return { automationId, enrolled: enrolled.get(automationId) ?? 0, steps, countsAt, dueAtStep }
  })
}

/** Returns the stats of an existing automation. */
export async function getAutomationStats(em: EntityManager, automationId: string): Promise<AutomationStats> {
  const [found] = await read(em, [automationId])
  const { enrolled, steps, countsAt, dueAtStep } = found!
  const whole = countsAt(NO_STEP)
  return {
    automationId,
    enrolled,
    whole,
    steps: steps
      .filter(({ stepId }) => stepId !== NO_STEP)
      .map(({ stepId, counts }) => ({ stepId, counts, due: dueAtStep(stepId) })),
    ending: { counts: whole, due: dueAtStep(NO_STEP) },
  }
}

/** Returns the stats of existing automations, and of their last days. @param now the last day ends with the hour of this time */
export async function listAutomationStats(
  em: EntityManager,
  automationIds: readonly string[],
  now: Date,
): Promise<ListedStats[]> {
  const until = new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS)
  const from = new Date(until.getTime() - MAX_LISTED_DAYS * 24 * HOUR_MS)
  const flow = await flowCounts(em, {
    subjects: automationIds,
    counters: MESSAGE_STATUSES,
    from,
    minutes: 24 * 60,
    until,
  })
  const flowAt = new Map(flow.map(({ subject, at, counts }) => [`${subject} ${at.getTime()}`, counts]))
  return (await read(em, automationIds)).map(({ automationId, enrolled, steps, countsAt, dueAtStep }) => ({
    automationId,
    enrolled,
    whole: countsAt(NO_STEP),
    messages: sum(steps.filter(({ stepId }) => stepId !== NO_STEP)),
    nextWakeAt: earliest(steps.map(({ stepId }) => dueAtStep(stepId)?.nextWakeAt)),
    days: Array.from({ length: MAX_LISTED_DAYS }, (_, day) => {
      const since = new Date(from.getTime() + day * 24 * HOUR_MS)
      return { since, counts: flowAt.get(`${automationId} ${since.getTime()}`) ?? {} }
    }),
  }))
}

function sum(steps: readonly StepCounts[]): Counts {
  const total: Counts = {}
  for (const { counts } of steps) {
    for (const [counter, count] of Object.entries(counts)) total[counter] = (total[counter] ?? 0) + count
  }
  return total
}

const earliest = (dates: readonly (Date | null | undefined)[]): Date | null =>
  dates.reduce<Date | null>((first, date) => (date && (!first || date < first) ? date : first), null)

/** Returns the current stats of a workspace. */
export async function getWorkspaceStats(em: EntityManager, workspaceId: string) {
  const totals = await totalCounts(em, workspaceId)
  const { due, nextWakeAt } = await dueOfWorkspace(em, workspaceId)
  const open = await countOpenMessages(em, workspaceId)
  return {
    active: totals['ACTIVE'] ?? 0,
    paused: totals['PAUSED'] ?? 0,
    due,
    nextWakeAt: nextWakeAt?.toISOString() ?? null,
    ...open,
  }
}
