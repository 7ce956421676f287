import assert from 'node:assert/strict'
import { Worker } from '@temporalio/worker'
import pMap from 'p-map'
import type { MachineState, StepOutline } from '../../src/automation-engine/index.ts'
import { newId } from '../../src/platform/ids.ts'
import { sendingQueue } from '../../src/temporal/task-queues.ts'
import { eventually } from '../support/eventually.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'
import { bundleWithShortRuns } from '../support/workflow-bundle.ts'

/** A run ends after this number of events, instead of 2,000. */
const MAX_EVENTS = 50

// The product's workflow with activities that only record their calls: these tests depend on which signals arrive in the same
// task.
describe('the workflow of an enrollment that is cancelled in the task that finalizes an email', () => {
  let world: TimeSkipping
  useTimeSkipping((opened) => (world = opened))

  it('records its end as CANCELLED and sends no more email, even if its history is long', async () => {
    const steps = [anEmail(), anEmail()]
    // Each of these is an event of the history: with this many, the next email would be sent by a new run.
    const { status, calls } = await cancelDuringFinalization({ steps, signals: MAX_EVENTS + 10 })
    assert.deepEqual([status, calls], ['CANCELLED', ['sent 1', 'ended CANCELLED']])
  })

  it('records COMPLETED if it had completed, even with more processed events than a new run can carry', async () => {
    const steps = [anEmail()]
    const state: MachineState = {
      stepId: steps[0]!.id,
      waitingFor: 'change',
      wakeAt: null,
      paused: true,
      changed: false,
    }
    const { status, calls } = await cancelDuringFinalization({ steps, state, signals: 501 })
    assert.deepEqual([status, calls.at(-1)], ['CANCELLED', 'ended COMPLETED'])
  })

  /** Finalizes an email and cancels the run while no worker runs the workflow: both arrive in its next task. */
  async function cancelDuringFinalization({ steps, state, signals }: Scenario) {
    const taskQueue = `cancelled-${newId()}`
    const calls: string[] = []
    const activities = {
      beginEnrollment: () => Promise.resolve({ automationName: 'A sequence', steps }),
      sendEmailAtOnce: () => Promise.resolve({ next: 'queue' }),
      sendEmail({ stepId }: { stepId: string }) {
        calls.push(`sent ${steps.findIndex(({ id }) => id === stepId) + 1}`)
        return Promise.resolve({ next: 'continue' })
      },
      recordProcessedEvents: () => Promise.resolve(),
      finishEnrollment({ status }: { status: string }) {
        calls.push(`ended ${status}`)
        return Promise.resolve()
      },
    }
    const { env } = world
    const options = { connection: env.nativeConnection, namespace: 'default', activities }
    const bundle = await bundleWithShortRuns(MAX_EVENTS)
    const worker = () => Worker.create({ ...options, taskQueue, workflowBundle: bundle, maxCachedWorkflows: 0 })
    const sender = () => Worker.create({ ...options, taskQueue: sendingQueue(taskQueue) })

    const of = { instanceId: newId(), workspaceId: newId(), automationId: newId(), contactId: newId() }
    const entry = { enrollmentId: newId(), dedupKey: null, triggerEventId: null, enrolledAt: new Date().toISOString() }
    const progress = state && { state, received: [], receivedCount: 0 }
    const handle = await env.client.workflow.start('enrollment', {
      workflowId: taskQueue,
      taskQueue,
      args: [{ engine: 1, ...of, ...entry, ...(progress && { progress }) }],
    })
    const has = (name: 'activityTaskScheduledEventAttributes' | 'activityTaskCompletedEventAttributes') =>
      eventually(name, async () => (await handle.fetchHistory()).events?.find((event) => event[name]))
    await (await worker()).runUntil(has('activityTaskScheduledEventAttributes'))
    await pMap(
      Array.from({ length: signals }, newId),
      (id) => handle.signal('enter', { enrollmentId: newId(), dedupKey: `event:${id}`, triggerEventId: id }),
      { concurrency: 20 },
    )
    await (await sender()).runUntil(has('activityTaskCompletedEventAttributes'))
    await handle.cancel()
    const status = await (
      await worker()
    ).runUntil(
      eventually('the end', async () => {
        const { name } = (await handle.describe()).status
        return name === 'RUNNING' ? undefined : name
      }),
    )
    return { status, calls }
  }
})

interface Scenario {
  steps: StepOutline[]
  /** State of the run, if it continues an earlier one. */
  state?: MachineState
  /** Number of events that arrive while the email is in flight. */
  signals: number
}

const anEmail = (): StepOutline => ({ id: newId(), type: 'EMAIL' })
