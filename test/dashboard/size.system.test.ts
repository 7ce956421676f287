import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { onDashboard } from '../support/dashboard.ts'
import { anAutomation, EMAIL } from '../support/factories.ts'

/** Compressed script bytes of the home page, without the first steps of a new workspace. */
const MAX_HOME = 200_000
/** Compressed script bytes of any page. Editors are loaded on demand. */
const MAX_SCRIPT = 222_000
/** Fewer bytes mean that they were not counted. */
const MIN_SCRIPT = 50 * 1_024

/** Returns the bytes of a script as browsers get it over HTTPS. Without TLS, they do not accept Brotli. */
async function sizeOf(url: string): Promise<number> {
  const { statusCode, headers } = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { headers: { 'accept-encoding': 'br' } }, (response) => resolve(response.resume())).on('error', reject),
  )
  assert.deepEqual([statusCode, headers['content-encoding']], [200, 'br'])
  return Number(headers['content-length'])
}

describe('dashboard size', () => {
  const d = onDashboard()

  it('loads at most 200 KB of script for the home page, and 222 KB for any', async () => {
    const scripts = new Set<string>()
    d.page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.add(response.url())
    })
    const sizes = new Map<string, Promise<number>>()
    const bytes: Record<string, number> = {}
    await d.open('')
    await d.page.evaluate((key) => localStorage.setItem(key, '"hidden"'), `first-steps-${d.service.workspaceId}`)
    for (const path of ['', '/automations', '/contacts', '/messages', '/enrollments', '/segments', '/lists']) {
      scripts.clear()
      await d.open(path)
      await d.isLoaded()
      for (const url of scripts) if (!sizes.has(url)) sizes.set(url, sizeOf(url))
      const all = await Promise.all([...scripts].map((url) => sizes.get(url)!))
      bytes[path] = all.reduce((sum, each) => sum + each, 0)
    }
    assert.deepEqual(
      Object.entries(bytes).filter(
        ([path, count]) => count < MIN_SCRIPT || count > (path === '' ? MAX_HOME : MAX_SCRIPT),
      ),
      [],
    )
  })

  it('renders only the visible steps of an automation with 500 steps', async () => {
    const steps = Array.from({ length: 500 }, (_, n) => ({ ...EMAIL, subject: `Email ${n}` }))
    const automationId = await anAutomation(d.service, { steps })
    await d.open(`/automations/${automationId}`)
    await d.shows('Email 0')
    const shown = await d.page.getByTestId('step').count()
    assert.ok(shown > 3 && shown < 40, `${shown} steps are drawn`)
    await d.keys('Escape', ...Array.from({ length: 60 }, () => 'ArrowDown'))
    await d.shows('Email 59')
    assert.ok((await d.page.getByTestId('step').count()) < 40)
  })
})
