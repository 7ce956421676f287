import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const TEXT = 'Plan: {{ event.data.plan | default: "none" }}, {{ event.data.items[0].name }}, by {{ event.name }}'

describe('event data in emails', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const textOf = async (contactId: string) => {
    const path = `contacts/${contactId}/activity`
    return eventually('its mail', async () => {
      const { body } = await service.call('GET', path)
      return (body.data as { text: string | null }[])[0]?.text ?? undefined
    })
  }

  it('renders the data of the triggering event, even after the event itself has been deleted', async () => {
    const steps = [{ ...EMAIL, category: 'transactional', text: TEXT }]
    const automationId = await anAutomation(service, {
      steps,
      triggerConfig: { eventName: 'bought' },
      status: 'ACTIVE',
    })
    const contactId = await aContact(service)
    const data = { plan: 'pro', items: [{ name: 'A <b>' }] }
    await anEvent(service, contactId, 'Bought', data)
    assert.equal(await textOf(contactId), 'Plan: pro, A <b>, by Bought')
    const [row] = await sql<{ event: object }>(
      service.context.orm.em.fork(),
      'select event from enrollments where contact_id = $1::uuid',
      [contactId],
    )
    assert.deepEqual(row!.event, { name: 'Bought', data })
    const byCall = await aContact(service)
    await enroll(service, automationId, byCall)
    assert.equal(await textOf(byCall), 'Plan: none, , by ')
    const withoutData = await aContact(service)
    await anEvent(service, withoutData, 'bought')
    assert.equal(await textOf(withoutData), 'Plan: none, , by bought')
    assert.equal((await activityOf(service, withoutData)).length, 1)
  })

  it('deletes the data with the contact', async () => {
    const automationId = await anAutomation(service, { triggerConfig: { eventName: 'erased' } })
    const contactId = await aContact(service)
    await anEvent(service, contactId, 'erased', { secret: 'x' })
    await textOf(contactId)
    await service.call('DELETE', `contacts/${contactId}`)
    const rows = await sql(service.context.orm.em.fork(), 'select from enrollments where automation_id = $1::uuid', [
      automationId,
    ])
    assert.equal(rows.length, 0)
  })

  it('accepts event variables when templates are saved, and warns about misspelled ones', async () => {
    const save = (text: string) =>
      service.call('POST', 'automations', { name: 'x', trigger: 'EVENT', steps: [{ ...EMAIL, text }] })
    assert.equal((await save(TEXT)).headers.get('x-warning'), null)
    const warned = (await save('{{ event.dta.plan }} {{ evnt.data }}')).headers.get('x-warning')
    assert.match(warned!, /event\.dta .*did you mean event\.data/)
    assert.match(warned!, /evnt\.data .*did you mean event\.data/)
  })
})
