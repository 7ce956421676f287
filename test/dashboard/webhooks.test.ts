import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { aContact } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { WEBHOOK_ENV } from '../support/webhook-events.ts'

describe('webhooks in the dashboard', function () {
  this.timeout(180_000)
  let service: Service
  let browser: Browser
  let page: Page
  let receiver: Awaited<ReturnType<typeof startWebhookServer>>
  before(async () => {
    service = await startService({ env: WEBHOOK_ENV })
    receiver = await startWebhookServer()
    browser = await openChromium()
    const { email } = await aMember(service)
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
    await page.goto(`/w/${service.workspaceId}/webhooks`)
  })
  after(async () => {
    await browser.close()
    await receiver.stop()
    await service.stop()
  })

  it('are created, tested, repeated and deleted', async () => {
    await page.getByRole('button', { name: 'New webhook' }).click()
    const form = page.getByRole('form', { name: 'New webhook' })
    await form.getByLabel('URL').fill('http://10.0.0.1/')
    await form.getByRole('button', { name: 'Create webhook' }).click()
    await form.getByText('url must not be an address in a private network').waitFor()
    await form.getByLabel('URL').fill(receiver.url)
    await form.getByText('Selected types').click()
    await form.getByRole('button', { name: 'Create webhook' }).click()
    await form.getByText('Select at least one type.').waitFor()
    await form.getByText('contact.created').click()
    await form.getByRole('button', { name: 'Create webhook' }).click()
    assert.match(await page.getByTestId('secret').innerText(), /^whsec_/)
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('link', { name: 'webhook.test' }).waitFor()
    await page.getByRole('cell', { name: 'Delivered' }).waitFor()

    receiver.receiver.answer = () => 500
    await aContact(service, { email: 'ada@example.com' })
    await page.getByRole('link', { name: 'contact.created' }).click()
    await page.getByRole('alert').getByText('Attempts fail').waitFor()
    const aside = page.getByRole('region', { name: 'Delivery of contact.created' })
    await aside.getByText('"email": "ada@example.com"').waitFor()
    receiver.receiver.answer = () => 200
    await aside.getByRole('button', { name: 'Send again' }).click()
    await aside.getByText('Delivered').waitFor()

    await aside.getByText('Including those before it was sent again.').waitFor()

    const more = page.getByRole('button', { name: 'More actions' })
    const focused = (name: string) => page.locator(':focus').and(page.getByRole('button', { name })).waitFor()
    for (const [item, dialog] of [
      ['Rotate secret…', 'Rotate secret'],
      ['Delete…', 'Delete webhook'],
    ] as const) {
      await more.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: item }).press('Enter')
      await page.getByRole('alertdialog', { name: dialog }).waitFor()
      await focused('Cancel')
      await page.keyboard.press('Escape')
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      await focused('More actions')
    }
    await more.click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('Webhooks tell your server what happens').waitFor()
    assert.equal((await sql(service.context.orm.em.fork(), 'select from webhook_endpoints')).length, 0)
  })
})
