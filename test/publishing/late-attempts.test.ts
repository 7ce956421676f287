import assert from 'node:assert/strict'
import { runStep } from '../../src/steps/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { moveEnrollment } from '../../src/publishing/index.ts'
import { aContact, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { anAttempt, look, prepare, stepOf, storeOf } from '../support/step-claims.ts'

describe('an attempt that continues after its enrollment has moved', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const state = (stepId: string, waitingFor: 'email' | 'step') => ({
    ...{ stepId, waitingFor, wakeAt: null, paused: false, changed: false },
  })

  /** Enrolls a contact, publishes other steps, and moves the contact as its workflow does. */
  async function moved(before: object[], after: (steps: { id: string }[]) => object[], first: 'email' | 'step') {
    const automationId = await anAutomation(service, { steps: before })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const { body } = await service.call('GET', `automations/${automationId}`)
    const steps = body.data.steps as { id: string }[]
    const [row] = await sql<{ id: string }>(em(), 'select id from enrollments where automation_id = $1::uuid', [
      automationId,
    ])
    const enrollmentId = row!.id
    const publish = () =>
      service.call('POST', `automations/${automationId}/publish`, { steps: after(steps), inside: 'MOVE' })
    const move = () =>
      moveEnrollment(em(), {
        ...{ enrollmentId, automationId, contactId, from: 1, now: Date.now() },
        state: state(steps[0]!.id, first),
      })
    const enrollment = async () =>
      (
        await sql<{ status: string; version: number; next_step_id: string }>(
          em(),
          'select status, version, next_step_id from enrollments where id = $1::uuid',
          [enrollmentId],
        )
      )[0]!
    return { automationId, contactId, enrollmentId, steps, publish, move, enrollment }
  }

  it('claims no email of a removed step, and does not end the enrollment', async () => {
    const { automationId, contactId, steps, publish, move, enrollment } = await moved(
      [EMAIL, { ...EMAIL, subject: 'second' }],
      (all) => [all[1]!],
      'email',
    )
    const step = await stepOf(service, automationId, contactId)
    const late = anAttempt(await prepare(service, step))
    await publish()
    assert.partialDeepStrictEqual(await move(), { kind: 'moved', version: 2, state: { stepId: steps[1]!.id } })
    assert.equal(await storeOf(service).claim(late, { status: 'SENDING' }), false)
    assert.deepEqual(await look(service, step), { kind: 'gone' })
    assert.deepEqual(await enrollment(), { status: 'ACTIVE', version: 2, next_step_id: steps[1]!.id })
  })

  it('runs no removed step', async () => {
    const { automationId, enrollmentId, steps, publish, move, enrollment } = await moved(
      [{ type: 'UPDATE_CONTACT', addTags: ['late'] }, EMAIL],
      (all) => [all[1]!],
      'step',
    )
    await publish()
    await move()
    const { workspaceId, context } = service
    const step = { workspaceId, automationId, enrollmentId, stepId: steps[0]!.id, now: Date.now() }
    const dependencies = { em: context.orm.em } as Parameters<typeof runStep>[0]
    assert.deepEqual(await runStep(dependencies, step), { next: 'gone' })
    assert.deepEqual(await enrollment(), { status: 'ACTIVE', version: 2, next_step_id: steps[1]!.id })
  })

  it('returns the same again if the move is repeated', async () => {
    const { automationId, steps, publish, move, enrollment } = await moved(
      [EMAIL, wait(60), EMAIL],
      (all) => [all[2]!],
      'email',
    )
    await publish()
    const first = await move()
    assert.partialDeepStrictEqual(first, { kind: 'moved', version: 2, state: { stepId: steps[2]!.id } })
    assert.deepEqual(await move(), first)
    // Its workflow must follow the row, even if the move is over when the result is lost.
    await service.call('POST', `automations/${automationId}/move/stop`)
    assert.deepEqual(await move(), first)
    assert.equal((await enrollment()).next_step_id, steps[2]!.id)
  })

  it('does not move after the move was stopped, until it is resumed', async () => {
    const { automationId, publish, move, enrollment } = await moved([EMAIL, EMAIL], (all) => [all[1]!], 'email')
    await publish()
    const change = async (what: string) =>
      (await service.call('POST', `automations/${automationId}/move/${what}`)).body.data as object
    assert.partialDeepStrictEqual(await change('stop'), { status: 'STOPPED', total: 1, remaining: 1 })
    assert.equal(await move(), null)
    assert.equal((await enrollment()).version, 1)
    assert.partialDeepStrictEqual(await change('resume'), { status: 'RUNNING', stoppedAt: null, remaining: 1 })
    assert.partialDeepStrictEqual(await move(), { kind: 'moved', version: 2 })
    assert.equal((await enrollment()).version, 2)
  })
})
