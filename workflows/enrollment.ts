import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import { eventCause, type EndStatus } from '../src/domain/enrollment.ts'
import { beginEnrollment, finishEnrollment } from './activities.ts'
import { describeProgress } from './details.ts'
import { historyIsLong } from './history.ts'
import {
  automationChangedSignal,
  stateQuery,
  triggerEventSignal,
  type EnrollmentInput,
  type EnrollmentProgress,
  type EnrollmentResult,
} from './messages.ts'
import type { EnrollmentRun } from './run.ts'
import { publishedWaits } from './search-attributes.ts'
import { runStep } from './steps/index.ts'

/** Of the events heard, how many of the last are remembered: enough to know one that is delivered again. */
const MAX_RECENT_EVENTS = 500

/**
 * One contact in one automation, from the first step to the last, however long that takes.
 * The workflow's start is what makes the enrollment; the database follows (design, section 5).
 */
export async function enrollment(input: EnrollmentInput): Promise<EnrollmentResult> {
  const run = createRun(input)
  try {
    if (!input.progress) {
      const begun = await beginEnrollment(input)
      if (!begun) return { status: 'NOT_ENROLLED' }
      Object.assign(run.progress, begun)
    }
    return await finish(run, await runSequence(run))
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => finish(run, 'CANCELLED'))
    throw error
  }
}

/** The state of a run. Its handlers only record and wake, and are there before anything is awaited. */
function createRun(input: EnrollmentInput): EnrollmentRun {
  const progress: EnrollmentProgress = input.progress ?? {
    automationName: '',
    steps: [],
    position: 0,
    wakeAt: null,
    eventCount: 0,
    recentEvents: [],
  }
  const run: EnrollmentRun = {
    input,
    progress,
    changes: 0,
    held: false,
    show: () => setCurrentDetails(describeProgress(progress, run.held)),
  }
  setHandler(triggerEventSignal, ({ id, enrollmentId }) => {
    if (progress.recentEvents.some((event) => event.id === id)) return
    progress.eventCount += 1
    progress.recentEvents.push({ id, enrollmentId })
    if (progress.recentEvents.length > MAX_RECENT_EVENTS) progress.recentEvents.shift()
  })
  setHandler(automationChangedSignal, () => {
    run.changes += 1
  })
  setHandler(stateQuery, () => ({
    position: progress.position,
    held: run.held,
    wakeAt: progress.wakeAt,
    eventCount: progress.eventCount,
  }))
  return run
}

async function runSequence(run: EnrollmentRun): Promise<EndStatus> {
  const { progress } = run
  const published = publishedWaits(progress.steps)
  for (let step = progress.steps[progress.position]; step; step = progress.steps[progress.position]) {
    run.show()
    const result = await runStep(run, step, published)
    if (result === 'stop') return 'STOPPED'
    if (result === 'gone') return 'CANCELLED'
    if (result === 'go-on') progress.position += 1
    if (historyIsLong()) await handOver({ ...run.input, progress })
  }
  run.show()
  return 'COMPLETED'
}

/**
 * Records the end. An event that arrives while the end is recorded is looked at again: if it happened after the end,
 * whoever fired it found the contact free, and the contact enters anew.
 */
async function finish({ input, progress }: EnrollmentRun, status: EndStatus): Promise<EnrollmentResult> {
  for (;;) {
    const { eventCount, recentEvents } = progress
    const { reenterBy } = await finishEnrollment({
      enrollmentId: input.enrollmentId,
      status,
      seenEventIds: recentEvents.map((event) => event.id),
    })
    const event = recentEvents.find(({ id }) => id === reenterBy)
    if (event) await handOver(reentry(input, event.id, event.enrollmentId))
    if (progress.eventCount === eventCount) return { status }
  }
}

const reentry = (input: EnrollmentInput, eventId: string, enrollmentId: string): EnrollmentInput => ({
  enrollmentId,
  workspaceId: input.workspaceId,
  automationId: input.automationId,
  contactId: input.contactId,
  enrolledAt: new Date(Date.now()).toISOString(),
  cause: eventCause(eventId),
  triggerEventId: eventId,
})

async function handOver(input: EnrollmentInput): Promise<never> {
  await condition(allHandlersFinished)
  return continueAsNew<typeof enrollment>(input)
}
