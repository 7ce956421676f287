import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'

describe('the request log in the dashboard', () => {
  const d = onDashboard()

  it('shows requests of API keys with filters, and explains how to fix an error', async () => {
    const key = await d.service.newKey({ workspaceId: d.service.workspaceId, name: 'Checkout' })
    const ask = (method: string, path: string, id: string, body?: object) =>
      d.service.call(method, path, body, { key, headers: { 'x-request-id': id } })
    await d.service.call('GET', 'lists')
    await ask('GET', 'contacts/email:ada@example.com', 'wanted-contact')
    await ask('POST', 'contacts', 'wanted-error', { email: 'no address' })
    await d.open('/keys')
    await d.button('Actions for Checkout').click()
    await d.menuItem('View requests')
    await d.isAt('Logs')
    const rows = d.page.getByRole('table', { name: 'Requests' }).locator('tbody').getByRole('row')
    const isCount = (count: number) =>
      rows
        .nth(count - 1)
        .and(d.page.locator('tr:last-child'))
        .waitFor()
    await isCount(2)
    // A new request appears without a reload.
    await ask('GET', 'whoami', 'wanted-whoami')
    await isCount(3)

    await d.press('Client errors')
    await isCount(2)
    await d.page.getByRole('link', { name: 'POST /contacts' }).press('Enter')
    const aside = d.page.getByRole('region', { name: 'Request' })
    for (const text of ['400', 'invalid_request', '/email', 'Checkout', 'wanted-error'])
      await aside.getByText(text, { exact: true }).waitFor()
    await aside.getByText('A value in the body or the query is invalid.').waitFor()
    await d.page.reload()
    await aside.getByText('wanted-error').waitFor()
    await d.keys('Escape')
    await aside.waitFor({ state: 'detached' })
    await d.page.getByRole('link', { name: 'POST /contacts' }).press('Enter')
    await aside.getByText('wanted-error').waitFor()
    await d.keys('Escape')
    await d.page
      .locator(':focus')
      .and(d.page.getByRole('link', { name: 'POST /contacts' }))
      .waitFor()

    await d.press('All')
    await d.field('Request ID').fill('wanted-contact')
    await d.keys('Enter')
    await isCount(1)
    await d.row(/GET \/contacts\/\{id\}.*404/).waitFor()
    assert.doesNotMatch(await d.page.locator('main').innerText(), /example\.com/)
    assert.deepEqual(d.failures, [])
  })

  it('counts the requests of a key before it is deleted', async () => {
    const key = await d.service.newKey({ workspaceId: d.service.workspaceId, name: 'Importer' })
    for (let n = 0; n < 3; n += 1) await d.service.call('GET', 'whoami', undefined, { key })
    await d.open('/logs')
    await d
      .row(/GET \/whoami.*Importer/)
      .nth(2)
      .waitFor()
    await d.open('/keys')
    await d.button('Actions for Importer').click()
    await d.menuItem('Delete…')
    const dialog = d.page.getByRole('alertdialog', { name: 'Delete key' })
    const focused = d.page.locator(':focus')
    await dialog.getByText('Delete API key “Importer”?').waitFor()
    await dialog.getByText('3 requests').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).and(focused).waitFor()
    await d.keys('Escape')
    await dialog.waitFor({ state: 'detached' })
    await d.button('Actions for Importer').and(focused).waitFor()
  })
})
