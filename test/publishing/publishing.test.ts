import assert from 'node:assert/strict'
import { stateQuery } from '../../src/automation-engine/index.ts'
import { passedAt, recountPositions } from '../../src/enrollments/index.ts'
import { lockRunningMove } from '../../src/publishing/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, anEvent, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { withWaits } from '../support/waits.ts'
import { DAY, email, movesIn, type Step } from './moves.ts'

describe('publishing with a choice', () => {
  let service: Service
  let other: Service
  before(async () => {
    service = await openWorkspace()
    other = await openWorkspace()
  })

  const { em, publish, preview, stepsOf, untilFinished, enrollmentsOf, daysOf, subjectsOf, inside, loseWorkflow } =
    movesIn(() => service)

  it('keeps contacts in their version without a choice', async () => {
    const { id, steps } = await inside([email('1'), wait(DAY), email('2')], 1)
    await publish(id, { steps: [steps[0], { ...steps[1], delayMinutes: 2 * DAY }, steps[2]] })
    const enrollments = await enrollmentsOf(id)
    assert.deepEqual(daysOf(enrollments), [1])
    assert.equal(enrollments[0]!.version, 1)
    assert.equal((await service.call('GET', `automations/${id}/move`)).refused, '404 move_not_found')
  })

  it('moves contacts of several pages, and computes their waits from when they began', async () => {
    const { id, steps } = await inside([email('1'), wait(DAY), email('2')], 5)
    const foreign = await anAutomation(other, { steps: [email('1'), wait(DAY)] })
    const stranger = await aContact(other)
    await enroll(other, foreign, stranger)
    const changed = [steps[0], { ...steps[1], delayMinutes: 3 * DAY }, steps[2]]
    assert.deepEqual(await preview(id, { steps: changed }), {
      version: 2,
      inside: 5,
      emailsAhead: 5,
      steps: [
        {
          ...{ version: 1, stepId: steps[1]!.id, stepName: null, stepType: 'WAIT', inside: 5 },
          ...{ stays: 0, rescheduled: 5, dueNow: 0, removed: 0, continuesAt: null },
        },
      ],
    })
    const { status } = await publish(id, { steps: changed, inside: 'MOVE' })
    assert.equal(status, 200)
    const move = await untilFinished(id)
    assert.partialDeepStrictEqual(move, {
      ...{ automationId: id, version: 2, inside: 'MOVE', removedSteps: 'CONTINUE', total: 5, remaining: 0 },
      ...{ startedBy: 'Test', stoppedAt: null },
    })
    const enrollments = await enrollmentsOf(id)
    assert.deepEqual(
      enrollments.map(({ version }) => version),
      [2, 2, 2, 2, 2],
    )
    assert.deepEqual(daysOf(enrollments), [3, 3, 3, 3, 3])
    const { body } = await other.call('GET', `automations/${foreign}/enrollments`)
    assert.equal(body.data[0].version, 1)
  })

  it('continues contacts after a removed wait, and sends no email twice', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2'), wait(DAY), email('3')], 2)
    // The first email comes again at the end, with the same ID.
    await publish(id, { steps: [steps[2], email('new'), steps[0]], inside: 'MOVE' })
    for (const contactId of contactIds) {
      await eventually('it completes', async () => {
        const found = (await enrollmentsOf(id)).find((each) => each.contactId === contactId)
        return found?.status === 'COMPLETED' || undefined
      })
      assert.deepEqual(await subjectsOf(contactId), ['1', '2', 'new'])
    }
  })

  it('ends contacts at a removed step if chosen, and explains it', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2')], 1)
    await publish(id, { steps: [steps[0], steps[2]], inside: 'MOVE', removedSteps: 'END' })
    await untilFinished(id)
    const [enrollment] = await enrollmentsOf(id)
    assert.equal(enrollment!.status, 'CANCELLED')
    const { body } = await service.call('GET', `contacts/${contactIds[0]}/decisions`)
    assert.ok(
      (body.data as { sentence: string }[]).some(
        ({ sentence }) => sentence === 'Was cancelled: version 2 does not have the step at which the contact was.',
      ),
      JSON.stringify(body.data),
    )
    assert.deepEqual(await subjectsOf(contactIds[0]!), ['1'])
  })

  it('ends the contacts of several pages', async () => {
    const { id, contactIds } = await inside([email('1'), wait(DAY), email('2')], 5)
    await publish(id, { steps: [email('other')], inside: 'FINISH' })
    await untilFinished(id)
    const enrollments = await enrollmentsOf(id)
    assert.deepEqual(
      enrollments.map(({ status, version }) => [status, version]),
      Array.from({ length: 5 }, () => ['CANCELLED', 1]),
    )
    assert.deepEqual(await subjectsOf(contactIds[0]!), ['1'])
    // They can enter again, in the new version.
    await enroll(service, id, contactIds[0]!)
    await eventually('the other email is sent', async () =>
      (await subjectsOf(contactIds[0]!)).includes('other') ? true : undefined,
    )
  })

  it('waits for another event, which may have happened already', async () => {
    const waitFor = (eventName: string) => ({
      ...{ type: 'WAIT_FOR_EVENT', eventName, timeoutMinutes: DAY },
      received: [email(`received ${eventName}`)],
      timedOut: [email('timed out')],
    })
    const { id, steps, contactIds } = await inside([waitFor('ordered')], 2)
    const [early, late] = contactIds as [string, string]
    await anEvent(service, early, 'paid')
    await publish(id, { steps: [{ ...waitFor('paid'), id: steps[0]!.id }], inside: 'MOVE' })
    await eventually('the first one continues', async () =>
      (await subjectsOf(early)).includes('received paid') ? true : undefined,
    )
    await untilFinished(id)
    await anEvent(service, late, 'ordered')
    await anEvent(service, late, 'paid')
    await eventually('the second one continues', async () =>
      (await subjectsOf(late)).includes('received paid') ? true : undefined,
    )
  })

  it('computes a wait for a date again', async () => {
    const until = (at: string) => ({ type: 'WAIT_UNTIL', until: { at }, timezone: 'UTC' })
    const { id, steps } = await inside([until('2099-01-01T09:00'), email('1')], 2)
    await publish(id, { steps: [{ ...until('2098-05-01T08:00'), id: steps[0]!.id }, steps[1]], inside: 'MOVE' })
    await untilFinished(id)
    await eventually('both wait until the new date', async () => {
      const times = (await enrollmentsOf(id)).map(({ nextAt }) => nextAt)
      return times.every((time) => time === '2098-05-01T08:00:00.000Z') || undefined
    })
  })

  it('moves contacts who are paused', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2')], 1)
    await service.call('PATCH', `automations/${id}`, { status: 'PAUSED' })
    await publish(id, { steps: [steps[0], steps[2]], inside: 'MOVE' })
    await untilFinished(id)
    await eventually('the contact is paused', async () => {
      const { body } = await service.call('GET', `automations/${id}/enrollments`)
      return (body.data as { paused: boolean }[])[0]!.paused || undefined
    })
    await publish(id, { steps: [steps[0], email('instead')], inside: 'MOVE', removedSteps: 'CONTINUE' })
    await eventually('the contact completes', async () =>
      (await enrollmentsOf(id))[0]!.status === 'COMPLETED' ? true : undefined,
    )
    assert.deepEqual(await subjectsOf(contactIds[0]!), ['1'])
  })

  it('ends contacts who have had the event of a new goal', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2')], 2)
    await anEvent(service, contactIds[0]!, 'bought')
    await publish(id, { steps, goal: { eventName: 'bought' }, inside: 'MOVE' })
    await untilFinished(id)
    const statuses = new Map((await enrollmentsOf(id)).map(({ contactId, status }) => [contactId, status]))
    assert.equal(statuses.get(contactIds[0]!), 'GOAL_REACHED')
    assert.equal(statuses.get(contactIds[1]!), 'ACTIVE')
  })

  it('knows in another order of steps where contacts are, and continues there without their workflow', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2'), email('3')], 1)
    const [first, pause, second, third] = steps as [Step, Step, Step, Step]
    await publish(id, { steps: [second, { ...pause, delayMinutes: 2 * DAY }, first, third], inside: 'MOVE' })
    await untilFinished(id)
    const enrollments = await enrollmentsOf(id)
    assert.partialDeepStrictEqual(enrollments, [{ version: 2, nextStepId: first.id }])
    assert.deepEqual(daysOf(enrollments), [2])
    await recountPositions(em())
    assert.deepEqual(await enrollmentsOf(id), enrollments)
    await loseWorkflow(id, contactIds[0]!)
    await enroll(service, id, contactIds[0]!)
    const workflow = service.context.temporal.workflow.getHandle(`enrollment:${id}:${contactIds[0]}`)
    const waits = await eventually('it waits again', async () => {
      const { wakeAt } = await workflow.query(stateQuery)
      return wakeAt ?? undefined
    })
    assert.equal(new Date(waits).toISOString(), enrollments[0]!.nextAt)
    assert.deepEqual(await subjectsOf(contactIds[0]!), ['1'])
  })

  it('sends no email again whose step was removed by one version and comes back in another', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2')], 1)
    const [first, pause, second] = steps as [Step, Step, Step]
    await publish(id, { steps: [pause, second], inside: 'MOVE' })
    await untilFinished(id)
    await publish(id, { steps: [{ ...pause, delayMinutes: 1 }, first, second], inside: 'MOVE' })
    assert.equal((await stepsOf(id))[1]!.id, first.id)
    // The wait takes a minute.
    const isCompleted = async () => (await enrollmentsOf(id))[0]!.status === 'COMPLETED' || undefined
    await eventually('it completes', isCompleted, 110_000)
    assert.deepEqual(await subjectsOf(contactIds[0]!), ['1', '2'])
  })

  it('takes a step of another type for another step', async () => {
    const { id, steps } = await inside([email('1'), wait(DAY), email('2')], 1)
    const [first, pause] = steps as [Step, Step, Step]
    const changed = { type: 'UPDATE_CONTACT', addTags: ['late'], id: pause.id }
    await publish(id, { steps: [first, changed], inside: 'KEEP' })
    const [kept, other] = await stepsOf(id)
    assert.equal(kept!.id, first.id)
    assert.notEqual(other!.id, pause.id)
  })

  it('keeps the time at which a contact came again to an email, for another attempt', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2')], 1)
    const [first, pause, second] = steps as [Step, Step, Step]
    await publish(id, { steps: [pause, first, wait(3 * DAY), second], inside: 'MOVE' })
    await untilFinished(id)
    const [enrollment] = await enrollmentsOf(id)
    const due = new Date(enrollment!.nextAt!)
    const of = { enrollmentId: enrollment!.id, stepId: first.id }
    assert.deepEqual(await passedAt(em(), of, new Date(0)), due)
    // The first attempt has recorded where it continues, and its result is lost.
    await sql(em(), `update enrollments set next_step_id = $2::uuid where id = $1::uuid`, [of.enrollmentId, second.id])
    assert.deepEqual(await passedAt(em(), of, new Date(0)), due)
    assert.deepEqual(await passedAt(em(), { ...of, stepId: second.id }, new Date(5)), new Date(5))
    assert.deepEqual(await subjectsOf(contactIds[0]!), ['1'])
  })

  it('previews a second move', async () => {
    const { id, steps } = await inside([email('1'), wait(DAY), email('2'), wait(DAY), email('3')], 2)
    const [first, pause, second, rest, third] = steps as [Step, Step, Step, Step, Step]
    // The contacts have had the first email, which is now after their wait.
    const reordered = [pause, first, rest, second, third]
    await publish(id, { steps: reordered, inside: 'MOVE' })
    await untilFinished(id)
    const counts = { stays: 0, rescheduled: 0, dueNow: 0, removed: 0, continuesAt: null }
    const at = { version: 2, stepId: pause.id, stepName: null, stepType: 'WAIT', inside: 2 }
    assert.deepEqual(await preview(id, { steps: [{ ...pause, delayMinutes: 2 * DAY }, first, second] }), {
      ...{ version: 3, inside: 2, emailsAhead: 6 },
      steps: [{ ...at, ...counts, rescheduled: 2 }],
    })
    assert.deepEqual(await preview(id, { goal: { eventName: 'bought' } }), {
      ...{ version: 3, inside: 2, emailsAhead: 6 },
      steps: [{ ...at, ...counts, stays: 2 }],
    })
  })

  it('stops a move in turn, while others hold its lock', async () => {
    const { id, steps } = await inside([email('1'), wait(DAY), email('2')], 1)
    await publish(id, { steps, inside: 'MOVE' })
    await untilFinished(id)
    let release = () => undefined as void
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    const hold = (until: Promise<void>) =>
      em().transactional(async (unit) => {
        const move = await lockRunningMove(unit, id)
        await until
        return move
      })
    const holding = hold(isReleased)
    const untilWaiting = (count: number) =>
      eventually(`${count} wait for the lock`, async () => {
        const waiting = await sql(
          em(),
          `select from pg_locks where not granted and locktype = 'advisory'
             and database = (select oid from pg_database where datname = current_database())`,
        )
        return waiting.length === count || undefined
      })
    const stopping = service.call('POST', `automations/${id}/move/stop`)
    await untilWaiting(1)
    // This one asks after the stop. It could share the lock at once, but waits in turn, and finds the move stopped.
    const moving = hold(Promise.resolve())
    await untilWaiting(2)
    release()
    const [before, , after] = await Promise.all([holding, stopping, moving])
    assert.equal(before!.version, 2)
    assert.equal(after, undefined)
  })

  it('begins the wait after an email that was sent long ago when the contact comes to it', async () => {
    const { id, steps, contactIds } = await inside([email('1'), wait(DAY), email('2')], 1)
    const [first, , second] = steps as [Step, Step, Step]
    await sql(em(), `update messages set final_at = now() - interval '9 days' where automation_id = $1::uuid`, [id])
    // The wait is removed, so the contact continues at the second email, which is now before the first one.
    await publish(id, { steps: [second, first, wait(3 * DAY), email('3')], inside: 'MOVE' })
    await eventually('the second email is sent', async () => (await subjectsOf(contactIds[0]!))[1])
    await eventually('it waits before the third', async () => {
      const { body } = await service.call('GET', `automations/${id}`)
      return (await enrollmentsOf(id))[0]!.nextStepId === body.data.steps.at(-1).id || undefined
    })
    assert.deepEqual(daysOf(await enrollmentsOf(id)), [3])
  })

  describe('of an enrollment that is recorded late', () => {
    // Long enough for a move that takes a few turns.
    withWaits({ lateEnrollments: 10_000 })

    it('moves it from the older version after the publication', async () => {
      const { id, steps } = await inside([email('1'), wait(DAY), email('2')], 1)
      await publish(id, { steps, inside: 'MOVE' })
      await untilFinished(id)
      await sql(em(), `update enrollments set version = 1 where automation_id = $1::uuid`, [id])
      await eventually('it is moved', async () => (await enrollmentsOf(id))[0]!.version === 2 || undefined)
    })
  })

  it('replaces a move by a newer one', async () => {
    const { id, steps } = await inside([email('1'), wait(DAY), email('2')], 5)
    const withDelay = (days: number) => [steps[0], { ...steps[1], delayMinutes: days * DAY }, steps[2]]
    await publish(id, { steps: withDelay(2), inside: 'MOVE' })
    await publish(id, { steps: withDelay(4), inside: 'MOVE' })
    const move = await untilFinished(id)
    assert.equal(move.version, 3)
    assert.deepEqual(daysOf(await enrollmentsOf(id)), [4, 4, 4, 4, 4])
  })

  it('rejects the second of two publications of the same revision', async () => {
    const id = await anAutomation(service)
    const etag = (await service.call('GET', `automations/${id}`)).headers.get('etag')!
    const answers = await Promise.all(
      ['MOVE', 'FINISH'].map((choice) => publish(id, { steps: [email('1')], inside: choice }, { 'if-match': etag })),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412])
  })

  it('rejects a choice for removed steps without a move', async () => {
    const id = await anAutomation(service)
    const { refused, body } = await publish(id, { removedSteps: 'END', inside: 'FINISH' })
    assert.equal(refused, '400 invalid_request')
    assert.equal(body.error, 'removedSteps is only for inside: MOVE')
  })

  it('returns 404 for the automation of another workspace', async () => {
    const id = await anAutomation(other)
    for (const [method, path] of [
      ['POST', 'publish'],
      ['POST', 'publish/preview'],
      ['GET', 'move'],
      ['POST', 'move/stop'],
      ['POST', 'move/resume'],
    ] as const) {
      const body = method === 'POST' && path.startsWith('publish') ? {} : undefined
      const { refused } = await service.call(method, `automations/${id}/${path}`, body)
      assert.equal(refused, '404 automation_not_found')
    }
  })
})
