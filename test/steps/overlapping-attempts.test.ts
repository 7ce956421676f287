import assert from 'node:assert/strict'
import { createSecrets } from '../../src/platform/secrets.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { runStep } from '../../src/steps/index.ts'
import type { RunDependencies, StepToRun } from '../../src/steps/runner.ts'
import type { WebhookResponse } from '../../src/steps/send-request.ts'
import { lenientRenderer } from '../support/api-with.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import { quietLog } from '../support/log.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** A local activity that is too slow continues while Temporal starts a normal one, so two attempts of one step can overlap. */
describe('two overlapping attempts of a step', () => {
  let service: Service
  let responses: ((response: WebhookResponse) => void)[]
  let dependencies: RunDependencies
  before(async () => {
    service = await openWorkspace({ worker: false })
    dependencies = {
      em: service.context.orm.em,
      log: quietLog,
      renderer: {
        ...lenientRenderer,
        renderTexts: (texts) => Promise.resolve({ texts: texts.map(() => 'https://x.example/') }),
      },
      secrets: createSecrets('k'.repeat(44)),
      sendRequest: () => new Promise((respond) => responses.push(respond)),
    }
  })
  beforeEach(() => {
    responses = []
  })

  /** Enrolls a contact in an automation whose first step is this one. */
  async function at(step: object): Promise<{ step: StepToRun; contactId: string }> {
    const { workspaceId } = service
    const automationId = await anAutomation(service, { steps: [step, EMAIL] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const { body } = await service.call('GET', `automations/${automationId}`)
    const [row] = await sql<{ id: string }>(
      service.context.orm.em.fork(),
      'select id from enrollments where contact_id = $1::uuid',
      [contactId],
    )
    const stepId = body.data.steps[0].id as string
    return { contactId, step: { workspaceId, automationId, enrollmentId: row!.id, stepId, now: Date.now() } }
  }

  for (const [what, happens, branch] of [
    ['the event has arrived', true, 'received'],
    ['the wait is over', false, 'timedOut'],
  ] as const) {
    it(`return the same result if both waited for the contact’s lock and ${what}`, async () => {
      const { contactId, step } = await at({ type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: 5 })
      if (happens) await anEvent(service, contactId, 'paid')
      else {
        assert.equal((await runStep(dependencies, step)).next, 'retry')
        step.now += 6 * 60_000
      }
      const { em } = service.context.orm
      const release = await lockWith(em, 'select from contacts where id = $1::uuid for update', [contactId])
      const attempts = [runStep(dependencies, step), runStep(dependencies, step)]
      await lockWaits(em, attempts.length)
      await release()
      const results = await Promise.all(attempts)
      assert.deepEqual(results[1], results[0])
      assert.partialDeepStrictEqual(results[0], { next: 'continue', branch })
    })
  }

  it('return the same result if the request of one fails after the other has succeeded', async () => {
    const { step } = await at({ type: 'WEBHOOK', url: 'https://x.example/', method: 'POST' })
    const attempts = [runStep(dependencies, step), runStep(dependencies, step)]
    const [failed, succeeded] = await eventually('both requests are sent', () =>
      responses.length === attempts.length ? responses : undefined,
    )
    succeeded!({ status: 200, text: null, retryAfter: null })
    await Promise.race(attempts)
    failed!({ status: 500, text: null, retryAfter: null })
    assert.deepEqual(await Promise.all(attempts), [{ next: 'continue' }, { next: 'continue' }])
  })
})
