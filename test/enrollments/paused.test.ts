import assert from 'node:assert/strict'
import { pauseEnrollment } from '../../src/enrollments/index.ts'
import { findActive } from '../../src/enrollments/queries.ts'
import { readOperationalStats } from '../../src/relay/stats-queries.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const WAITS = { type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: 60 }

describe('an enrollment that is paused before a step without an email', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  it('is no longer shown as paused when its automation resumes, although its next email is far away', async () => {
    const automationId = await anAutomation(service, { steps: [WAITS, EMAIL] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const em = () => service.context.orm.em.fork()
    const pausedInAll = async () => (await readOperationalStats(em())).paused
    const before = await pausedInAll()
    const shown = async () => {
      const [ofAutomation, ofContact, stats, all] = await Promise.all([
        service.call('GET', `automations/${automationId}/enrollments`),
        service.call('GET', `contacts/${contactId}/enrollments`),
        service.call('GET', `automations/${automationId}/stats`),
        service.call('GET', 'stats'),
      ])
      const seen: unknown[] = [
        ofAutomation.body.data[0].paused,
        ofContact.body.data[0].paused,
        stats.body.data.paused,
        all.body.data.paused,
        (await pausedInAll()) - before,
      ]
      return seen
    }
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    const enrollmentId = (await findActive(em(), { automationId, contactId, concurrencyKey: '' }))!
    assert.equal(await pauseEnrollment(em(), { automationId, enrollmentId }), true)
    assert.deepEqual(await shown(), [true, true, 1, 1, 1])
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    assert.deepEqual(await shown(), [false, false, 0, 0, 0])
  })
})
