import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { isGrpcDeadlineError } from '@temporalio/client'
import { updateAutomation } from '../../src/automations/automations.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { bundleWithShortRuns } from '../support/workflow-bundle.ts'

const DAY_MS = 24 * 60 * 60_000
/** The test server never answers some queries that arrive while a run ends. */
const QUERY_MS = 5_000
/** A run ends after this number of events: a few signals reach it, and a new run does not before it waits. */
const MAX_EVENTS = 20

/** The last event of a history, while the workflow has something to do. */
const UNPROCESSED = [
  'workflowExecutionStartedEventAttributes',
  'workflowExecutionSignaledEventAttributes',
  'activityTaskScheduledEventAttributes',
  'workflowTaskScheduledEventAttributes',
  'workflowTaskStartedEventAttributes',
] as const

const email = (subject: string): StepInput => ({ type: 'EMAIL', subject, text: 'Hi' })
const wait: StepInput = { type: 'WAIT', delayMinutes: 24 * 60 }
const lastEmail = email('after')

interface StepCase {
  steps: StepInput[]
  /** Whether the enrollment is interrupted while the step is held by a pause of the automation. */
  isHeld?: true
  /** The event that ends the wait. */
  eventName?: string
  sent: string[]
  status?: string
}

const CASES: Record<string, StepCase> = {
  EMAIL: { steps: [wait, email('held')], isHeld: true, sent: ['held', 'after'] },
  WAIT: { steps: [wait], sent: ['after'] },
  WAIT_UNTIL: { steps: [{ type: 'WAIT_UNTIL', until: { field: 'contact.metadata.due' } }], sent: ['after'] },
  WAIT_FOR_EVENT: {
    steps: [
      {
        type: 'WAIT_FOR_EVENT',
        eventName: 'ordered',
        timeoutMinutes: 24 * 60,
        received: [email('received')],
        timedOut: [email('timed out')],
      },
    ],
    eventName: 'Ordered',
    sent: ['received', 'after'],
  },
  'WAIT_FOR_EVENT that times out': {
    steps: [
      {
        type: 'WAIT_FOR_EVENT',
        eventName: 'ordered',
        timeoutMinutes: 24 * 60,
        received: [email('received')],
        timedOut: [email('timed out')],
      },
    ],
    sent: ['timed out', 'after'],
  },
  CONDITION: {
    steps: [
      wait,
      {
        type: 'CONDITION',
        branches: [{ name: 'pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [email('pro')] }],
        else: [email('other')],
      },
    ],
    isHeld: true,
    sent: ['pro', 'after'],
  },
  SPLIT: {
    steps: [
      wait,
      {
        type: 'SPLIT',
        branches: [
          { name: 'A', weight: 0, steps: [email('A')] },
          { name: 'B', weight: 1, steps: [email('B')] },
        ],
      },
    ],
    isHeld: true,
    sent: ['B', 'after'],
  },
  UPDATE_CONTACT: {
    steps: [
      wait,
      { type: 'UPDATE_CONTACT', addTags: ['vip'] },
      { type: 'CONDITION', branches: [{ name: 'vip', if: { tag: 'vip' }, steps: [email('vip')] }] },
    ],
    isHeld: true,
    sent: ['vip', 'after'],
  },
  WEBHOOK: { steps: [{ type: 'WEBHOOK', url: '' }], sent: ['after'] },
  EXIT: { steps: [wait, { type: 'EXIT' }], sent: [], status: 'EXITED' },
}

describe('a step of each type', () => {
  let world: TimeSkipping
  let server: Awaited<ReturnType<typeof startWebhookServer>>
  // Its waits begin at the present time, which the end of another suite's workflows may move by years.
  useTimeSkipping((opened) => (world = opened), { clock: 'own' })
  before(async () => {
    server = await startWebhookServer()
    server.receiver.answer = () => (server.requests.length === 1 ? 503 : 200)
  })
  after(() => server.stop())

  /** Starts an enrollment, and ends when it waits at the step. */
  async function begin([type, { steps, isHeld, eventName, sent, status = 'COMPLETED' }]: [string, StepCase]) {
    const { workspaceId, orm, dependencies } = world
    const withUrl = steps.map((step) => (step.type === 'WEBHOOK' ? { ...step, url: server.url } : step))
    const automationId = await world.automation([...withUrl, lastEmail])
    const due = new Date((await world.env.currentTimeMs()) + DAY_MS).toISOString()
    const contactId = await world.contact({ due, plan: 'pro' })
    const changeStatus = (to: 'ACTIVE' | 'PAUSED') =>
      updateAutomation(orm.em, workspaceId, automationId, { status: to })
    const handle = world.handle(automationId, contactId)
    const state = () =>
      eventually('the workflow answers', async () => {
        try {
          return await world.env.client.withDeadline(Date.now() + QUERY_MS, () => handle.query(stateQuery))
        } catch (error) {
          if (isGrpcDeadlineError(error) || isGrpcDeadlineError((error as Error).cause)) return undefined
          throw error
        }
      })
    const signal = () => dependencies.enrollments.wake({ automationId, contactId, concurrencyKey: '' })
    const wakeTime = () =>
      eventually('the enrollment waits', async () => {
        const { wakeAt, paused } = await state()
        return paused ? 0 : (wakeAt ?? undefined)
      })
    await world.enroll(automationId, contactId)
    await wakeTime()
    if (isHeld) {
      await changeStatus('PAUSED')
      await world.env.sleep(DAY_MS + 1_000)
      await eventually('the step is held', async () => ((await state()).paused ? true : undefined))
    }
    /** Ends the wait. @returns what differs from the expected end */
    const finish = async () => {
      if (isHeld) await changeStatus('ACTIVE')
      if (isHeld) await signal()
      if (eventName !== undefined) await fireEvent(dependencies, workspaceId, contactId, { name: eventName }, newCall())
      const { status: end } = (await handle.result()) as { status: string }
      const runs = await sql<{ finished: boolean }>(
        orm.em.fork(),
        'select finished_at is not null as finished from step_runs where contact_id = $1',
        [contactId],
      )
      const ids = server.requests.map(({ headers }) => headers['webhook-id'])
      const found = {
        ...{ status: end, sent: world.subjects(), areFinished: runs.every(({ finished }) => finished) },
        ...{ requests: ids.length, webhooks: new Set(ids).size },
      }
      const [requests, webhooks] = type === 'WEBHOOK' ? [2, 1] : [0, 0]
      const expected = { status, sent, areFinished: true, requests, webhooks }
      return isDeepStrictEqual(found, expected) ? [] : [{ type, found, expected }]
    }
    return { handle, signal, wakeTime, wakeAt: await wakeTime(), finish }
  }

  /** Interrupts each type of step, and compares what the enrollment does afterwards. */
  async function interruptEach(
    interrupt: (begun: Awaited<ReturnType<typeof begin>>) => Promise<void>,
    bundle?: Awaited<ReturnType<typeof bundleWithShortRuns>>,
  ) {
    const deviations: unknown[] = []
    for (const each of Object.entries(CASES)) {
      world.mails.length = 0
      server.requests.length = 0
      const begun = await world.whileWorking(() => begin(each), 0, bundle)
      await interrupt(begun)
      await world.whileWorking(
        async () => {
          const { wakeAt, wakeTime, finish } = begun
          const now = await wakeTime()
          if (now !== wakeAt) deviations.push({ type: each[0], wakeAt, now })
          deviations.push(...(await finish()))
        },
        0,
        bundle,
      )
    }
    assert.deepEqual(deviations, [])
  }

  it('continues after a restart of the worker', () => interruptEach(() => world.stopWorker()))

  it('continues in a new run of the workflow', async () => {
    const bundle = await bundleWithShortRuns(MAX_EVENTS)
    await interruptEach(async ({ handle, signal }) => {
      const { runId } = await handle.describe()
      const firstRun = world.env.client.workflow.getHandle(handle.workflowId, runId, { followRuns: false })
      /** Returns the last event of a run that has processed everything. */
      const lastOf = (run: typeof handle) =>
        eventually('the workflow has processed its events', async () => {
          const last = (await run.fetchHistory()).events!.at(-1)!
          return UNPROCESSED.some((attributes) => last[attributes]) ? undefined : last
        })
      // Each signal adds events. This reads histories, because the test server does not answer a query that meets the end of a
      // run, and skips no time from then on. An extra signal could end the new run, too.
      let isOver = false
      while (!isOver) {
        await signal()
        isOver = (await lastOf(firstRun)).workflowExecutionContinuedAsNewEventAttributes != null
      }
      await lastOf(handle)
    }, bundle)
  })
})
