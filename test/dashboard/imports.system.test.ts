// cspell:ignore Seit
import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { aList } from '../support/factories.ts'

describe('imports in the dashboard', () => {
  const d = onDashboard()
  const contact = async (email: string) =>
    ((await d.read(`contacts?email=${encodeURIComponent(email)}`)) as Record<string, unknown>[])[0]
  const upload = async (press: () => Promise<void>, name: string, content: string | Buffer) => {
    const coming = d.page.waitForEvent('filechooser')
    await press()
    await (await coming).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
  }
  const importFile = (name: string, content: string | Buffer) => upload(() => d.press('Import file'), name, content)
  const column = (name: string) => d.page.getByRole('row').filter({ hasText: name })

  it('asks for each column and for the consent, imports on the server, and shows failed rows', async () => {
    const list = await aList(d.service)
    const { name } = (await d.read(`lists/${list}`)) as { name: string }
    await d.open('/imports')
    await d.shows('Import contacts from a CSV file.')
    const rows = [
      'Kunde;Vorname;Stadt;Newsletter;Seit',
      'ada@example.com;Ada;Köln;nein;31.12.2024',
      'no address;Eve;Bonn;ja;30.11.2025',
      'bob@example.com;Bob;Ulm;ja;24.12.2025',
      '',
    ]
    await importFile('kunden.csv', Buffer.from(rows.join('\r\n'), 'latin1'))
    await d.page.getByRole('table', { name: 'Columns' }).waitFor()
    await d.page.getByRole('cell', { name: 'Köln, Bonn, Ulm', exact: true }).waitFor()
    await d.press('Continue')
    await d.shows(/1 of 5 columns needs a decision: Newsletter/)
    await d.page.locator('[aria-label="Import Newsletter as"]:focus').waitFor()
    await d.choose(column('Newsletter').getByRole('combobox', { name: 'Import Newsletter as' }), 'Consent')
    // Without a value that means yes, every contact would be suppressed.
    await d.press('Continue')
    await d.shows(/Choose at least one value that means yes/)
    await d.page.locator('input[type=checkbox][aria-invalid=true]:focus').waitFor()
    await d.shows(/1 of 5 columns needs a decision: Newsletter/)
    await column('Newsletter').getByLabel('ja', { exact: true }).check()
    // A type that is chosen again has the format of the samples.
    const types = column('Seit').getByRole('combobox', { name: 'Type of Seit' })
    for (const type of ['Text', 'Date']) await d.choose(types, type)
    assert.equal(await column('Seit').getByRole('combobox', { name: 'Format of Seit' }).inputValue(), 'DD.MM.YYYY')
    await d.press('Continue')
    const form = d.form('Consent')
    assert.equal(await form.getByLabel('A column holds the consent').isChecked(), true)
    assert.equal(await form.getByLabel('Yes, everyone in this file opted in').isDisabled(), true)
    await d.choose(form.getByLabel('Add to list'), name)
    assert.equal(await contact('ada@example.com'), undefined)
    await d.press('Start import')
    await d.page.getByText('Done', { exact: true }).waitFor()
    const failed = d.page.getByRole('table', { name: 'Failed rows' })
    await failed.getByRole('cell', { name: '3', exact: true }).waitFor()
    const download = d.page.waitForEvent('download')
    await d.press('Download failed rows')
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
    const ada = { firstName: 'Ada', metadata: { Stadt: 'Köln', Seit: '2024-12-31' } }
    assert.deepEqual(await of('ada@example.com'), { ...ada, listIds: [], suppressedBy: 'IMPORTED' })
    const bob = { firstName: 'Bob', metadata: { Stadt: 'Ulm', Seit: '2025-12-24' } }
    assert.deepEqual(await of('bob@example.com'), { ...bob, listIds: [list], suppressedBy: null })
  })

  it('offers the preset of an export, and takes its consent', async () => {
    await d.open('/imports')
    const text =
      'first_name,email,created_at,status\nAda,kit-1@example.com,2024-01-02,active\nBob,kit-2@example.com,2024-01-02,bounced\n'
    await importFile('kit.csv', text)
    await d.shows('This looks like an export of Kit')
    await d.press('Use the Kit (ConvertKit) preset')
    await d.shows('Every column is decided.')
    await d.press('Continue', 'Start import')
    await d.page.getByText('Done', { exact: true }).waitFor()
    assert.equal((await contact('kit-2@example.com'))!['suppressedBy'], 'BOUNCED')
    assert.equal((await contact('kit-1@example.com'))!['suppressedBy'], null)
  })

  it('resumes an interrupted upload with the same file', async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `many-${n}@example.com,${'x'.repeat(40)},ü`)
    const text = `email,note,letter\n${lines.join('\n')}\n`
    const id = await d.create('imports', { name: 'many.csv', size: Buffer.byteLength(text) })
    await d.service.call('POST', `imports/${id}/chunks`, { position: 0, text: text.slice(0, 100_000), isLast: false })
    await d.open('/imports')
    const row = d.row(/many\.csv/)
    // A different file is rejected.
    const resume = () => row.getByRole('button', { name: 'Resume upload…' }).click()
    await upload(resume, 'other.csv', 'email\n')
    await d.shows('This is a different file')
    await upload(resume, 'many.csv', text)
    await d.page.getByRole('table', { name: 'Columns' }).waitFor()
    const { status, position } = (await d.read(`imports/${id}`)) as Record<string, unknown>
    assert.deepEqual([status, position], ['DRAFT', Buffer.byteLength(text)])
  })

  it('asks before leaving during an upload, and stops it', async () => {
    await d.open('/imports')
    // The chunk request never completes.
    await d.page.route('**/chunks', () => undefined)
    await importFile('long.csv', 'email\nleaving@example.com\n')
    await d.shows('Keep this page open.')
    const leave = () => d.link('Contacts').first().click()
    await leave()
    const dialog = d.page.getByRole('dialog', { name: 'Upload in progress' })
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await d.shows('Keep this page open.')
    await leave()
    await dialog.getByRole('button', { name: 'Stop upload' }).click()
    await d.page.waitForURL(/\/contacts$/)
  })

  it('deletes a draft after a confirmation', async () => {
    const id = await d.create('imports', { name: 'draft.csv', text: 'email\n' })
    await d.open(`/imports/${id}`)
    await d.press('Delete import…', 'Delete import')
    await d.page.waitForURL(/\/imports$/)
    assert.equal((await d.service.call('GET', `imports/${id}`)).status, 404)
  })
})
