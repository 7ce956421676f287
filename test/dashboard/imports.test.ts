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

describe('imports, on the dashboard', function () {
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

  it('a file is chosen, its columns are said, and what cannot be read is told by line', async () => {
    const list = await aList(service)
    const { name } = (await service.call('GET', `lists/${list}`)).body.data as { name: string }
    await page.goto(at('/imports'))
    await page.getByText('Nothing was imported yet.').waitFor()
    await press('Import a file')
    const form = page.getByRole('form', { name: 'Import a file' })
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
      await form.getByLabel(`What ${column} is`).click()
      await page.getByRole('option', { name: field, exact: true }).click()
    }
    await is('Kunde', 'Address')
    await is('Vorname', 'First name')
    // It may say who wants no mail: it is said that it is data.
    await is('Newsletter', 'Data of theirs, under its name')
    // Enter, where a choice is offered and none is meant yet, begins nothing.
    await form.getByLabel('They join').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    assert.equal(await form.getByLabel('They join').inputValue(), '')
    assert.deepEqual((await service.call('GET', 'imports')).body.data, [])
    await form.getByLabel('They join').click()
    await page.getByRole('option', { name, exact: true }).click()
    await press('Import it')
    const row = page.getByRole('row', { name: /kunden\.csv/ })
    await row.getByText('Done', { exact: true }).waitFor()
    await row.getByRole('button', { name: '1: why?' }).click()
    await page
      .getByRole('table', { name: 'Rows that could not be read' })
      .getByRole('cell', { name: '3', exact: true })
      .waitFor()
    const { firstName, metadata, listIds } = (await contact('ada@example.com')) as {
      firstName: string
      metadata: object
      listIds: string[]
    }
    assert.deepEqual([firstName, metadata, listIds], ['Ada', { Stadt: 'Köln', Newsletter: 'nein' }, [list]])
  })

  it('one that broke off goes on with the same file, and does no row twice', async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `many-${n}@example.com,${'x'.repeat(40)},ü`)
    const text = `email,note,letter\n${lines.join('\n')}\n`
    const begun = (await service.call('POST', 'imports', { name: 'many.csv', size: Buffer.byteLength(text) })).body
      .data as {
      id: string
    }
    const piece = { position: 0, text: text.slice(0, 100_000), isLast: false }
    await service.call('POST', `imports/${begun.id}/pieces`, piece)
    await page.goto(at('/imports'))
    const row = page.getByRole('row', { name: /many\.csv/ })
    // Another file is not this one.
    await choose(() => row.getByRole('button', { name: 'Go on with the same file…' }).click(), 'other.csv', 'email\n')
    await page.getByText('This is another file').waitFor()
    await choose(() => row.getByRole('button', { name: 'Go on with the same file…' }).click(), 'many.csv', text)
    await row.getByText('Done', { exact: true }).waitFor()
    const { status, created, updated, failed } = (await service.call('GET', `imports/${begun.id}`)).body.data as Record<
      string,
      unknown
    >
    assert.deepEqual([status, created, updated, failed], ['DONE', lines.length, 0, 0])
    assert.deepEqual((await contact('many-11999@example.com'))!['metadata'], { note: 'x'.repeat(40), letter: 'ü' })
  })

  it('whoever goes to another page meanwhile is asked, and it stops there', async () => {
    await page.goto(at('/imports'))
    await press('Import a file')
    const form = page.getByRole('form', { name: 'Import a file' })
    await choose(() => form.getByRole('button', { name: 'File' }).click(), 'long.csv', 'email\nleaving@example.com\n')
    // As one that has not ended.
    await page.route('**/pieces', () => undefined)
    await press('Import it')
    await page.getByText('Stay on this page.').waitFor()
    const leave = () => page.getByRole('link', { name: 'Contacts', exact: true }).first().click()
    await leave()
    const dialog = page.getByRole('dialog', { name: 'A file is being imported' })
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await page.getByText('Stay on this page.').waitFor()
    await leave()
    await dialog.getByRole('button', { name: 'Stop it there' }).click()
    await page.waitForURL(/\/contacts$/)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('a header without addresses is refused, in words, before anything has begun; and mended where it was chosen', async () => {
    const total = async () => ((await service.call('GET', 'imports?limit=1')).body as Listed).pagination.total
    const before = await total()
    await page.goto(at('/imports'))
    await press('Import a file')
    const form = page.getByRole('form', { name: 'Import a file' })
    await choose(() => form.getByRole('button', { name: 'File' }).click(), 'none.csv', 'Kunde\nkunde@example.com\n')
    await press('Import it')
    await page.getByText('The header has no column for addresses').waitFor()
    assert.equal(await total(), before)
    await form.getByLabel('What Kunde is').click()
    await page.getByRole('option', { name: 'Address', exact: true }).click()
    await press('Import it')
    await form.waitFor({ state: 'detached' })
    await eventually('it is imported', async () => ((await contact('kunde@example.com')) ? true : undefined))
    assert.equal(await total(), before + 1)
  })
})
