import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { anAutomation, EMAIL } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

/** Compressed script bytes of any page. Editors are loaded on demand. */
const MAX_SCRIPT = 250_000
const STEPS = 500

describe('dashboard size', function () {
  this.timeout(180_000)
  let service: Service
  let browser: Browser
  let page: Page
  before(async () => {
    service = await startService({ worker: false })
    browser = await openChromium()
    const { email } = await aMember(service)
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })

  for (const path of ['/automations', '/contacts', '/messages', '/enrollments', '/segments', '/lists']) {
    it(`loads less than 250 KB of script for ${path}`, async () => {
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      await session.send('Network.clearBrowserCache')
      const scripts = new Map<string, number>()
      session.on('Network.responseReceived', ({ requestId, type }) => {
        if (type === 'Script') scripts.set(requestId, 0)
      })
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (scripts.has(requestId)) scripts.set(requestId, encodedDataLength)
      })
      await page.goto(`/w/${service.workspaceId}${path}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.waitForLoadState('networkidle').catch(() => undefined)
      await session.detach()
      const all = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0)
      assert.ok(all > 50 * 1024, `${all} bytes: were they looked at?`)
      assert.ok(all < MAX_SCRIPT, `${all} bytes`)
    })
  }

  it('renders only the visible steps of an automation with 500 steps', async () => {
    const steps = Array.from({ length: STEPS }, (_, n) => ({ ...EMAIL, subject: `Email ${n}` }))
    const automationId = await anAutomation(service, { steps })
    await page.goto(`/w/${service.workspaceId}/automations/${automationId}`)
    await page.getByText('Email 0').waitFor()
    const shown = await page.getByTestId('step').count()
    assert.ok(shown > 3 && shown < 40, `${shown} steps are drawn`)
    await page.keyboard.press('Escape')
    for (let n = 0; n < 60; n += 1) await page.keyboard.press('ArrowDown')
    await page.getByText('Email 59').first().waitFor()
    assert.ok((await page.getByTestId('step').count()) < 40)
  })
})
