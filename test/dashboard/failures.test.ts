import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { openChromium, openWindow, enterCredentials, signIn } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { activityOf, aContact, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import type { Service } from '../support/service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const SCRIPT = '<img src=x onerror="document.title=\'broken in\'">'

describe('dashboard with bad input and failures', function () {
  this.timeout(180_000)
  let service: Service
  let sink: SmtpSink
  let browser: Browser
  let page: Page
  let email: string
  after(() => browser.close())
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    browser = await openChromium()
    ;({ email } = await aMember(service))
  })
  beforeEach(async () => {
    await sql(service.context.orm.em.fork(), 'delete from rate_windows')
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
  })
  afterEach(() => page.context().close())

  const at = (path: string) => `/w/${service.workspaceId}${path}`
  const text = (window: Page) => window.locator('[aria-multiline=true]').first()

  it('escapes markup in names and shows emails without scripts or requests', async () => {
    const contactId = await aContact(service, { firstName: SCRIPT, tags: [SCRIPT], metadata: { [SCRIPT]: SCRIPT } })
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
    const automationId = await anAutomation(service, { steps: [{ type: 'EMAIL', subject: SCRIPT, html }] })
    await enroll(service, automationId, contactId)
    await eventually('it is sent', async () =>
      (await activityOf(service, contactId))[0]?.status === 'SENT' ? true : undefined,
    )
    await page.goto(at(`/contacts/${contactId}`))
    await page.getByRole('heading', { name: SCRIPT, level: 2 }).waitFor()
    await page.getByRole('button', { name: SCRIPT }).click()
    const frame = page.frameLocator('iframe[title="Email"]')
    await frame.getByText('Hello').waitFor()
    for (const path of ['/contacts', `/automations/${automationId}`, '/messages', '']) {
      await page.goto(at(path))
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.getByText(SCRIPT).first().waitFor()
      assert.doesNotMatch(await page.title(), /broken in/)
    }
    beacon.close()
    assert.equal(connections, 0)
  })

  it('keeps unsaved edits when the session ends and the user signs in again', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByTestId('step').click()
    let asked = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/session') && request.method() === 'GET') asked += 1
    })
    // The session ends when the edit is saved. Another request would open the dialog before the text is typed.
    await page.route(
      (url) => url.pathname.endsWith('/draft'),
      async (route) => {
        await sql(service.context.orm.em.fork(), 'delete from sessions')
        await route.continue()
      },
      { times: 1 },
    )
    await text(page).fill('This must not be lost')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    assert.ok(asked < 6, `asked ${asked} times who is signed in`)
    await enterCredentials(dialog)
    await page.getByText('Draft saved').waitFor()
    assert.equal(await text(page).textContent(), 'This must not be lost')
    const { body } = await service.call('GET', `automations/${automationId}/draft`)
    assert.match(JSON.stringify(body.data.content), /This must not be lost/)
  })

  it('reports a conflict to the second editor of an automation and overwrites nothing', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL, wait(60), EMAIL] })
    const other = await openWindow(browser, service)
    await signIn(other.page, email)
    for (const window of [page, other.page]) {
      await window.goto(at(`/automations/${automationId}`))
      await window.getByTestId('step').first().click()
    }
    await text(page).fill('By the first')
    await page.getByText('Draft saved').waitFor()
    await text(other.page).fill('By the second')
    await other.page
      .getByText(/Someone else edited/)
      .first()
      .waitFor()
    const { body } = await service.call('GET', `automations/${automationId}/draft`)
    assert.match(JSON.stringify(body.data.content), /By the first/)
    assert.equal(await text(other.page).textContent(), 'By the second', 'what was typed is still there')
    await other.page.context().close()
  })

  it('asks for the password after a sign-out in another window', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByTestId('step').click()
    await page.context().clearCookies()
    await text(page).fill('Signed out elsewhere')
    await enterCredentials(page.getByRole('dialog'))
    await page.getByText('Draft saved').waitFor()
  })

  it('saves edits made just before the user goes to another page', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByTestId('step').click()
    await text(page).fill('Typed, and gone')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await eventually('it is kept', async () => {
      const { body } = await service.call('GET', `automations/${automationId}/draft`)
      return /Typed, and gone/.test(JSON.stringify(body.data?.content)) || undefined
    })
  })

  it('shows the other version on request and does not publish an outdated draft', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByTestId('step').click()
    const content = (body: string) => ({
      sequence: {
        name: 'Theirs',
        trigger: 'SIGNUP',
        triggerConfig: {},
        onSendFailure: 'CONTINUE',
        steps: [{ id: '1', type: 'EMAIL', subject: 'Theirs', html: null, text: body }],
      },
    })
    await service.call('PUT', `automations/${automationId}/draft`, { content: content('By them'), basedOn: 1 })
    await text(page).fill('By me')
    await page.getByRole('button', { name: 'View theirs' }).click()
    await page.getByText('By them').first().waitFor()
    await service.call('PUT', `automations/${automationId}/steps`, {
      steps: [{ ...EMAIL, subject: 'Edited by someone else' }],
    })
    await page.reload()
    await page.getByText('This draft is out of date').waitFor()
    await page.getByRole('button', { name: /^Publish/ }).click()
    await page.getByText('Choose a version above').waitFor()
    const { body } = await service.call('GET', `automations/${automationId}`)
    assert.equal(body.data.steps[0].subject, 'Edited by someone else')
    await page.getByRole('button', { name: 'Discard draft…' }).click()
    await page.getByRole('button', { name: 'Discard draft', exact: true }).click()
    await page.getByText('Edited by someone else').first().waitFor()
  })

  it('reports that the server is unreachable and recovers automatically', async () => {
    await page.goto(at(''))
    await page.getByText('All systems operational').waitFor()
    await page.route('**/*', (route) => route.abort())
    await page.getByText('Can’t reach the server').first().waitFor({ timeout: 40_000 })
    await page.unroute('**/*')
    await page.getByText('All systems operational').waitFor({ timeout: 30_000 })
  })

  it('says which service is unreachable', async () => {
    const body = { error: 'Not reachable: Postgres' }
    await page.route('/readyz', (route) => route.fulfill({ status: 503, json: body }))
    await page.goto(at(''))
    await page.getByText('Not reachable: Postgres').first().waitFor()
    await page.unroute('/readyz')
  })

  it('uses the server’s clock if the browser’s is wrong', async () => {
    await aContact(service, { firstName: 'Now' })
    await page.clock.install({ time: Date.now() + 5 * 3_600_000 })
    await page.goto(at('/contacts'))
    await page.getByText('Now').first().waitFor()
    await page.goto(at('/lists'))
    await service.call('POST', 'lists', { name: 'Made just now' })
    await page.reload()
    await page.getByText('Made just now').waitFor()
    await page
      .getByRole('row', { name: /Made just now/ })
      .locator('time')
      .getByText(/sec|now/)
      .waitFor()
  })

  it('has no horizontal scrolling with long names, right-to-left text and 200 % zoom', async () => {
    const long = 'Maximiliana'.repeat(18)
    const contactId = await aContact(service, {
      email: `${'long'.repeat(15)}@${'example'.repeat(7)}.com`,
      firstName: long,
      tags: [long.slice(0, 100), 'محمد'],
      metadata: { [long.slice(0, 100)]: long },
    })
    const automationId = await anAutomation(service, { name: long.slice(0, 200), steps: [{ ...EMAIL, subject: long }] })
    await service.call('POST', 'lists', { name: long.slice(0, 200) })
    await service.call('POST', 'segments', { name: 'محمد', condition: { tag: long.slice(0, 100) } })
    const tooWide: string[] = []
    for (const width of [1_440, 720, 390]) {
      await page.setViewportSize({ width, height: 700 })
      for (const path of [
        '',
        '/automations',
        `/automations/${automationId}`,
        '/contacts',
        `/contacts/${contactId}`,
        '/messages',
        '/enrollments',
        '/segments',
        '/lists',
        '/workspace',
        '/keys',
        '/members',
        '/audit',
      ]) {
        await page.goto(at(path))
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await page.waitForLoadState('networkidle').catch(() => undefined)
        const wider = await page.evaluate(() => {
          const { documentElement } = (
            globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
          ).document
          return documentElement.scrollWidth - documentElement.clientWidth
        })
        if (wider > 0) tooWide.push(`${path} is ${wider} wider than ${width}`)
      }
    }
    assert.deepEqual(tooWide, [])
  })

  it('resends one unconfirmed message and dismisses another', async () => {
    const automationId = await anAutomation(service, { name: 'Unconfirmed', steps: [EMAIL] })
    sink.behave('cut')
    const ids = [await aContact(service, { firstName: 'Again' }), await aContact(service, { firstName: 'Leave' })]
    for (const id of ids) await enroll(service, automationId, id)
    for (const id of ids) {
      await eventually('it is unconfirmed', async () =>
        (await activityOf(service, id))[0]?.status === 'UNCONFIRMED' ? true : undefined,
      )
    }
    sink.behave('accept')
    await page.goto(at('/messages?status=UNCONFIRMED'))
    await page.getByRole('checkbox', { name: /Hello Again/ }).check()
    await page.getByRole('button', { name: /Resend/ }).click()
    await eventually('it is sent', async () =>
      (await activityOf(service, ids[0]!))[0]?.status === 'SENT' ? true : undefined,
    )
    await page.goto(at(`/contacts/${ids[1]}`))
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('Dismissed').waitFor()
    assert.equal((await activityOf(service, ids[1]!))[0]?.status, 'DISMISSED')
  })
})
