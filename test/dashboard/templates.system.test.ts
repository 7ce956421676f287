import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'

interface InBrowser {
  innerWidth: number
  getComputedStyle(element: unknown): { backgroundColor: string }
}

interface Read {
  version: number
  format: string
  html: string | null
  name: string
  subject: string | null
  translations: object[]
  design?: { theme?: object; blocks: { type: string; [field: string]: unknown }[] }
}

const paragraph = (style: string, ...runs: object[]) => ({ style, runs })

const DESIGN = {
  theme: { accent: '#2f6b45' },
  blocks: [
    {
      type: 'TEXT',
      paragraphs: [
        paragraph('HEADING', { text: 'Hello {{ contact.firstName }}' }),
        paragraph('PARAGRAPH', { text: 'Good to have you. ' }, { text: 'Really', bold: true }),
        paragraph('BULLET', { text: 'Apples' }),
        paragraph('BULLET', { text: 'Pears' }),
      ],
    },
    { type: 'DIVIDER' },
    { type: 'BUTTON', label: 'Begin', url: 'https://example.com/start' },
  ],
}

describe('templates in the dashboard', () => {
  const d = onDashboard()
  const idOf = () => d.page.url().split('/').at(-1)!
  const read = async () => (await d.read(`templates/${idOf()}`)) as Read
  const add = async (to: string, type: string) => {
    await d.press(`Add block to ${to}`)
    const menu = d.page.getByRole('menu', { name: `Add block to ${to}` })
    await menu.getByRole('menuitem', { name: type, exact: true }).click()
  }
  const save = async () => {
    await d.press('Save template')
    await d.shows('Saved as version')
  }
  const openTemplate = async (body: object) => {
    const id = await d.create('templates', body)
    await d.open(`/templates/${id}`)
    return id
  }
  /** Opens a template of three blocks. */
  const openDesign = (more: object = {}) =>
    openTemplate({ name: 'Welcome', format: 'BLOCKS', subject: 'Welcome!', design: DESIGN, ...more })
  const frame = () => d.page.frameLocator('iframe[title="Email"]')

  it('edits an email of blocks and previews it on desktop, mobile, in dark mode, as text and for any contact', async () => {
    await aContact(d.service, { email: 'grace@example.com', firstName: 'Grace' })
    await d.open('/templates')
    await d.press('New template')
    await d.page.getByLabel('Name').fill('Welcome')
    await d.press('Create template')
    await d.isAt('Welcome', 1)

    await d.page.getByRole('textbox', { name: 'Subject' }).fill('Welcome!')
    const text = d.page.getByRole('textbox', { name: 'Text 1' })
    await text.click()
    await d.keys('Control+End')
    await d.page.keyboard.type('Good to have you. ')
    await d.press('Bold')
    await d.page.keyboard.type('Really')
    await d.press('Bold')
    await d.page.getByRole('button', { name: 'Bold', pressed: false }).waitFor()
    await d.keys('Enter')
    await d.page.getByRole('combobox', { name: 'Style' }).click()
    await d.page.getByRole('option', { name: 'List', exact: true }).click()
    await d.page.keyboard.type('Apples')
    await d.keys('Enter')
    await d.page.keyboard.type('Pears')

    await add('the email', 'Button')
    const button = d.page.getByRole('listitem', { name: 'Button 2' })
    await d.fill({ Label: 'Begin', Link: 'https://example.com/start' }, button)
    await add('the email', 'Divider')
    await d.press('Move Divider 3 up', 'Duplicate Button 3', 'Delete Button 4')
    await d.page.getByLabel('Accent').click()
    await d.page.keyboard.type('#2f6b4')
    await d.shows('such as #026b98')
    await d.page.keyboard.type('5')
    await d.keys('Escape')
    await save()

    const { design, html, version } = await read()
    assert.deepEqual([html, version], [null, 2])
    assert.deepEqual(design, DESIGN)

    await frame().getByText('Hello Ada').waitFor()
    await d.page.getByRole('combobox', { name: 'Preview as' }).fill('grace')
    await d.page.getByRole('option', { name: 'grace@example.com' }).click()
    await frame().getByText('Hello Grace').waitFor()
    /** Waits for a fact about the frame, which may be reloading. */
    const becomes = (expected: unknown, read: (element: unknown) => unknown) =>
      eventually(`it is ${String(expected)}`, async () => {
        const surface = frame().locator('.surface').first()
        return (await surface.evaluate(read).catch(() => undefined)) === expected || undefined
      })
    const color = (element: unknown) => (globalThis as unknown as InBrowser).getComputedStyle(element).backgroundColor
    await becomes('rgb(255, 255, 255)', color)
    await d.page.getByText('Dark', { exact: true }).click()
    await becomes('rgb(25, 31, 34)', color)
    await d.page.getByText('Mobile', { exact: true }).click()
    await becomes(375, () => (globalThis as unknown as InBrowser).innerWidth)
    await d.page.getByRole('radiogroup', { name: 'Preview mode' }).getByText('Plain text', { exact: true }).click()
    await d.page.locator('pre').getByText('Good to have you. Really').waitFor()

    await d.press('Send test email')
    await d.shows(`Test email sent to ${d.owner.email}.`)
    const mail = readMail(d.sink.mails.find(({ to }) => to[0] === d.owner.email)!)
    assert.equal(mail.headers['subject'], '[Test] Welcome!')
  })

  it('edits columns and links by keyboard', async () => {
    await openDesign()
    await add('the email', 'Columns')
    await add('column 2 of Columns 4', 'Image')
    const image = d.page.getByRole('listitem', { name: 'Image 2' })
    await d.fill({ 'Image URL': 'https://example.com/box.png', 'Alt text': 'A box' }, image)
    const left = d.page.getByRole('list', { name: 'column 1 of Columns 4' }).getByRole('textbox', { name: 'Text 1' })
    await left.focus()
    await d.page.keyboard.type('Look')
    await d.keys('Control+a')
    await d.page.getByRole('list', { name: 'column 1 of Columns 4' }).getByRole('button', { name: 'Link…' }).click()
    await d.page.getByLabel('Link URL').fill('javascript:alert(1)')
    await d.shows('Enter a full link')
    await d.page.getByLabel('Link URL').fill('https://example.com/look')
    await d.keys('Enter')
    await save()
    const { design } = await read()
    const link = paragraph('PARAGRAPH', { text: 'Look', link: 'https://example.com/look' })
    const box = { type: 'IMAGE', url: 'https://example.com/box.png', alt: 'A box' }
    assert.deepEqual(design!.blocks.at(-1), {
      type: 'COLUMNS',
      columns: [
        { blocks: [{ type: 'TEXT', paragraphs: [link] }] },
        { blocks: [{ type: 'TEXT', paragraphs: [paragraph('PARAGRAPH')] }, box] },
      ],
    })
    // Tab leaves the text, even in a list.
    await d.page.getByRole('textbox', { name: 'Text 1' }).first().focus()
    await d.keys('Control+End', 'Tab')
    await d.page.locator('.ProseMirror:focus').waitFor({ state: 'detached' })
  })

  it('names the invalid block and does not overwrite a colleague’s version', async () => {
    await openDesign()
    // A new block gets the focus.
    await add('the email', 'Text')
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.press('Delete Text 4')
    await add('the email', 'HTML')
    const code = d.page.getByRole('listitem', { name: 'HTML 4' }).getByRole('textbox', { name: 'HTML' })
    await code.fill('{% if %}')
    await d.shows(/^in block 4: /)
    await d.press('Save template')
    await d.shows(/design is not a valid template: in block 4: /)
    await d.press('Delete HTML 4')
    const theirs = { name: 'Welcome', format: 'BLOCKS', subject: 'Theirs', design: DESIGN }
    await d.service.call('PUT', `templates/${idOf()}`, theirs)
    await d.page.getByLabel('Name').fill('Mine')
    await d.press('Save template')
    await d.isAt('Someone else changed this')
    assert.equal((await read()).subject, 'Theirs')
    await d.press('Use their version')
    await d.page.getByLabel('Subject').getByText('Theirs').waitFor()
    assert.equal(await d.page.getByLabel('Name').inputValue(), 'Welcome')
  })

  it('sends the test email as previewed, without evaluating Liquid in contact data', async () => {
    const firstName = '{% end{% endraw %}raw %}{{ contact.email }}{%'
    await aContact(d.service, { email: 'odd@example.com', firstName })
    await openDesign()
    await d.page.getByRole('combobox', { name: 'Preview as' }).fill('odd')
    await d.page.getByRole('option', { name: 'odd@example.com' }).click()
    await frame().getByText(`Hello ${firstName}`).waitFor()
    await d.press('Send test email')
    const mail = await eventually('it is mailed', () => d.sink.mails[0])
    const { body } = readMail(mail) as unknown as { body?: string }
    const whole = (body ?? mail.body).replaceAll('=\r\n', '')
    assert.ok(whole.includes('{{ contact.email }}'), whole)
  })

  it('converts a template to code and deletes it', async () => {
    const german = { blocks: [{ type: 'TEXT', paragraphs: [paragraph('PARAGRAPH', { text: 'Guten Tag' })] }] }
    const id = await openDesign({ translations: [{ locale: 'de', design: german }] })
    await frame().getByText('Hello Ada').waitFor()
    await d.press('Convert to code…', 'Convert to code')
    await d.page.getByRole('textbox', { name: 'MJML' }).waitFor()
    await save()
    const { format, html, design, translations } = (await read()) as Read & { translations: { html: string }[] }
    assert.match(translations[0]!.html, /^<mjml>[^]*Guten Tag/)
    assert.equal(format, 'MJML')
    assert.match(html!, /^<mjml>/)
    assert.equal(design, undefined)
    await frame().getByText('Hello Ada').waitFor()
    await d.press('Delete…', 'Delete template')
    await d.isAt('Templates')
    assert.equal((await d.service.call('GET', `templates/${id}`)).status, 404)
  })

  it('puts an email into a layout, which has no test email of its own', async () => {
    const html = '<table><tr><td>Our head</td></tr><tr><td>{{ content }}</td></tr></table>'
    const layout = await openTemplate({ name: 'Around', kind: 'LAYOUT', format: 'HTML', html })
    await frame().getByText('Our head').waitFor()
    assert.equal(await d.page.getByRole('button', { name: 'Send test email' }).count(), 0)
    assert.equal(await d.page.getByText('isn’t a known variable').count(), 0)
    const id = await openTemplate({ name: 'Within', format: 'HTML', subject: 'S', html: '<p>Our words</p>' })
    await d.choose(d.page.getByRole('combobox', { name: 'Layout' }), 'Around')
    await frame().getByText('Our head').waitFor()
    await frame().getByText('Our words').waitFor()
    await save()
    assert.equal((await d.read(`templates/${id}`)).layoutId, layout)
  })
})
