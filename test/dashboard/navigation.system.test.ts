import assert from 'node:assert/strict'
import { enterCredentials } from '../support/chromium.ts'
import { onDashboard } from '../support/dashboard.ts'
import { joinWorkspaces } from '../../src/accounts/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { anAutomation } from '../support/factories.ts'
import { aLink } from '../support/members.ts'

describe('dashboard layout and navigation', () => {
  const d = onDashboard()
  const em = () => d.service.context.orm.em.fork()

  it('shows an error if the server is unreachable during sign-out', async () => {
    await d.open('')
    const signOut = async () => {
      await d.page.getByRole('button', { name: d.owner.email }).click()
      await d.menuItem('Sign out')
    }
    await d.page.route('**/api/v1/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    )
    await signOut()
    await d.shows('Couldn’t sign you out')
    await d.page.unroute('**/api/v1/session')
    await signOut()
    await d.button('Sign in').waitFor()
    await d.open('/contacts')
    await d.button('Sign in').waitFor()
  })

  it('redirects a signed-in user from the sign-in page, to paths of its own origin only', async () => {
    await d.page.goto(`/sign-in?to=${encodeURIComponent(d.at('/contacts'))}`)
    await d.isAt('Contacts')
    for (const elsewhere of ['//example.com/', '/\\example.com/', 'https://example.com/', '/\t/example.com']) {
      await d.page.goto(`/sign-in?to=${encodeURIComponent(elsewhere)}`)
      await d.isAt('Home')
    }
  })

  it('accepts the invitation in the URL and opens its workspace', async () => {
    await d.page.context().clearCookies()
    const other = await createWorkspace(em(), { name: 'Orchard', mode: 'live' })
    const viewer = await aLink(d.service, 'viewer')
    const editor = await aLink({ ...d.service, workspaceId: other.id }, 'editor')
    await d.page.goto(`/join#${viewer}`)
    await d.shows('as viewer')
    await d.page.evaluate(`location.hash = '${editor}'`)
    await d.shows('joining Orchard as editor')
    await enterCredentials(d.page, 'joins@example.com')
    await d.isAt('Home')
    assert.ok(d.page.url().endsWith(`/w/${other.id}`), d.page.url())
  })

  it('offers all navigation items on a phone', async () => {
    const other = await createWorkspace(em(), { name: 'Another one', mode: 'test' })
    await joinWorkspaces(em(), d.owner.accountId, [other.id], 'owner')
    await d.page.setViewportSize({ width: 390, height: 844 })
    await d.open('')
    await d.press('More')
    for (const name of ['Settings', 'Search or jump to', 'Dark', 'Your account', 'Sign out'])
      await d.page.getByRole('menuitem', { name }).or(d.page.getByRole('menuitemradio', { name })).waitFor()
    await d.page.getByRole('menuitem', { name: 'Another one' }).click()
    await d.page.waitForURL(`**/w/${other.id}`)
    await d.shows('Test workspace: emails are captured')
    // Its clock is moved in the settings, and shown on every page.
    await d.page.goto(`/w/${other.id}/workspace`)
    await d.press('30 days')
    await d.shows('The clock is 30 days ahead.')
  })

  it('loads a page that was not loaded before once the server is back', async () => {
    const window = await d.openWindow()
    await window.goto(d.at(''))
    await window.getByRole('heading', { name: 'Home' }).waitFor()
    await window.route('**/*', (route) => route.abort())
    await window.getByRole('link', { name: 'Suppressions' }).click()
    await window.getByText('Can’t reach the server').first().waitFor()
    await window.unroute('**/*')
    await window.getByRole('heading', { name: 'Suppressions' }).waitFor()
    await window.context().close()
  })

  it('shows that a page loads, and that the browser is offline', async () => {
    const window = await d.openWindow()
    await window.goto(d.at('/lists'))
    const held = Promise.withResolvers<void>()
    await window.route('**/assets/SuppressionsPage*', (route) => held.promise.then(() => route.continue()))
    await window.getByRole('link', { name: 'Suppressions' }).click()
    await window.getByRole('progressbar', { name: 'Loading the page' }).waitFor()
    held.resolve()
    await window.getByRole('heading', { name: 'Suppressions' }).waitFor()
    await window.getByRole('progressbar', { name: 'Loading the page' }).waitFor({ state: 'detached' })
    await window.context().setOffline(true)
    await window.getByText('You are offline').first().waitFor()
    await window.context().close()
  })

  it('shows and offers more than a hundred lists', async () => {
    const listId = await d.create('lists', { name: 'The oldest' })
    await sql(
      em(),
      `insert into lists (id, workspace_id, name) select gen_random_uuid(), $1, 'List ' || n from generate_series(1, 120) n`,
      [d.service.workspaceId],
    )
    await sql(em(), `update lists set created_at = now() - interval '1 day' where id = $1`, [listId])
    const automationId = await anAutomation(d.service, { trigger: 'LIST_ADDED', triggerConfig: { listId } })
    await d.open(`/automations/${automationId}`)
    await d.shows('Added to The oldest')
    await d.open('/lists')
    await d.link('The oldest').waitFor()
  })
})
