import assert from 'node:assert/strict'
import { isGrpcDeadlineError } from '@temporalio/client'
import { updateAutomation } from '../../src/automations/automations.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { applyChange } from '../../src/contacts/apply-change.ts'
import { enrollContact } from '../../src/enrollments/enroll-contact.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { startTimeSkipping, type TimeSkipping } from '../support/time-skipping.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { bundleWithShortRuns } from '../support/workflow-bundle.ts'

const DAY_MS = 24 * 60 * 60_000
/** The test server never answers some queries that arrive while a run ends. */
const QUERY_MS = 5_000
/** A run ends after this number of events: a few signals reach it, and a new run does not before it waits. */
const MAX_EVENTS = 20

/** The last event of a history, while the workflow has something to do. */
const UNPROCESSED = [
  'workflowExecutionSignaledEventAttributes',
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

describe('a step of the type', () => {
  let world: TimeSkipping
  let server: Awaited<ReturnType<typeof startWebhookServer>>
  before(async () => {
    world = await startTimeSkipping()
    server = await startWebhookServer()
    server.receiver.answer = () => (server.requests.length === 1 ? 503 : 200)
  })
  after(async () => {
    await server.stop()
    await world.stop()
  })
  beforeEach(() => {
    world.mails.length = 0
    server.requests.length = 0
  })

  const subjects = () => world.mails.map(({ mail }) => /^Subject: (.*)$/m.exec(mail.headers)?.[1]?.trim())

  for (const [type, { steps, isHeld, eventName, sent, status = 'COMPLETED' }] of Object.entries(CASES)) {
    /** Starts an enrollment, and ends when it waits at the step. */
    const begin = async () => {
      const { workspaceId, orm, dependencies } = world
      const withUrl = steps.map((step) => (step.type === 'WEBHOOK' ? { ...step, url: server.url } : step))
      const automationId = await world.automation([...withUrl, lastEmail])
      const contactId = await world.contact()
      const due = new Date((await world.env.currentTimeMs()) + DAY_MS).toISOString()
      const change = { set: { metadata: { due, plan: 'pro' } } }
      await orm.em.fork().transactional((unit) => applyChange(unit, { workspaceId, contactId, depth: 0 }, change))
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
      const signal = () => dependencies.enrollments.automationChanged(automationId, contactId)
      const wakeTime = () =>
        eventually('the enrollment waits', async () => {
          const { wakeAt, paused } = await state()
          return paused ? 0 : (wakeAt ?? undefined)
        })
      await enrollContact(dependencies, workspaceId, automationId, { contactId }, newCall())
      await wakeTime()
      if (isHeld) {
        await changeStatus('PAUSED')
        await world.env.sleep(DAY_MS + 1_000)
        await eventually('the step is held', async () => ((await state()).paused ? true : undefined))
      }
      const finish = async () => {
        if (isHeld) await changeStatus('ACTIVE')
        if (isHeld) await signal()
        if (eventName !== undefined)
          await fireEvent(dependencies, workspaceId, contactId, { name: eventName }, newCall())
        assert.equal(((await handle.result()) as { status: string }).status, status)
        assert.deepEqual(subjects(), sent)
        const runs = await sql<{ attempts: number | null; finished: boolean }>(
          orm.em.fork(),
          'select attempts, finished_at is not null as finished from step_runs where contact_id = $1',
          [contactId],
        )
        assert.ok(runs.every(({ finished }) => finished))
        if (type !== 'WEBHOOK') return
        assert.equal(server.requests.length, 2)
        assert.equal(new Set(server.requests.map(({ headers }) => headers['webhook-id'])).size, 1)
      }
      return { automationId, contactId, handle, signal, state, wakeTime, finish }
    }

    it(`${type} continues after a restart of the worker`, async () => {
      const { finish, wakeTime, wakeAt } = await world.whileWorking(async () => {
        const begun = await begin()
        return { ...begun, wakeAt: await begun.wakeTime() }
      }, 0)
      await world.whileWorking(async () => {
        assert.equal(await wakeTime(), wakeAt)
        await finish()
      }, 0)
    })

    it(`${type} continues in a new run of the workflow`, async () => {
      const shortRuns = await bundleWithShortRuns(MAX_EVENTS)
      const work = async () => {
        const { handle, signal, wakeTime, finish } = await begin()
        const wakeAt = await wakeTime()
        const { runId } = await handle.describe()
        const firstRun = world.env.client.workflow.getHandle(handle.workflowId, runId, { followRuns: false })
        // Each signal adds events. The test server does not answer a query that arrives while a run ends.
        for (let isRunning = true; isRunning;) {
          await signal()
          isRunning = await eventually('the workflow has processed the signal', async () => {
            if ((await firstRun.describe()).status.name !== 'RUNNING') return false
            const last = (await firstRun.fetchHistory()).events!.at(-1)!
            return UNPROCESSED.some((attributes) => last[attributes]) ? undefined : true
          })
        }
        assert.equal(await wakeTime(), wakeAt)
        await finish()
      }
      await world.whileWorking(work, 0, shortRuns)
    })
  }
})
