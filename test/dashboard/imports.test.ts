// cspell:ignore Seit
import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { aList } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

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

  const column = (name: string) => page.getByRole('row').filter({ hasText: name })
  const choosesField = async (name: string, field: string) => {
    await column(name)
      .getByRole('combobox', { name: `Import ${name} as` })
      .click()
    await page.getByRole('option', { name: field, exact: true }).click()
  }
  const upload = (name: string, content: string | Buffer) =>
    choose(() => page.getByRole('button', { name: 'Import file' }).click(), name, content)

  it('asks for each column and for the consent, imports on the server, and shows failed rows', async () => {
    const list = await aList(service)
    const { name } = (await service.call('GET', `lists/${list}`)).body.data as { name: string }
    await page.goto(at('/imports'))
    await page.getByText('Import contacts from a CSV file.').waitFor()
    const rows = [
      'Kunde;Vorname;Stadt;Newsletter;Seit',
      'ada@example.com;Ada;Köln;nein;31.12.2024',
      'no address;Eve;Bonn;ja;30.11.2025',
      'bob@example.com;Bob;Ulm;ja;24.12.2025',
      '',
    ]
    await upload('kunden.csv', Buffer.from(rows.join('\r\n'), 'latin1'))
    await page.getByRole('table', { name: 'Columns' }).waitFor()
    await page.getByRole('cell', { name: 'Köln, Bonn, Ulm', exact: true }).waitFor()
    await press('Continue')
    await page.getByText(/1 of 5 columns needs a decision: Newsletter/).waitFor()
    await page.locator('[aria-label="Import Newsletter as"]:focus').waitFor()
    await choosesField('Newsletter', 'Consent')
    // Without a value that means yes, every contact would be suppressed.
    await press('Continue')
    await page.getByText(/Choose at least one value that means yes/).waitFor()
    await page.locator('input[type=checkbox][aria-invalid=true]:focus').waitFor()
    await page.getByText(/1 of 5 columns needs a decision: Newsletter/).waitFor()
    await column('Newsletter').getByLabel('ja', { exact: true }).check()
    // A type that is chosen again has the format of the samples.
    for (const type of ['Text', 'Date']) {
      await column('Seit').getByRole('combobox', { name: 'Type of Seit' }).click()
      await page.getByRole('option', { name: type, exact: true }).click()
    }
    assert.equal(await column('Seit').getByRole('combobox', { name: 'Format of Seit' }).inputValue(), 'DD.MM.YYYY')
    await press('Continue')
    const form = page.getByRole('form', { name: 'Consent' })
    assert.equal(await form.getByLabel('A column holds the consent').isChecked(), true)
    assert.equal(await form.getByLabel('Yes, everyone in this file opted in').isDisabled(), true)
    await form.getByLabel('Add to list').click()
    await page.getByRole('option', { name, exact: true }).click()
    assert.equal(await contact('ada@example.com'), undefined)
    await press('Start import')
    await page.getByText('Done', { exact: true }).waitFor()
    const failed = page.getByRole('table', { name: 'Failed rows' })
    await failed.getByRole('cell', { name: '3', exact: true }).waitFor()
    const download = page.waitForEvent('download')
    await press('Download failed rows')
    const file = await (await download).createReadStream()
    const text = Buffer.concat(await file.toArray()).toString()
    assert.equal(
      text,
      '\ufeffKunde,Vorname,Stadt,Newsletter,Seit,Dripline: line,Dripline: problem\r\n' +
        'no address,Eve,Bonn,ja,30.11.2025,3,Invalid email address\r\n',
    )
    const of = async (email: string) => {
      const { firstName, metadata, listIds, suppressedBy } = (await contact(email))!
      return { firstName, metadata, listIds, suppressedBy }
    }
    const ada = {
      firstName: 'Ada',
      metadata: { Stadt: 'Köln', Seit: '2024-12-31' },
      listIds: [],
      suppressedBy: 'IMPORTED',
    }
    assert.deepEqual(await of('ada@example.com'), ada)
    const bob = {
      firstName: 'Bob',
      metadata: { Stadt: 'Ulm', Seit: '2025-12-24' },
      listIds: [list],
      suppressedBy: null,
    }
    assert.deepEqual(await of('bob@example.com'), bob)
  })

  it('offers the preset of an export, and takes its consent', async () => {
    await page.goto(at('/imports'))
    const text =
      'first_name,email,created_at,status\nAda,kit-1@example.com,2024-01-02,active\nBob,kit-2@example.com,2024-01-02,bounced\n'
    await upload('kit.csv', text)
    await page.getByText('This looks like an export of Kit').waitFor()
    await press('Use the Kit (ConvertKit) preset')
    await page.getByText('Every column is decided.').waitFor()
    await press('Continue')
    await press('Start import')
    await page.getByText('Done', { exact: true }).waitFor()
    assert.equal((await contact('kit-2@example.com'))!['suppressedBy'], 'BOUNCED')
    assert.equal((await contact('kit-1@example.com'))!['suppressedBy'], null)
  })

  it('resumes an interrupted upload with the same file', async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `many-${n}@example.com,${'x'.repeat(40)},ü`)
    const text = `email,note,letter\n${lines.join('\n')}\n`
    const { id } = (await service.call('POST', 'imports', { name: 'many.csv', size: Buffer.byteLength(text) })).body
      .data as { id: string }
    await service.call('POST', `imports/${id}/chunks`, { position: 0, text: text.slice(0, 100_000), isLast: false })
    await page.goto(at('/imports'))
    const row = page.getByRole('row', { name: /many\.csv/ })
    // A different file is rejected.
    await choose(() => row.getByRole('button', { name: 'Resume upload…' }).click(), 'other.csv', 'email\n')
    await page.getByText('This is a different file').waitFor()
    await choose(() => row.getByRole('button', { name: 'Resume upload…' }).click(), 'many.csv', text)
    await page.getByRole('table', { name: 'Columns' }).waitFor()
    const { status, position } = (await service.call('GET', `imports/${id}`)).body.data as Record<string, unknown>
    assert.deepEqual([status, position], ['DRAFT', Buffer.byteLength(text)])
  })

  it('asks before leaving during an upload, and stops it', async () => {
    await page.goto(at('/imports'))
    // The chunk request never completes.
    await page.route('**/chunks', () => undefined)
    await upload('long.csv', 'email\nleaving@example.com\n')
    await page.getByText('Keep this page open.').waitFor()
    const leave = () => page.getByRole('link', { name: 'Contacts', exact: true }).first().click()
    await leave()
    const dialog = page.getByRole('dialog', { name: 'Upload in progress' })
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await page.getByText('Keep this page open.').waitFor()
    await leave()
    await dialog.getByRole('button', { name: 'Stop upload' }).click()
    await page.waitForURL(/\/contacts$/)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('deletes a draft after a confirmation', async () => {
    const { id } = (await service.call('POST', 'imports', { name: 'draft.csv', text: 'email\n' })).body.data as {
      id: string
    }
    await page.goto(at(`/imports/${id}`))
    await press('Delete import…')
    await press('Delete import')
    await page.waitForURL(/\/imports$/)
    assert.equal((await service.call('GET', `imports/${id}`)).status, 404)
  })
})
