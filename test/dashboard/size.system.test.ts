import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { anAutomation, EMAIL } from '../support/factories.ts'

/** Compressed script bytes of any page. Editors are loaded on demand. */
const MAX_SCRIPT = 250_000
/** Fewer bytes mean that they were not counted. */
const MIN_SCRIPT = 50 * 1_024

describe('dashboard size', () => {
  const d = onDashboard()

  it('loads less than 250 KB of script for a page', async () => {
    const session = await d.page.context().newCDPSession(d.page)
    await session.send('Network.enable')
    const scripts = new Map<string, number>()
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.set(requestId, 0)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) scripts.set(requestId, encodedDataLength)
    })
    const bytes: Record<string, number> = {}
    for (const path of ['/automations', '/contacts', '/messages', '/enrollments', '/segments', '/lists']) {
      await session.send('Network.clearBrowserCache')
      scripts.clear()
      await d.open(path)
      await d.isLoaded()
      bytes[path] = [...scripts.values()].reduce((sum, each) => sum + each, 0)
    }
    assert.deepEqual(
      Object.entries(bytes).filter(([, count]) => count < MIN_SCRIPT || count > MAX_SCRIPT),
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
