// cspell:ignore startd
import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { aContact, anAutomation, anEvent } from '../support/factories.ts'

describe('events in the dashboard', () => {
  const d = onDashboard()

  it('shows names with what uses them, and each event with what it did', async () => {
    const ada = await aContact(d.service, { email: 'ada@example.com' })
    const bob = await aContact(d.service, { email: 'bob@example.com' })
    await anAutomation(d.service, {
      name: 'After the order',
      trigger: 'EVENT',
      triggerConfig: { eventName: 'order.placed' },
      entry: { filter: { eventData: 'total', is: 'more', value: 10 } },
    })
    await anEvent(d.service, ada, 'order.placed', { total: 30 })
    await anEvent(d.service, bob, 'order.placed', { total: '5' })
    await anEvent(d.service, bob, 'page.viewed')
    await d.open('/events')
    const names = d.page.getByRole('table', { name: 'Events', exact: true })
    await names.getByText('1 automation').waitFor()
    const tail = d.page.getByRole('table', { name: 'Live tail' }).locator('tbody tr')
    await tail.getByText('bob@example.com').nth(1).waitFor()
    await tail.getByText('ada@example.com').waitFor()
    const rows = async () =>
      (await tail.allInnerTexts()).map((text) =>
        text
          .replaceAll(/\s+/g, ' ')
          .replace(/^[\d:]+ /, '')
          .trim(),
      )
    assert.deepEqual(await rows(), [
      'page.viewed bob@example.com Nothing No automation used it',
      'order.placed bob@example.com Excluded After the order, entry filter',
      'order.placed ada@example.com Started After the order',
    ])
    // A new event appears without a reload.
    await anEvent(d.service, ada, 'page.viewed')
    await d.page.getByText('page.viewed').nth(2).waitFor()
    await d.page.getByRole('button', { name: 'Data of order.placed' }).last().click()
    await d.shows('"total": 30')
    await d.page.getByRole('radiogroup', { name: 'Outcome' }).getByText('Started').click()
    assert.equal(await d.page.getByRole('button', { name: 'Data of page.viewed' }).count(), 0)
    await names.getByRole('link', { name: 'order.placed' }).click()
    const data = d.page.getByRole('table', { name: 'Properties' })
    await data.getByText('number or text').or(data.getByText('text or number')).waitFor()
    await d.shows('has values of several types')
    await d.link('After the order').waitFor()
  })

  it('names a probable typo, and deletes its events', async () => {
    const contactId = await aContact(d.service)
    await anAutomation(d.service, { trigger: 'EVENT', triggerConfig: { eventName: 'trial.started' } })
    await anEvent(d.service, contactId, 'trial.started')
    await anEvent(d.service, contactId, 'trial.startd')
    await d.open('/events')
    await d.shows('Similar to trial.started')
    await d.link('trial.startd').click()
    // The panel closes with the name, before the live tail is read again.
    const removed = d.link('trial.startd').waitFor({ state: 'detached' })
    await d.page.route(/\/events\?/, async (route) => {
      await removed
      await route.continue()
    })
    await d.press('Delete these events…', 'Delete events')
    await d.page.getByText('trial.startd').first().waitFor({ state: 'detached' })
    const left = (await d.read('events/names')) as { name: string }[]
    assert.equal(
      left.some(({ name }) => name === 'trial.startd'),
      false,
    )
  })

  it('is in the activity of its contact', async () => {
    const contactId = await aContact(d.service)
    await anEvent(d.service, contactId, 'webinar.attended')
    await d.open(`/contacts/${contactId}`)
    await d.shows('webinar.attended', 'No automation used it')
  })
})
