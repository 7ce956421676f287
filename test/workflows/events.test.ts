import assert from 'node:assert/strict'
import pMap from 'p-map'
import { newId } from '../../src/platform/ids.ts'
import { updateAutomation } from '../../src/automations/automations.ts'
import { eventually } from '../support/eventually.ts'
import { enrollContact } from '../../src/enrollments/enroll-contact.ts'
import { newCall } from '../../src/platform/call.ts'
import { startTimeSkipping, type TimeSkipping } from '../support/time-skipping.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import type { EnrollmentStart } from '../../src/temporal/client.ts'

const DAY_MINUTES = 24 * 60
/** Number of events sent at once: more sometimes overload Temporal's test server. */
const WAVE = 500

describe('events that arrive during an enrollment', () => {
  let world: TimeSkipping
  /**
   * Sends events in waves: each is received before the next begins, on a slow machine too. It waits by reading the history, not
   * by a query: Temporal's test server loses a query that meets the beginning of a new run, and with it the skipping of time.
   */
  const fire = async (input: EnrollmentStart['input'], count: number) => {
    const handle = world.handle(input.automationId, input.contactId)
    for (let fired = 0; fired < count; fired += WAVE) {
      const ids = Array.from({ length: Math.min(WAVE, count - fired) }, newId)
      const start = (id: string) => ({ ...input, enrollmentId: newId(), dedupKey: `event:${id}`, triggerEventId: id })
      await pMap(
        ids,
        (id) =>
          world.dependencies.enrollments.enter({ automationName: 'A sequence', requestId: null, input: start(id) }),
        { concurrency: 20 },
      )
      await eventually('they are received', async () => {
        const { events } = await handle.fetchHistory()
        const received = events?.findLastIndex((event) => event.workflowTaskCompletedEventAttributes) ?? -1
        const lastSignal = events?.findLastIndex((event) => event.workflowExecutionSignaledEventAttributes) ?? -1
        return received > lastSignal ? true : undefined
      })
    }
  }
  before(async () => {
    world = await startTimeSkipping()
  })
  after(() => world.stop())

  it('are accepted during a wait, up to 12,000, and the wait ends on time', async function () {
    this.timeout(180_000)
    const automationId = await world.automation([
      { type: 'EMAIL', subject: 'before', text: 'x' },
      { type: 'WAIT', delayMinutes: 30 * DAY_MINUTES },
      { type: 'EMAIL', subject: 'after', text: 'x' },
    ])
    const contactId = await world.contact()
    await world.whileWorking(async () => {
      await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId }, newCall())
      const start = await world.env.currentTimeMs()
      const input: EnrollmentStart['input'] = {
        enrollmentId: newId(),
        workspaceId: world.workspaceId,
        automationId,
        contactId,
        enrolledAt: new Date().toISOString(),
        dedupKey: null,
        triggerEventId: null,
      }
      await fire(input, 12_000)
      const handle = world.handle(automationId, contactId)
      assert.equal((await handle.query(stateQuery)).receivedCount, 12_000)
      await handle.result()
      const [before, after] = world.mails
      assert.equal(world.mails.length, 2)
      const days = (after!.virtualTime - start) / 86_400_000
      assert.ok(days >= 29.99 && days < 30.1, `the wait took ${days} days`)
      assert.ok(before!.virtualTime < after!.virtualTime)
    })
  })

  it('are accepted during a pause, up to 3,000, and the enrollment resumes with its automation', async function () {
    this.timeout(120_000)
    const { orm, workspaceId } = world
    const automationId = await world.automation([{ type: 'EMAIL', subject: 'paused', text: 'x' }])
    const contactId = await world.contact()
    await enrollContact(world.dependencies, workspaceId, automationId, { contactId }, newCall())
    await updateAutomation(orm.em, workspaceId, automationId, { status: 'PAUSED' })
    world.mails.length = 0
    await world.whileWorking(async () => {
      const handle = world.handle(automationId, contactId)
      const { runId } = await handle.describe()
      const paused = () =>
        eventually('it is paused', async () => ((await handle.query(stateQuery)).paused ? true : undefined))
      await paused()
      const input = {
        enrollmentId: newId(),
        workspaceId,
        automationId,
        contactId,
        enrolledAt: new Date().toISOString(),
      }
      await fire({ ...input, dedupKey: null, triggerEventId: null }, 3_000)
      assert.equal((await handle.query(stateQuery)).receivedCount, 3_000)
      assert.notEqual((await handle.describe()).runId, runId)
      await paused()
      assert.equal(world.mails.length, 0)
      await updateAutomation(orm.em, workspaceId, automationId, { status: 'ACTIVE' })
      await world.dependencies.enrollments.automationChanged(automationId, contactId)
      await handle.result()
      assert.equal(world.mails.length, 1)
    })
  })
})
