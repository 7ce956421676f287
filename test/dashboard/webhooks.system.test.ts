import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact } from '../support/factories.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

describe('webhooks in the dashboard', () => {
  const d = onDashboard()
  let receiver: Awaited<ReturnType<typeof startWebhookServer>>
  before(async () => (receiver = await startWebhookServer()))
  after(() => receiver.stop())

  it('are created, tested, repeated and deleted', async () => {
    await d.open('/webhooks')
    await d.press('New webhook')
    const form = d.form('New webhook')
    await form.getByLabel('URL').fill('http://10.0.0.1/')
    await d.press('Create webhook')
    await form.getByText('This must not be an address in a private network').waitFor()
    await form.getByLabel('URL').fill(receiver.url)
    await form.getByText('Selected types').click()
    await d.press('Create webhook')
    await form.getByText('Select at least one type.').waitFor()
    await form.getByText('contact.created').click()
    await d.press('Create webhook')
    assert.match(await d.page.getByTestId('secret').innerText(), /^whsec_/)
    await d.press('Done')

    await d.press('Send test event')
    await d.page.getByRole('link', { name: 'webhook.test' }).waitFor()
    await d.page.getByRole('cell', { name: 'Delivered' }).waitFor()

    receiver.receiver.answer = () => 500
    const before = receiver.requests.length
    await aContact(d.service, { email: 'ada@example.com' })
    await eventually('an attempt failed', () => receiver.requests.length > before || undefined)
    await d.page.reload()
    await d.page.getByRole('link', { name: 'contact.created' }).click()
    await d.page.getByRole('alert').getByText('Attempts fail').waitFor()
    const aside = d.page.getByRole('region', { name: 'Delivery of contact.created' })
    await aside.getByText('"email": "ada@example.com"').waitFor()
    receiver.receiver.answer = () => 200
    await aside.getByRole('button', { name: 'Send again' }).click()
    await aside.getByText('Delivered').waitFor()

    await aside.getByText('Including those before it was sent again.').waitFor()

    const more = d.page.getByRole('button', { name: 'More actions' })
    const focused = (name: string) => d.page.locator(':focus').and(d.page.getByRole('button', { name })).waitFor()
    for (const [item, dialog] of [
      ['Rotate secret…', 'Rotate secret'],
      ['Delete…', 'Delete webhook'],
    ] as const) {
      await more.focus()
      await d.keys('Enter')
      await d.page.getByRole('menuitem', { name: item }).press('Enter')
      await d.page.getByRole('alertdialog', { name: dialog }).waitFor()
      await focused('Cancel')
      await d.keys('Escape')
      await d.page.getByRole('alertdialog').waitFor({ state: 'detached' })
      await focused('More actions')
    }
    await more.click()
    await d.page.getByRole('menuitem', { name: 'Delete…' }).click()
    await d.press('Delete webhook')
    await d.shows('Webhooks tell your server what happens')
    assert.deepEqual(await d.read('webhooks'), [])
  })
})
