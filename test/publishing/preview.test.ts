import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const HOUR = 60
const DAY = 24 * HOUR

describe('the preview of a publication', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const counts = { inside: 0, stays: 0, rescheduled: 0, dueNow: 0, removed: 0, continuesAt: null }
  const preview = async (id: string, body: object) =>
    (await service.call('POST', `automations/${id}/publish/preview`, body)).body.data as { steps: (typeof counts)[] }

  /** Enrolls contacts, the n-th of which began the automation `hours[n]` hours ago, without a worker that sends anything. */
  async function begunBefore(steps: object[], hours: readonly number[]) {
    const id = await anAutomation(service, { steps })
    for (const ago of hours) {
      const contactId = await aContact(service)
      await enroll(service, id, contactId)
      await sql(
        em(),
        `update enrollments set wakes_at = wakes_at - make_interval(hours => $2::integer) where contact_id = $1::uuid`,
        [contactId, ago],
      )
    }
    return { id, steps: (await service.call('GET', `automations/${id}`)).body.data.steps as { id: string }[] }
  }

  it('counts contacts of several pages by the wait in which they are', async () => {
    const { id, steps } = await begunBefore([wait(DAY), wait(2 * DAY), EMAIL, EMAIL], [0, 1, 20, 30, 40, 80])
    const [day, days, email, last] = steps as [{ id: string }, { id: string }, { id: string }, { id: string }]
    const changed = await preview(id, {
      steps: [{ ...day, type: 'WAIT', delayMinutes: 10 * HOUR }, { ...days }, email, last],
    })
    assert.deepEqual(changed, {
      ...{ version: 2, inside: 6, emailsAhead: 12 },
      steps: [
        // It has been 0, 1 and 20 hours: the third has waited longer than the new wait.
        {
          ...counts,
          ...{ version: 1, stepId: day.id, stepName: null, stepType: 'WAIT', inside: 3, rescheduled: 2, dueNow: 1 },
        },
        { ...counts, version: 1, stepId: days.id, stepName: null, stepType: 'WAIT', inside: 2, stays: 2 },
        { ...counts, version: 1, stepId: email.id, stepName: null, stepType: 'EMAIL', inside: 1, stays: 1 },
      ],
    })
    const removed = await preview(id, { steps: [email, last] })
    assert.deepEqual(
      removed.steps.map((step) => [step.inside, step.removed, step.continuesAt]),
      [
        [3, 3, email.id],
        [2, 2, email.id],
        [1, 0, null],
      ],
    )
  })

  it('counts contacts who have waited for an event longer than they would', async () => {
    const waitFor = { type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: DAY, received: [EMAIL], timedOut: [] }
    // They wait for another 20 and 2 hours.
    const { id, steps } = await begunBefore([waitFor], [-20, -2])
    const { steps: found } = await preview(id, { steps: [{ ...steps[0], timeoutMinutes: 10 * HOUR }] })
    assert.partialDeepStrictEqual(found, [{ inside: 2, rescheduled: 1, dueNow: 1 }])
  })

  it('counts nothing before a publication without steps', async () => {
    const { id } = await begunBefore([wait(DAY), EMAIL], [0, 1])
    assert.deepEqual(await preview(id, {}), { version: 1, inside: 0, emailsAhead: 0, steps: [] })
    await service.call('POST', `automations/${id}/publish`, { steps: [EMAIL] })
    assert.partialDeepStrictEqual(await preview(id, {}), { version: 2, inside: 2, emailsAhead: 2 })
  })

  it('rejects steps with the same name', async () => {
    const { id } = await begunBefore([EMAIL], [])
    const named = { ...EMAIL, name: 'Same' }
    const { refused } = await service.call('POST', `automations/${id}/publish/preview`, { steps: [named, named] })
    assert.equal(refused, '400 invalid_request')
  })
})
