import assert from 'node:assert/strict'
import { leaveByConditions } from '../../src/enrollments/leave-sweep.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, enroll, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('an exit rule with a condition', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  it('ends an enrollment during a wait', async () => {
    const automationId = await anAutomation(service, {
      steps: [wait(60)],
      exitOn: [{ condition: { metadata: 'state', is: 'equal', value: 'gone' } }],
    })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await service.call('PATCH', `contacts/${contactId}`, { metadata: { state: 'gone' } })
    await leaveByConditions({ em: service.context.orm.em })
    await eventually('the enrollment has exited', async () => {
      const { body } = await service.call('GET', `contacts/${contactId}/enrollments`)
      return (body.data as { status: string }[])[0]?.status === 'EXITED' || undefined
    })
  })

  it('ends several pages of enrollments in one sweep, and none of another workspace or without the condition', async () => {
    // Without a worker, whose own sweeps would end the others.
    const [one, other] = await Promise.all([openWorkspace({ worker: false }), openWorkspace({ worker: false })])
    const inside = async (of: Service, exitOn: object[]) => {
      const automationId = await anAutomation(of, { steps: [wait(60)], exitOn })
      const contacts: string[] = []
      for (let n = 0; n < 5; n += 1) {
        const contactId = await aContact(of, { metadata: { state: n === 1 ? 'here' : 'gone' } })
        await enroll(of, automationId, contactId)
        contacts.push(contactId)
      }
      return async () => {
        const rows = await sql<{ status: string }>(
          of.context.orm.em.fork(),
          'select status from enrollments where contact_id = any($1::uuid[]) order by array_position($1::uuid[], contact_id)',
          [contacts],
        )
        return rows.map(({ status }) => status)
      }
    }
    const leaves = { condition: { metadata: 'state', is: 'equal', value: 'gone' } }
    const ours = await inside(one, [leaves])
    const theirs = await inside(other, [{ condition: { metadata: 'state', is: 'equal', value: 'elsewhere' } }])
    await leaveByConditions({ em: one.context.orm.em })
    assert.deepEqual(await ours(), ['EXITED', 'ACTIVE', 'EXITED', 'EXITED', 'EXITED'])
    assert.deepEqual(await theirs(), Array(5).fill('ACTIVE'))
  })
})
