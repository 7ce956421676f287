import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { aList } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

interface Listed {
  pagination: { total: number }
}

describe('imports in the dashboard', function () {
  this.timeout(180_000)
  let service: Service
  let browser: Browser
  let page: Page
  before(async () => {
    service = await startService()
    browser = await openChromium()
    const { email } = await aMember(service)
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })
  const at = (path: string) => `/w/${service.workspaceId}${path}`
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  const contact = async (email: string) =>
    (
      (await service.call('GET', `contacts?email=${encodeURIComponent(email)}`)).body.data as Record<string, unknown>[]
    )[0]
  const choose = async (press: () => Promise<void>, name: string, content: string | Buffer) => {
    const coming = page.waitForEvent('filechooser')
    await press()
    await (await coming).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
  }

  it('imports a file with mapped columns and lists failed rows by line', async () => {
    const list = await aList(service)
    const { name } = (await service.call('GET', `lists/${list}`)).body.data as { name: string }
    await page.goto(at('/imports'))
    await page.getByText('Import contacts from a CSV file.').waitFor()
    await press('Import file')
    const form = page.getByRole('form', { name: 'Import file' })
    const rows = [
      'Kunde;Vorname;Stadt;Newsletter',
      'ada@example.com;Ada;Köln;nein',
      'no address;Eve;Bonn;ja',
      'bob@example.com;Bob;Ulm;ja',
      '',
    ]
    const file = Buffer.from(rows.join('\r\n'), 'latin1')
    await choose(() => form.getByRole('button', { name: 'File' }).click(), 'kunden.csv', file)
    const is = async (column: string, field: string) => {
      await form.getByLabel(`Import ${column} as`).click()
      await page.getByRole('option', { name: field, exact: true }).click()
    }
    await is('Kunde', 'Email')
    await is('Vorname', 'First name')
    // The column could mean consent; import it as metadata explicitly.
    await is('Newsletter', 'Metadata')
    // Enter in an empty select must not submit the form.
    await form.getByLabel('Add to list').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    assert.equal(await form.getByLabel('Add to list').inputValue(), '')
    assert.deepEqual((await service.call('GET', 'imports')).body.data, [])
    await form.getByLabel('Add to list').click()
    await page.getByRole('option', { name, exact: true }).click()
    await press('Start import')
    const row = page.getByRole('row', { name: /kunden\.csv/ })
    await row.getByText('Done', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'View 1 failed row' }).click()
    await page.getByRole('table', { name: 'Failed rows' }).getByRole('cell', { name: '3', exact: true }).waitFor()
    const { firstName, metadata, listIds } = (await contact('ada@example.com')) as {
      firstName: string
      metadata: object
      listIds: string[]
    }
    assert.deepEqual([firstName, metadata, listIds], ['Ada', { Stadt: 'Köln', Newsletter: 'nein' }, [list]])
  })

  it('resumes an interrupted import with the same file and imports no row twice', async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `many-${n}@example.com,${'x'.repeat(40)},ü`)
    const text = `email,note,letter\n${lines.join('\n')}\n`
    const begun = (await service.call('POST', 'imports', { name: 'many.csv', size: Buffer.byteLength(text) })).body
      .data as {
      id: string
    }
    const piece = { position: 0, text: text.slice(0, 100_000), isLast: false }
    await service.call('POST', `imports/${begun.id}/chunks`, piece)
    await page.goto(at('/imports'))
    const row = page.getByRole('row', { name: /many\.csv/ })
    // A different file is rejected.
    await choose(() => row.getByRole('button', { name: 'Resume upload…' }).click(), 'other.csv', 'email\n')
    await page.getByText('This is a different file').waitFor()
    await choose(() => row.getByRole('button', { name: 'Resume upload…' }).click(), 'many.csv', text)
    await row.getByText('Done', { exact: true }).waitFor()
    const { status, created, updated, failed } = (await service.call('GET', `imports/${begun.id}`)).body.data as Record<
      string,
      unknown
    >
    assert.deepEqual([status, created, updated, failed], ['DONE', lines.length, 0, 0])
    assert.deepEqual((await contact('many-11999@example.com'))!['metadata'], { note: 'x'.repeat(40), letter: 'ü' })
  })

  it('asks before leaving during an import, and stops it', async () => {
    await page.goto(at('/imports'))
    await press('Import file')
    const form = page.getByRole('form', { name: 'Import file' })
    await choose(() => form.getByRole('button', { name: 'File' }).click(), 'long.csv', 'email\nleaving@example.com\n')
    // The chunk request never completes.
    await page.route('**/chunks', () => undefined)
    await press('Start import')
    await page.getByText('Keep this page open.').waitFor()
    const leave = () => page.getByRole('link', { name: 'Contacts', exact: true }).first().click()
    await leave()
    const dialog = page.getByRole('dialog', { name: 'Import in progress' })
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await page.getByText('Keep this page open.').waitFor()
    await leave()
    await dialog.getByRole('button', { name: 'Stop import' }).click()
    await page.waitForURL(/\/contacts$/)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('rejects a header without an email column before the import starts, and accepts it once mapped', async () => {
    const total = async () => ((await service.call('GET', 'imports?limit=1')).body as Listed).pagination.total
    const before = await total()
    await page.goto(at('/imports'))
    await press('Import file')
    const form = page.getByRole('form', { name: 'Import file' })
    await choose(() => form.getByRole('button', { name: 'File' }).click(), 'none.csv', 'Kunde\nkunde@example.com\n')
    await press('Start import')
    await page.getByText('The header has no column for addresses').waitFor()
    assert.equal(await total(), before)
    await form.getByLabel('Import Kunde as').click()
    await page.getByRole('option', { name: 'Email', exact: true }).click()
    await press('Start import')
    await form.waitFor({ state: 'detached' })
    await eventually('it is imported', async () => ((await contact('kunde@example.com')) ? true : undefined))
    assert.equal(await total(), before + 1)
  })
})
