import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { openChromium, openWindow, enterCredentials, signIn } from '../support/chromium.ts'
import { anAutomation } from '../support/factories.ts'
import { aLink, aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('dashboard layout and navigation', function () {
  this.timeout(180_000)
  let service: Service
  let browser: Browser
  let page: Page
  let email: string
  let accountId: string
  before(async () => {
    service = await startService({ worker: false })
    browser = await openChromium()
    ;({ email, accountId } = await aMember(service))
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })
  const open = async (width?: number) => {
    ;({ page } = await openWindow(browser, service, width === undefined ? {} : { width }))
  }
  beforeEach(() => sql(em(), 'delete from rate_windows'))
  afterEach(() => page.context().close())

  const em = () => service.context.orm.em.fork()
  const at = (path: string) => `/w/${service.workspaceId}${path}`

  it('shows an error if the server is unreachable during sign-out', async () => {
    await open()
    await signIn(page, email)
    await page.route('**/api/v1/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: email }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByText('Couldn’t sign you out').waitFor()
    await page.unroute('**/api/v1/session')
    await page.getByRole('button', { name: email }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await page.goto(at('/contacts'))
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  })

  it('redirects a signed-in user from the sign-in page, to paths of its own origin only', async () => {
    await open()
    await signIn(page, email)
    await page.goto(`/sign-in?to=${encodeURIComponent(at('/contacts'))}`)
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
    for (const elsewhere of ['//example.com/', '/\\example.com/', 'https://example.com/', '/\t/example.com']) {
      await page.goto(`/sign-in?to=${encodeURIComponent(elsewhere)}`)
      await page.getByRole('heading', { name: 'Home' }).waitFor()
    }
  })

  it('accepts the invitation in the URL and opens its workspace', async () => {
    await open()
    const other = await createWorkspace(em(), { name: 'Orchard', mode: 'live' })
    const viewer = await aLink(service, 'viewer')
    const editor = await aLink({ ...service, workspaceId: other.id }, 'editor')
    await page.goto(`/join#${viewer}`)
    await page.getByText('as viewer').waitFor()
    await page.evaluate((hash) => {
      ;(globalThis as unknown as { location: { hash: string } }).location.hash = hash
    }, editor)
    await page.getByText('joining Orchard as editor').waitFor()
    await enterCredentials(page, 'joins@example.com')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.ok(page.url().endsWith(`/w/${other.id}`), page.url())
  })

  it('offers all navigation items on a phone', async () => {
    const other = await createWorkspace(em(), { name: 'Another one', mode: 'test' })
    await sql(em(), `insert into members (workspace_id, account_id, role) values ($1, $2, 'owner')`, [
      other.id,
      accountId,
    ])
    await open(390)
    await signIn(page, email)
    const more = page.getByRole('button', { name: 'More' })
    await more.click()
    for (const name of ['Audit log', 'Search or jump to', 'Dark', 'Your account', 'Sign out'])
      await page.getByRole('menuitem', { name }).or(page.getByRole('menuitemradio', { name })).waitFor()
    await page.getByRole('menuitem', { name: 'Another one' }).click()
    await page.waitForURL(`**/w/${other.id}`)
    await page.getByText('Test workspace: emails are captured').waitFor()
  })

  it('loads a page that was not loaded before once the server is back', async () => {
    await open()
    await signIn(page, email)
    await page.context().route('**/*', (route) => route.abort())
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByText('Can’t reach the server').first().waitFor({ timeout: 40_000 })
    await page.context().unroute('**/*')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor({ timeout: 30_000 })
  })

  it('shows and offers more than a hundred lists', async () => {
    const listId = (await service.call('POST', 'lists', { name: 'The oldest' })).body.data.id as string
    await sql(
      em(),
      `insert into lists (id, workspace_id, name) select gen_random_uuid(), $1, 'List ' || n from generate_series(1, 120) n`,
      [service.workspaceId],
    )
    await sql(em(), `update lists set created_at = now() - interval '1 day' where id = $1`, [listId])
    const automationId = await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId } })
    await open()
    await signIn(page, email)
    await page.goto(at(`/automations/${automationId}`))
    await page.getByText('Added to The oldest').first().waitFor()
    await page.goto(at('/lists'))
    await page.getByRole('link', { name: 'The oldest' }).waitFor()
  })
})
