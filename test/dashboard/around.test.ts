import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { openChromium, openWindow, sayWho, signIn } from '../support/chromium.ts'
import { anAutomation } from '../support/factories.ts'
import { aLink, aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('what is around the pages of the dashboard', function () {
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

  it('says that nobody is signed out where the service does not answer', async () => {
    await open()
    await signIn(page, email)
    await page.route('**/api/v1/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: email }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByText('You are not signed out').waitFor()
    await page.unroute('**/api/v1/session')
    await page.getByRole('button', { name: email }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await page.goto(at('/contacts'))
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  })

  it('leads whoever is signed in from the form to the page', async () => {
    await open()
    await signIn(page, email)
    await page.goto(`/sign-in?to=${encodeURIComponent(at('/contacts'))}`)
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
    for (const elsewhere of ['//example.com/', '/\\example.com/', 'https://example.com/', '/\t/example.com']) {
      await page.goto(`/sign-in?to=${encodeURIComponent(elsewhere)}`)
      await page.getByRole('heading', { name: 'Home' }).waitFor()
    }
  })

  it('offers what the link is to that is in the address, and leads to where it is to', async () => {
    await open()
    const other = await createWorkspace(em(), { name: 'Orchard', mode: 'live' })
    const viewer = await aLink(service, 'viewer')
    const editor = await aLink({ ...service, workspaceId: other.id }, 'editor')
    await page.goto(`/join#${viewer}`)
    await page.getByText('You become viewer of').waitFor()
    await page.evaluate((hash) => {
      ;(globalThis as unknown as { location: { hash: string } }).location.hash = hash
    }, editor)
    await page.getByText('You become editor of Orchard').waitFor()
    await sayWho(page, 'joins@example.com')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.ok(page.url().endsWith(`/w/${other.id}`), page.url())
  })

  it('has on a phone all that is on the rail', async () => {
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
    await page.getByText('Test workspace. Email is captured').waitFor()
  })

  it('waits for the service with a page that was not asked for before', async () => {
    await open()
    await signIn(page, email)
    await page.context().route('**/*', (route) => route.abort())
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByText('The service not reachable').waitFor({ timeout: 40_000 })
    await page.context().unroute('**/*')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor({ timeout: 30_000 })
  })

  it('has all lists to choose from, and to look at, also behind the first hundred', async () => {
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
