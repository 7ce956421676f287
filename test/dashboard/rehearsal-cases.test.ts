import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { aContact, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'

const START = '2032-03-01T09:00:00.000Z'

describe('the rehearsal of a special case in the dashboard', () => {
  const d = onDashboard()
  let ada: string
  before(async () => {
    ada = await aContact(d.service, { email: 'ada@example.com', firstName: 'Ada' })
  })

  const rehearse = (id: string) => d.open(`/automations/${id}/rehearse?contact=${ada}&at=${START}`)
  const entries = () => d.page.getByRole('region', { name: 'What happens' }).getByRole('listitem')
  const mail = () => d.page.getByRole('region', { name: 'What is read' })

  it('gives the enrolling event its data, which the entry filter and the emails read', async () => {
    const id = await anAutomation(d.service, {
      triggerConfig: { eventName: 'order.placed' },
      entry: { filter: { eventData: 'total', is: 'more', value: 40 } },
      steps: [{ ...EMAIL, name: 'Thanks', text: 'You paid {{ event.data.total }}' }],
    })
    await rehearse(id)
    await entries().filter({ hasText: 'the contact does not match the entry filter' }).waitFor()
    const checks = d.page.getByRole('region', { name: 'Checks' })
    await checks.getByText('No email would be sent.').waitFor()
    assert.equal(await checks.getByRole('listitem').count(), 0)
    await d.press('Enrolled by order.placed', 'Add property')
    // The new field has the focus.
    await d.page.keyboard.type('total')
    await d.fill({ 'Data: value 1': '49' })
    await d.button('Enrolled by order.placed, 1 property').waitFor()
    await entries().filter({ hasText: 'Thanks' }).waitFor()
    await mail().getByText('Text', { exact: true }).click()
    await mail().getByText('You paid 49').waitFor()
  })

  it('has no enrolling event if contacts are enrolled when they sign up', async () => {
    const id = await anAutomation(d.service, { trigger: 'SIGNUP', triggerConfig: {} })
    await rehearse(id)
    await d.button('Received: no events').waitFor()
    assert.equal(await d.button(/^Enrolled by/).count(), 0)
  })

  it('says that the present enrollment of the contact is ignored', async () => {
    const id = await anAutomation(d.service, { steps: [EMAIL, wait(10_000)] })
    await rehearse(id)
    await entries().filter({ hasText: 'Completes' }).waitFor()
    const sentence = d.page.getByText('The contact is already in this automation.')
    assert.equal(await sentence.count(), 0)
    assert.equal((await enroll(d.service, id, ada)).status, 202)
    await rehearse(id)
    await sentence.waitFor()
  })

  it('runs a rehearsal again that is not kept any more', async () => {
    const id = await anAutomation(d.service)
    const unknown = '8d5e957f-297f-4d3c-9b1a-5f0c2d8b7a11'
    await d.open(`/automations/${id}/rehearse?for=audience&rehearsal=${unknown}`)
    await d.shows('Rehearsal not found. Rehearsals are deleted after 7 days.')
    await d.press('Rehearse again')
    await d.shows('Emails by day', 'Emails per contact')
    assert.equal(await d.page.getByText('Rehearsal not found.').count(), 0)
  })
})
