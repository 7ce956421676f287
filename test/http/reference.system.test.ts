import assert from 'node:assert/strict'
import { openChromium, openWindow } from '../support/chromium.ts'
import { openDashboardWorkspace } from '../support/shared-service.ts'

describe('the API reference in a browser', () => {
  it('shows operations, samples and schemas under its content security policy', async () => {
    const { service } = await openDashboardWorkspace()
    const browser = await openChromium()
    try {
      const { page, failures } = await openWindow(browser, service)
      await page.goto('/docs')
      await page.getByRole('heading', { name: 'Dripline API' }).first().waitFor()
      await page.goto('/docs#tag/contacts')
      await page.getByText('/api/v1/contacts').first().waitFor()
      await page.getByText('curl').first().waitFor()
      assert.deepEqual(failures, [])
    } finally {
      await browser.close()
    }
  })
})
