import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the rule for entering again', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  it('holds for concurrent calls, although the enrollment of the first one ends in between', async () => {
    const em = () => service.context.orm.em.fork()
    const automationId = await anAutomation(service, { entry: { reentry: 'ONCE' }, steps: [{ type: 'EXIT' }] })
    for (let round = 1; round <= 3; round += 1) {
      const contactId = await aContact(service)
      const calls = await Promise.all(Array.from({ length: 40 }, () => enroll(service, automationId, contactId)))
      const enrolled = calls.filter(({ body }) => body.data.enrolled).length
      const rows = await eventually('the enrollments have ended', async () => {
        const found = await sql<{ status: string }>(em(), 'select status from enrollments where contact_id = $1', [
          contactId,
        ])
        return found.every(({ status }) => status !== 'ACTIVE') ? found : undefined
      })
      assert.deepEqual([enrolled, rows.length], [1, 1])
    }
  })
})
