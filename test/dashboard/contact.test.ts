import assert from 'node:assert/strict'
import { campaignIs } from '../support/campaigns.ts'
import { onDashboard } from '../support/dashboard.ts'
import { aContact, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'

describe('a contact in the dashboard', () => {
  const d = onDashboard()

  it('says why they did not get an automation, and adds them to it', async () => {
    const contactId = await aContact(d.service, { firstName: 'Nina' })
    const id = await anAutomation(d.service, {
      name: 'Win back',
      trigger: 'TAG_ADDED',
      triggerConfig: { tagName: 'dormant' },
    })
    await d.open(`/contacts/${contactId}`)
    await d.page.getByRole('combobox', { name: 'What they did not get' }).fill('Win')
    await d.page.getByRole('option', { name: 'Win back' }).click()
    await d.shows('Nina does not have the tag “dormant”, which starts the automation.')
    const table = d.page.getByRole('table', { name: '3 facts checked, 1 fails' })
    assert.deepEqual(await table.locator('tbody tr').allInnerTexts(), [
      'Automation is active\n\tactive\tactive',
      'Tag “dormant”\n\tadded\tnever',
      'Address accepts email\n\tno opt-out, bounce or complaint\tyes',
    ])
    // The answer is in the URL, so that it can be sent to a colleague.
    assert.equal(new URL(d.page.url()).searchParams.get('why'), `automation:${id}`)
    await d.page.reload()
    await d.shows('Nina does not have the tag “dormant”, which starts the automation.')
    await d.page.getByLabel('Why').getByRole('button', { name: 'Add to automation…' }).click()
    await d.page.getByRole('form', { name: 'Add to automation' }).waitFor()
  })

  it('lists first the recent campaigns that they did not get', async () => {
    const list = await aList(d.service)
    const [recipient, other] = [await aContact(d.service), await aContact(d.service, { firstName: 'Nina' })]
    await d.service.call('POST', `lists/${list}/contacts`, { contactId: recipient })
    const audience = { listIds: [list] }
    const id = await d.create('campaigns', { name: 'Winter catalog', subject: 'Hi', text: 'Hi', audience })
    await d.service.call('POST', `campaigns/${id}/schedule`, {})
    await campaignIs(d.service, id, 'SENT')
    await d.open(`/contacts/${other}`)
    await d.page.getByRole('combobox', { name: 'What they did not get' }).click()
    await d.page.getByRole('group', { name: 'Recent campaigns without them' }).waitFor()
    await d.page.getByRole('option', { name: 'Winter catalog' }).click()
    await d.shows('Nina is not in the audience')
  })

  it('shows their messages, enrollments and consent in tabs that the URL names', async () => {
    const contactId = await aContact(d.service, { firstName: 'Ada' })
    const id = await anAutomation(d.service, { name: 'Welcome', steps: [{ ...EMAIL, subject: 'Good to have you' }] })
    await enroll(d.service, id, contactId)
    await d.open(`/contacts/${contactId}`)
    await d.press('Messages')
    await d.page.getByRole('link', { name: 'Good to have you' }).waitFor()
    await d.press('Enrollments 1')
    await d.page.getByRole('list', { name: 'Enrollments' }).getByText('Welcome').waitFor()
    await d.press('Consent')
    await d.shows('Gets marketing email.')
    assert.equal(new URL(d.page.url()).searchParams.get('tab'), 'consent')
  })
})
