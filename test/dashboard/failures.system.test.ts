import assert from 'node:assert/strict'
import { enterCredentials } from '../support/chromium.ts'
import { onDashboard } from '../support/dashboard.ts'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { activityOf, aContact, anAutomation, EMAIL, enroll } from '../support/factories.ts'

/** The time in which a page may adapt to another width. */
const ONE_SECOND = { timeout: 1_000 }
const SCRIPT = '<img src=x onerror="document.title=\'broken in\'">'

describe('dashboard with bad input and failures', () => {
  const d = onDashboard()

  const text = () => d.page.locator('[aria-multiline=true]').first()
  /** Opens an automation with one email in the builder, and the email. */
  async function openStep(): Promise<string> {
    const automationId = await anAutomation(d.service)
    await d.open(`/automations/${automationId}`)
    await d.page.getByTestId('step').click()
    return automationId
  }
  /** Ends the session when the edit is saved. Another request would open the dialog before the text is typed. */
  const endSessionAtSave = () =>
    d.page.route(
      (url) => url.pathname.endsWith('/draft'),
      async (route) => {
        await sql(d.service.context.orm.em.fork(), 'delete from sessions where account_id = $1::uuid', [
          d.owner.accountId,
        ])
        await route.continue()
      },
      { times: 1 },
    )
  const draftHas = (automationId: string, words: RegExp) =>
    eventually(`the draft has ${words}`, async () => {
      const { body } = await d.service.call('GET', `automations/${automationId}/draft`)
      return words.test(JSON.stringify(body.data?.content)) || undefined
    })
  const hasStatus = (contactId: string, status: string) =>
    eventually(
      `its status is ${status}`,
      async () => (await activityOf(d.service, contactId))[0]?.status === status || undefined,
    )

  it('escapes markup in names and shows emails without scripts or requests', async () => {
    const contactId = await aContact(d.service, { firstName: SCRIPT, tags: [SCRIPT], metadata: { [SCRIPT]: SCRIPT } })
    // A server that counts connections, whatever the browser reports.
    let connections = 0
    const beacon = createServer(() => (connections += 1)).listen(0, '127.0.0.1')
    await once(beacon, 'listening')
    const there = `http://127.0.0.1:${(beacon.address() as AddressInfo).port}`
    const html =
      `<p>Hello</p><script>document.title = 'broken in'</script>${SCRIPT}<img src="${there}/pixel.gif">` +
      `<iframe src="${there}/frame"></iframe><link rel="stylesheet" href="${there}/style.css"><link rel="preconnect" href="${there}">` +
      `<meta http-equiv="refresh" content="0;url=${there}/away"><object data="${there}/object"></object><embed src="${there}/embed">` +
      `<div><template shadowrootmode="open"><iframe src="${there}/shadow"></iframe></template></div>` +
      `<style>@import url(${there}/import.css); body { background: url(${there}/background) }</style>`
    const automationId = await anAutomation(d.service, { steps: [{ type: 'EMAIL', subject: SCRIPT, html }] })
    await enroll(d.service, automationId, contactId)
    await hasStatus(contactId, 'SENT')
    await d.open(`/contacts/${contactId}`)
    await d.page.getByRole('heading', { name: SCRIPT, level: 2 }).waitFor()
    await d.page.getByRole('button', { name: SCRIPT }).click()
    const frame = d.page.frameLocator('iframe[title="Email"]')
    await frame.getByText('Hello').waitFor()
    for (const path of ['/contacts', `/automations/${automationId}`, '/messages', '']) {
      await d.open(path)
      await d.page.getByText(SCRIPT).first().waitFor()
      assert.doesNotMatch(await d.page.title(), /broken in/)
    }
    beacon.close()
    assert.equal(connections, 0)
  })

  it('keeps unsaved edits when the session ends and the user signs in again', async () => {
    const automationId = await openStep()
    let asked = 0
    d.page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/session') && request.method() === 'GET') asked += 1
    })
    await endSessionAtSave()
    await text().fill('This must not be lost')
    const dialog = d.page.getByRole('dialog')
    await dialog.waitFor()
    assert.ok(asked < 6, `asked ${asked} times who is signed in`)
    await enterCredentials(dialog)
    await d.shows('Draft saved')
    assert.equal(await text().textContent(), 'This must not be lost')
    await draftHas(automationId, /This must not be lost/)
  })

  it('keeps unsaved edits when the session ends after an update', async () => {
    const automationId = await openStep()
    // After an update, the code of the dialog is gone. Its notice keeps the page too.
    await d.page.route('**/assets/SessionExpiredDialog*.js', (route) => route.fulfill({ status: 404 }))
    let asked = 0
    d.page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/session') && request.method() === 'GET') asked += 1
    })
    await endSessionAtSave()
    await text().fill('This must not be lost')
    await d.page.getByRole('alert').getByText('Your changes are still here.').waitFor()
    assert.ok(asked < 6, `asked ${asked} times who is signed in`)
    // Playwright misses a tab whose document arrives before it listens, so the test opens the tab itself.
    const link = d.page.getByRole('link', { name: 'Sign in in a new tab' })
    assert.equal(await link.getAttribute('target'), '_blank')
    const other = await d.page.context().newPage()
    await other.goto((await link.getAttribute('href'))!)
    await enterCredentials(other, d.owner.email)
    await other.getByRole('heading', { name: 'Home' }).waitFor()
    await other.close()
    await d.page.bringToFront()
    await d.shows('Draft saved')
    assert.equal(await text().textContent(), 'This must not be lost')
    await draftHas(automationId, /This must not be lost/)
  })

  it('saves edits made just before the user goes to another page', async () => {
    const automationId = await openStep()
    await text().fill('Typed, and gone')
    await d.page.getByRole('link', { name: 'Contacts' }).click()
    await draftHas(automationId, /Typed, and gone/)
  })

  it('shows the other version on request and does not publish an outdated draft', async () => {
    const automationId = await openStep()
    const content = (body: string) => ({
      sequence: {
        name: 'Theirs',
        trigger: 'SIGNUP',
        triggerConfig: {},
        onSendFailure: 'CONTINUE',
        steps: [{ id: '1', type: 'EMAIL', subject: 'Theirs', html: null, text: body }],
      },
    })
    await d.service.call('PUT', `automations/${automationId}/draft`, { content: content('By them'), basedOn: 1 })
    await text().fill('By me')
    await d.press('View theirs')
    await d.shows('By them')
    await d.service.call('PUT', `automations/${automationId}/steps`, {
      steps: [{ ...EMAIL, subject: 'Edited by someone else' }],
    })
    await d.page.reload()
    await d.shows('This draft is out of date')
    await d.press(/^Publish/)
    await d.shows('Choose a version above')
    const { body } = await d.service.call('GET', `automations/${automationId}`)
    assert.equal(body.data.steps[0].subject, 'Edited by someone else')
    await d.press('Discard draft…', 'Discard draft')
    await d.shows('Edited by someone else')
  })

  it('reports that the server is unreachable and recovers automatically', async () => {
    const window = await d.openWindow()
    await window.clock.install()
    await window.goto(d.at(''))
    const shows = (text: string) =>
      eventually(`it shows ${text}`, async () => {
        // Until the next check.
        await window.clock.runFor(1_000)
        return (await window.getByText(text).count()) > 0 || undefined
      })
    await shows('All systems operational')
    await window.route('**/*', (route) => route.abort())
    await shows('Can’t reach the server')
    await window.unroute('**/*')
    await shows('All systems operational')
    await window.context().close()
  })

  it('says which service is unreachable', async () => {
    const body = { error: 'Not reachable: Postgres' }
    await d.page.route('/readyz', (route) => route.fulfill({ status: 503, json: body }))
    await d.open('')
    await d.shows('Not reachable: Postgres')
  })

  it('uses the server’s clock if the browser’s is wrong', async () => {
    const window = await d.openWindow()
    await window.clock.install({ time: Date.now() + 5 * 3_600_000 })
    await d.create('lists', { name: 'Made just now' })
    await window.goto(d.at('/lists'))
    const made = window.getByRole('row', { name: /Made just now/ })
    const age = made.locator('time').getByText(/sec|now/)
    await age.waitFor()
    await window.context().close()
  })

  it('has no horizontal scrolling with long names, right-to-left text and 200 % zoom', async () => {
    const long = 'Maximiliana'.repeat(18)
    const contactId = await aContact(d.service, {
      email: `${'long'.repeat(15)}@${'example'.repeat(7)}.com`,
      firstName: long,
      tags: [long.slice(0, 100), 'محمد'],
      metadata: { [long.slice(0, 100)]: long },
    })
    const automationId = await anAutomation(d.service, {
      name: long.slice(0, 200),
      steps: [{ ...EMAIL, subject: long }],
    })
    await d.service.call('POST', 'lists', { name: long.slice(0, 200) })
    const segmentId = await d.create('segments', { name: 'محمد', condition: { tag: long.slice(0, 100) } })
    const tooWide: string[] = []
    const paths = ['', '/automations', `/automations/${automationId}`, '/contacts', `/contacts/${contactId}`]
    const more = [
      '/messages',
      '/transactional',
      '/enrollments',
      '/segments',
      `/segments/${segmentId}`,
      '/lists',
      '/workspace',
      '/retention',
      '/keys',
      '/logs',
      '/members',
      '/audit',
    ]
    for (const path of [...paths, ...more]) {
      await d.page.setViewportSize({ width: 390, height: 700 })
      await d.open(path)
      await d.isLoaded()
      for (const width of [390, 720, 1_440]) {
        await d.page.setViewportSize({ width, height: 700 })
        const isNarrow = d.page.waitForFunction('document.documentElement.scrollWidth <= innerWidth', null, ONE_SECOND)
        await isNarrow.catch(() => tooWide.push(`${path} is wider than ${width}`))
      }
    }
    assert.deepEqual(tooWide, [])
  })

  it('resends one unconfirmed message and dismisses another', async () => {
    const automationId = await anAutomation(d.service, { name: 'Unconfirmed', steps: [EMAIL] })
    d.sink.behave('cut')
    const ids = [await aContact(d.service, { firstName: 'Again' }), await aContact(d.service, { firstName: 'Leave' })]
    for (const id of ids) await enroll(d.service, automationId, id)
    for (const id of ids) await hasStatus(id, 'UNCONFIRMED')
    d.sink.behave('accept')
    await d.open('/messages?status=UNCONFIRMED')
    await d.page.getByRole('checkbox', { name: /Hello Again/ }).check()
    await d.press(/Resend/)
    await hasStatus(ids[0]!, 'SENT')
    await d.open(`/contacts/${ids[1]}`)
    await d.press('Dismiss')
    await d.shows('Dismissed')
    assert.equal((await activityOf(d.service, ids[1]!))[0]?.status, 'DISMISSED')
  })
})
