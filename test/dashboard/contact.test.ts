import assert from 'node:assert/strict'
import { setPreferences } from '../../src/consent/preferences.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { campaignIs } from '../support/campaigns.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, activityOf, EMAIL, enroll, sentTo, wait } from '../support/factories.ts'

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

  it('calls contacts with a blank name by their address', async () => {
    const contactId = await aContact(d.service, { firstName: ' ', email: 'blank-name@example.com' })
    await d.open(`/contacts/${contactId}`)
    await d.isAt('blank-name@example.com', 1)
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

  it('lists how their consent changed, by whom, and by which email', async () => {
    const contactId = await aContact(d.service)
    const email = `${contactId}@example.com`
    await d.service.call('PATCH', `contacts/${contactId}`, { email })
    const list = await d.create('lists', { name: 'Field notes', public: true })
    await d.service.call('POST', `lists/${list}/contacts`, { contactId })
    const id = await anAutomation(d.service, { steps: [{ ...EMAIL, subject: 'Weekly tips' }] })
    await enroll(d.service, id, contactId)
    await sentTo(d.service, contactId)
    const [{ id: originId }] = await d.read(`contacts/${contactId}/enrollments`)
    const leave = { kind: 'lists' as const, ids: [] }
    await setPreferences(d.service.context.dependencies, { contactId, originId }, leave)
    await d.open(`/contacts/${contactId}?tab=consent`)
    const items = d.page.getByRole('list', { name: 'Consent history' }).getByRole('listitem')
    const texts = async () => (await items.allInnerTexts()).map((text) => text.split('\n').filter(Boolean).slice(1))
    await items.first().waitFor()
    assert.deepEqual(await texts(), [['Unsubscribed from Field notes', 'By the contact, link in Weekly tips']])
    await d.press('Unsubscribe')
    await d.shows('Unsubscribed from all marketing')
    assert.deepEqual(await texts(), [
      ['Unsubscribed from all marketing', 'By a member'],
      ['Unsubscribed from Field notes', 'By the contact, link in Weekly tips'],
    ])
    await d.link('Weekly tips').click()
    await d.isAt('Weekly tips')
  })

  describe('who waits in an automation', () => {
    /** Opens a contact whose next email is due in three days. */
    const waiting = async (mode: 'live' | 'test') => {
      await sql(d.service.context.orm.em.fork(), 'update workspaces set mode = $2 where id = $1::uuid', [
        d.service.workspaceId,
        mode,
      ])
      const contactId = await aContact(d.service, { firstName: 'Ada' })
      const steps = [wait(3 * 24 * 60), { ...EMAIL, subject: 'Half of your trial' }]
      const id = await anAutomation(d.service, { name: 'Trial, 14 days', steps })
      await enroll(d.service, id, contactId)
      return { contactId, id }
    }
    const skip = () => d.page.getByRole('complementary').getByRole('button', { name: 'Skip wait: Trial, 14 days' })

    it('gets the next email at once where a wait can be skipped, and the page names it before', async () => {
      const { contactId } = await waiting('test')
      await d.open(`/contacts/${contactId}`)
      await d.isAt('Next for Ada')
      await skip().focus()
      await d.page
        .getByRole('tooltip')
        .getByText(/^Sends “Half of your trial” now instead of \w+day,? \d\d:\d\d\.$/)
        .waitFor()
      await skip().press('Enter')
      await d.shows('Sends “Half of your trial” now.')
      const { subject } = await eventually('it is captured', async () =>
        (await activityOf(d.service, contactId)).find(({ status }) => status === 'CAPTURED'),
      )
      assert.equal(subject, 'Half of your trial')
      await skip().waitFor({ state: 'detached' })
    })

    it('keeps waiting in a live workspace, where no wait can be skipped', async () => {
      const { contactId } = await waiting('live')
      await d.open(`/contacts/${contactId}?tab=enrollments`)
      await d.isAt('Next for Ada')
      await d.button('Remove from automation… Trial, 14 days').waitFor()
      assert.equal(await d.page.getByRole('button', { name: /^Skip wait/ }).count(), 0)
    })

    it('can be skipped ahead and removed from the menu of its row', async () => {
      const { contactId, id } = await waiting('test')
      const { email } = await d.read(`contacts/${contactId}`)
      await d.open(`/enrollments?automationId=${id}`)
      const menu = d.button(`Actions for ${email} in Trial, 14 days`)
      await menu.click()
      await d.page.getByRole('menuitem', { name: 'Skip wait Sends “Half of your trial” now instead of' }).waitFor()
      await d.menuItem('Remove from automation…')
      await d.page.getByRole('alertdialog').getByText('Stops all further emails.').waitFor()
      await d.press('Remove from automation')
      await d.row(email).getByText('Cancelled').waitFor()
      const [{ status }] = await d.read(`contacts/${contactId}/enrollments`)
      assert.equal(status, 'CANCELLED')
      await menu.click()
      await d.menuItem('Show decisions')
      await d.shows(/^Was cancelled by the request/)
    })
  })
})
