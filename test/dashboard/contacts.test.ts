import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Download } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { onDashboard } from '../support/dashboard.ts'
import { aContact } from '../support/factories.ts'
import { openDashboardWorkspace } from '../support/shared-service.ts'

describe('the list of contacts in the dashboard', () => {
  const d = onDashboard()
  const em = () => d.service.context.orm.em.fork()

  /** Creates contacts `NAME-001` to `NAME-COUNT`, of which the first one is the oldest. */
  const contactsOf = (name: string, count: number, workspaceId = d.service.workspaceId) =>
    sql(
      em(),
      `insert into contacts (id, workspace_id, email, email_key, first_name, metadata)
       select gen_random_uuid(), $1::uuid, email, email, 'Ada', jsonb_build_object('plan-' || n % 2, n)
       from (select n, $2 || '-' || lpad(n::text, 3, '0') || '@example.com' as email from generate_series(1, $3) n) named
       order by n`,
      [workspaceId, name, count],
    )
  const linesOf = async (file: Download) => {
    const path = join(tmpdir(), `contacts-${process.pid}.csv`)
    await file.saveAs(path)
    return (await readFile(path, 'utf8')).trimEnd().split('\r\n')
  }

  describe('exports all contacts that match', () => {
    it('on all pages, of this workspace, with a column for each attribute', async () => {
      await contactsOf('paged', 205)
      const other = await openDashboardWorkspace()
      await contactsOf('paged', 3, other.service.workspaceId)
      await aContact(d.service, { email: 'not-matching@example.com' })
      await d.open('/contacts?q=paged-')
      await d.shows('205 contacts')
      const [file] = await Promise.all([d.page.waitForEvent('download'), d.press('Export all as CSV')])
      const [head, ...lines] = await linesOf(file)
      assert.equal(
        head,
        '\uFEFF"email","firstName","externalId","lists","tags","suppressedBy","createdAt","plan-1","plan-0"',
      )
      assert.equal(lines.length, 205)
      assert.match(lines[0]!, /^"paged-205@example\.com","Ada","","","","","[^"]+","205",""$/)
      assert.match(lines[204]!, /^"paged-001@example\.com","Ada","","","","","[^"]+","1",""$/)
      assert.equal(new Set(lines).size, 205)
    })

    it('with all of them, if others are deleted in the meantime', async () => {
      await contactsOf('moving', 150)
      await d.open('/contacts?q=moving-')
      await d.shows('150 contacts')
      await d.page.route('**/contacts?**page=2**', async (route) => {
        // Five contacts of the first page are gone, so that five others move there.
        await sql(
          em(),
          `delete from contacts where workspace_id = $1::uuid and email like 'moving-14_@%' and email > 'moving-145'`,
          [d.service.workspaceId],
        )
        await route.continue()
      })
      const [file] = await Promise.all([d.page.waitForEvent('download'), d.press('Export all as CSV')])
      const emails = (await linesOf(file)).slice(1).map((line) => line.split('"')[1]!)
      for (const n of [50, 49, 48, 47, 46, 1]) {
        const email = `moving-0${String(n).padStart(2, '0')}@example.com`
        assert.ok(emails.includes(email), email)
      }
    })

    it('until it is cancelled', async () => {
      await contactsOf('slow', 120)
      await d.open('/contacts?q=slow-')
      await d.shows('120 contacts')
      const release = await d.hold('GET', '**/contacts?**page=2**')
      await d.press('Export all as CSV')
      await d.shows('100 of 120 contacts')
      await d.press('Cancel export')
      await d.button('Export all as CSV').waitFor()
      release()
      assert.equal(await d.page.getByRole('alert').count(), 0)
    })

    it('but not more than fit into the browser', async () => {
      await d.page.route('**/contacts?**limit=100**', (route) =>
        route.fulfill({ json: { data: [], pagination: { page: 1, limit: 100, total: 141_286, totalPages: 1_413 } } }),
      )
      await d.open('/contacts')
      await d.press('Export all as CSV')
      await d.shows(
        'An export has at most 100,000 contacts, and 141,286 match. Filter the list, or export the workspace on the command line.',
      )
    })
  })

  it('keeps the selection while turning pages, and acts on all of it', async () => {
    await contactsOf('chosen', 60)
    await d.open('/contacts?q=chosen-')
    await d.page.getByRole('checkbox', { name: 'Select chosen-060@example.com' }).check()
    await d.press('Next')
    await d.page.getByRole('checkbox', { name: 'Select chosen-001@example.com' }).check()
    await d.shows('2 selected, 1 on other pages')
    await d.press('Add tag')
    await d.page.getByRole('textbox', { name: 'Add tag' }).fill('Chosen')
    await d.press('Add')
    await d.shows('Tagged 2 contacts “Chosen”.')
    const { data } = (await d.service.call('GET', 'contacts?tag=chosen')).body as { data: { email: string }[] }
    assert.deepEqual(
      data.map(({ email }) => email),
      ['chosen-060@example.com', 'chosen-001@example.com'],
    )
    await d.page.getByRole('toolbar').waitFor({ state: 'detached' })
  })

  it('rejects a second view of the same name, at the field', async () => {
    await d.create('segments', { name: 'Trials', condition: { tag: 'trial' } })
    await aContact(d.service, { tags: ['trial'] })
    await d.open('/contacts?tag=trial')
    await d.press('Save view…')
    await d.field('Name').fill(' trials ')
    await d.press('Save as segment')
    await d.shows('Another view or segment has this name.')
    assert.equal(await d.field('Name').getAttribute('aria-invalid'), 'true')
    const segments = (await d.read('segments?limit=100')) as { name: string }[]
    assert.equal(segments.filter(({ name }) => /trials/i.test(name)).length, 1)
    await d.field('Name').fill('Trials of this month')
    await d.press('Save as segment')
    await d.button('Trials of this month 1').waitFor()
  })

  it('shows the name, the address, the status and the tags of a contact on a phone', async () => {
    await aContact(d.service, { email: 'phone@example.com', firstName: 'Clover', tags: ['trial', 'beta'] })
    await d.page.setViewportSize({ width: 390, height: 844 })
    await d.open('/contacts?q=phone@')
    const row = d.page.getByRole('row').last()
    await row.getByText('Clover').waitFor()
    const [name, address, status, tag] = await Promise.all(
      ['Clover', 'phone@example.com', 'Subscribed', 'trial'].map(
        async (text) => (await row.getByText(text, { exact: true }).boundingBox())!,
      ),
    )
    assert.ok(name!.y < address!.y && address!.y < tag!.y)
    assert.ok(Math.abs(status!.y - name!.y) < 8 && status!.x > name!.x)
    assert.equal(await d.page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth'), false)
  })
})
