import { leaveByConditions } from '../../src/enrollments/leave-sweep.ts'
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
})
