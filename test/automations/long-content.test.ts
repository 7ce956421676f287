import assert from 'node:assert/strict'
import { EmailContent } from '../../src/automations/entities.ts'
import { createAutomation } from '../../src/automations/automations.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('long email contents', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  it('stores an automation with four megabytes of content', async () => {
    const { em } = service.context.orm
    const long = '<p class="a">It\'s "quoted" \\ text</p>'.repeat(5_500)
    const steps = Array.from({ length: 20 }, (_, n) => ({
      type: 'EMAIL' as const,
      subject: `${n}`,
      html: `${n}${long}`,
    }))
    const { automation } = await createAutomation(em, service.workspaceId, { name: 'Long', trigger: 'SIGNUP', steps })
    assert.equal(await em.fork().count(EmailContent, { automationId: automation.id }), 20)
  })

  it('omits contents from a long activity page, and always includes them with limit=1', async () => {
    const contactId = await aContact(service)
    const long = 'x'.repeat(240_000)
    const receipt = { type: 'EMAIL', category: 'transactional', html: long, text: long }
    const emails = Array.from({ length: 6 }, (_, n) => ({ ...receipt, subject: `${n}` }))
    const automationId = await anAutomation(service, { steps: emails })
    await enroll(service, automationId, contactId)
    const page = async (query: string) => {
      const { body } = await service.call('GET', `contacts/${contactId}/activity?${query}`)
      return (body as { data: { status: string; html: string | null; text: string | null; contentOmitted: boolean }[] })
        .data
    }
    const whole = await eventually('all messages are sent', async () => {
      const items = await page('limit=50')
      return items.length === 6 && items.every(({ status }) => status === 'SENT') ? items : undefined
    })
    assert.deepEqual(
      whole.map(({ html, text, contentOmitted }) => [html?.length, text?.length, contentOmitted]),
      [...Array.from({ length: 5 }, () => [240_000, 240_000, false]), [undefined, undefined, true]],
    )
    const [last] = await page('limit=1&page=6')
    assert.deepEqual([last?.html, last?.contentOmitted], [long, false])
  })
})
