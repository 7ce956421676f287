import assert from 'node:assert/strict'
import pMap from 'p-map'
import { newId } from '../../src/domain/ids.ts'
import { enrollContact } from '../../src/services/enroll-contact.ts'
import { startTimeSkipping, type TimeSkipping } from '../support/time-skipping.ts'
import { stateQuery, type EnrollmentInput } from '../../workflows/messages.ts'

const DAY_MINUTES = 24 * 60

describe('events at an enrollment that waits', () => {
  let world: TimeSkipping
  before(async () => {
    world = await startTimeSkipping()
  })
  after(() => world.stop())

  it('takes 12,000 of them, and the wait ends when it should', async function () {
    this.timeout(180_000)
    const automationId = await world.automation([
      { type: 'EMAIL', subject: 'before', text: 'x' },
      { type: 'WAIT', delayMinutes: 30 * DAY_MINUTES },
      { type: 'EMAIL', subject: 'after', text: 'x' },
    ])
    const contactId = await world.contact()
    await world.whileWorking(async () => {
      await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId })
      const start = await world.env.currentTimeMs()
      const input: EnrollmentInput = {
        enrollmentId: newId(),
        workspaceId: world.workspaceId,
        automationId,
        contactId,
        enrolledAt: new Date().toISOString(),
        cause: null,
        triggerEventId: null,
      }
      await pMap(
        Array.from({ length: 12_000 }, newId),
        (id) =>
          world.dependencies.enrollments.trigger(
            { automationName: 'A sequence', input: { ...input, cause: `event:${id}`, triggerEventId: id } },
            { id, type: 'EVENT', enrollmentId: newId() },
          ),
        { concurrency: 50 },
      )
      const handle = world.handle(automationId, contactId)
      assert.equal((await handle.query(stateQuery)).eventCount, 12_000)
      await handle.result()
      const [before, after] = world.mails
      assert.equal(world.mails.length, 2)
      const days = (after!.virtualTime - start) / 86_400_000
      assert.ok(days >= 29.99 && days < 30.1, `the wait took ${days} days`)
      assert.ok(before!.virtualTime < after!.virtualTime)
    })
  })
})
