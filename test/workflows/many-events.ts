import assert from 'node:assert/strict'
import pMap from 'p-map'
import { newId } from '../../src/platform/ids.ts'
import { updateAutomation } from '../../src/automations/automations.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { eventually } from '../support/eventually.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'
import type { workflowBundle } from '../support/workflow-bundle.ts'

const DAY_MINUTES = 24 * 60
/** Number of events sent at once: more sometimes overload Temporal's test server. */
const WAVE = 500

interface Numbers {
  duringWait: number
  duringPause: number
  /** Returns the workflow code; that of production if it is missing. */
  bundle?: () => ReturnType<typeof workflowBundle>
}

/** Describes an enrollment that receives more events than one run of its workflow can have. */
export function describeManyEvents({ duringWait, duringPause, bundle }: Numbers): void {
  describe('events that arrive during an enrollment', function () {
    this.timeout(180_000)
    let world: TimeSkipping
    useTimeSkipping((opened) => (world = opened))

    const whileWorking = async (work: () => Promise<void>) => world.whileWorking(work, undefined, await bundle?.())
    /**
     * Sends events in waves: each is received before the next begins, on a slow machine too. It waits by reading the history, not
     * by a query: Temporal's test server loses a query that meets the beginning of a new run, and with it the skipping of time.
     */
    async function fire(automationId: string, contactId: string, count: number): Promise<void> {
      const ids = {
        workspaceId: world.workspaceId,
        automationId,
        contactId,
        enrolledAt: new Date().toISOString(),
        clockAhead: 0,
      }
      const enter = (id: string) => {
        const input = { ...ids, enrollmentId: newId(), dedupKey: `event:${id}`, triggerEventId: id }
        return world.dependencies.enrollments.enter({ automationName: 'A sequence', requestId: null, input })
      }
      for (let fired = 0; fired < count; fired += WAVE) {
        await pMap(Array.from({ length: Math.min(WAVE, count - fired) }, newId), enter, { concurrency: 20 })
        await eventually('they are received', async () => {
          const { events } = await world.handle(automationId, contactId).fetchHistory()
          const received = events?.findLastIndex((event) => event.workflowTaskCompletedEventAttributes) ?? -1
          const lastSignal = events?.findLastIndex((event) => event.workflowExecutionSignaledEventAttributes) ?? -1
          return received > lastSignal ? true : undefined
        })
      }
    }

    it(`are accepted during a wait, up to ${duringWait}, and the wait ends on time`, async () => {
      const automationId = await world.automation([
        { type: 'EMAIL', subject: 'before', text: 'x' },
        { type: 'WAIT', delayMinutes: 30 * DAY_MINUTES },
        { type: 'EMAIL', subject: 'after', text: 'x' },
      ])
      const contactId = await world.contact()
      await whileWorking(async () => {
        await world.enroll(automationId, contactId)
        const start = await world.env.currentTimeMs()
        await fire(automationId, contactId, duringWait)
        const handle = world.handle(automationId, contactId)
        assert.equal((await handle.query(stateQuery)).receivedCount, duringWait)
        await handle.result()
        assert.deepEqual(world.subjects(), ['before', 'after'])
        const days = (world.mails[1]!.virtualTime - start) / 86_400_000
        assert.ok(days >= 29.99 && days < 30.1, `the wait took ${days} days`)
      })
    })

    it(`are accepted during a pause, up to ${duringPause}, and the enrollment resumes with its automation`, async () => {
      const { orm, workspaceId } = world
      const automationId = await world.automation([{ type: 'EMAIL', subject: 'paused', text: 'x' }])
      const contactId = await world.contact()
      await world.stopWorker()
      await world.enroll(automationId, contactId)
      await updateAutomation(orm.em, workspaceId, automationId, { status: 'PAUSED' })
      await whileWorking(async () => {
        const handle = world.handle(automationId, contactId)
        const { runId } = await handle.describe()
        const paused = () =>
          eventually('it is paused', async () => ((await handle.query(stateQuery)).paused ? true : undefined))
        await paused()
        await fire(automationId, contactId, duringPause)
        assert.equal((await handle.query(stateQuery)).receivedCount, duringPause)
        assert.notEqual((await handle.describe()).runId, runId)
        await paused()
        assert.deepEqual(world.subjects(), [])
        await updateAutomation(orm.em, workspaceId, automationId, { status: 'ACTIVE' })
        await world.dependencies.enrollments.wake({ automationId, contactId, concurrencyKey: '' })
        await handle.result()
        assert.deepEqual(world.subjects(), ['paused'])
      })
    })
  })
}
