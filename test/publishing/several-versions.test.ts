import assert from 'node:assert/strict'
import { type EnrollmentInput, stateQuery } from '../../src/automation-engine/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, anEvent, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { DAY, email, movesIn, type Step } from './moves.ts'

describe('moves through several versions', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const { em, publish, preview, stepsOf, untilFinished, enrollmentsOf, daysOf, subjectsOf, inside, loseWorkflow } =
    movesIn(() => service)
  const move = async (id: string, steps: object[]) => {
    assert.equal((await publish(id, { steps, inside: 'MOVE' })).status, 200)
    await untilFinished(id)
    return stepsOf(id)
  }
  const untilAt = (id: string, stepId: string) =>
    eventually('it waits before the step', async () => (await enrollmentsOf(id))[0]!.nextStepId === stepId || undefined)

  it('begin the wait after an email of long ago when the second move brings the contact to it, also in the preview', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2')], 1)
    await sql(em(), `update messages set final_at = now() - interval '9 days' where automation_id = $1::uuid`, [id])
    const [first, pause] = steps as [Step, Step]
    const reordered = await move(id, [pause, first, wait(3 * DAY), email('3')])
    // The contact continues at the first email, which it has had.
    const [, long, third] = (await move(id, reordered.slice(1))) as [Step, Step, Step]
    await untilAt(id, third.id)
    assert.deepEqual(daysOf(await enrollmentsOf(id)), [3])
    assert.deepEqual(await subjectsOf(contactIds[0]!), ['1'])
    // It is in the wait after that email, and a version without it sends the third email.
    const without = await preview(id, { steps: [first, third] })
    assert.partialDeepStrictEqual(without, {
      steps: [{ stepId: long.id, inside: 1, removed: 1, continuesAt: third.id }],
    })
  })

  const event = { type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: DAY, received: [], timedOut: [] }
  const date = { type: 'WAIT_UNTIL', until: { at: '2099-01-01T09:00' }, timezone: 'UTC' }
  for (const waiting of [event, date])
    it(`forget the wait at a ${waiting.type} that the new version does not have, so that another version waits again`, async () => {
      const { id, steps } = await inside([email('1'), waiting, wait(DAY), email('2')], 1)
      const [first, removed, pause, second] = steps as [Step, Step, Step, Step]
      const waits = () => sql(em(), 'select from step_runs where step_id = $1::uuid', [removed.id])
      assert.equal((await waits()).length, 1)
      await move(id, [first, pause, second])
      await untilAt(id, second.id)
      assert.deepEqual(await waits(), [])
      const again = await move(id, [first, pause, removed, second])
      assert.equal(again[2]!.id, removed.id)
    })

  for (const choice of [{ inside: 'FINISH' }, { inside: 'MOVE', removedSteps: 'END' }]) {
    it(`keep the retries of other enrollments of a contact with ${choice.inside}`, async () => {
      const id = await anAutomation(service, {
        triggerConfig: { eventName: 'order' },
        entry: { concurrency: { key: 'event.data.orderId' } },
        steps: [email('1'), wait(DAY), email('2')],
      })
      const contactId = await aContact(service)
      const order = async (orderId: string, count: number) => {
        await anEvent(service, contactId, 'order', { orderId })
        await eventually('it waits', async () => {
          const waiting = (await enrollmentsOf(id)).filter(({ nextAt }) => Date.parse(nextAt ?? '') > Date.now())
          return waiting.length === count || undefined
        })
      }
      await order('o1', 1)
      const [first, , second] = (await stepsOf(id)) as [Step, Step, Step]
      await publish(id, { steps: [first, wait(2 * DAY), second] })
      await order('o2', 2)
      const newer = (await enrollmentsOf(id)).find(({ version }) => version === 2)!
      await sql(
        em(),
        `update messages set status = 'FAILED', error = 'x', retry_at = now() + interval '1 hour'
         where enrollment_id = $1::uuid`,
        [newer.id],
      )
      await publish(id, choice)
      await untilFinished(id)
      const statuses = (await enrollmentsOf(id)).map(({ id: each, status }) => [each === newer.id, status])
      assert.deepEqual(Object.fromEntries(statuses), { true: 'ACTIVE', false: 'CANCELLED' })
      const retries = await sql(
        em(),
        'select retry_at is not null as retried, abandoned_at from messages where enrollment_id = $1::uuid',
        [newer.id],
      )
      assert.deepEqual(retries, [{ retried: true, abandoned_at: null }])
    })
  }

  it('are found by a run that continues from the state of the earlier version', async () => {
    const { id, contactIds } = await inside([email('1'), wait(DAY), email('2')], 1)
    const [contactId] = contactIds as [string]
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${id}:${contactId}`)
    const { wakeAt } = await handle.query(stateQuery)
    const [first, pause, second] = (await stepsOf(id)) as [Step, Step, Step]
    await move(id, [first, { ...pause, delayMinutes: 3 * DAY }, second])
    await loseWorkflow(id, contactId)
    const [enrollment] = await enrollmentsOf(id)
    const { config, temporal, instance } = service.context
    const state = { stepId: pause.id, waitingFor: 'time', wakeAt, paused: false, changed: false } as const
    const input: EnrollmentInput = {
      ...{ engine: 1, workspaceId: service.workspaceId, automationId: id, contactId, enrollmentId: enrollment!.id },
      ...{ instanceId: await instance(), enrolledAt: enrollment!.enrolledAt, dedupKey: null, triggerEventId: null },
      progress: { state, received: [], receivedCount: 0, version: 1 },
    }
    const run = await temporal.workflow.start('enrollment', {
      ...{ taskQueue: config.TEMPORAL_TASK_QUEUE, workflowId: handle.workflowId, args: [input] },
    })
    const expected = Date.parse(enrollment!.nextAt!)
    await eventually(
      'it waits as long as the new version',
      async () => (await run.query(stateQuery)).wakeAt === expected || undefined,
    )
  })
})
