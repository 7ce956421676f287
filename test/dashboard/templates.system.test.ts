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
        paragraph('HEADING', { text: 'Hello {{ contact.firstName | default: "there" }}' }),
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
  /** A block on the canvas. */
  const block = (name: string) => d.page.getByRole('listitem', { name, exact: true })
  const look = (name: string) =>
    d.page.getByRole('radiogroup', { name: 'Preview mode' }).getByText(name, { exact: true }).click()
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
    await block('Text 1').click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+End')
    await d.page.keyboard.type('Good to have you. ')
    await d.press('Bold')
    await d.page.keyboard.type('Really')
    await d.press('Bold')
    await d.page.getByRole('button', { name: 'Bold', pressed: false }).waitFor()
    await d.keys('Enter')
    await d.page.getByRole('combobox', { name: 'Style' }).click()
    await d.page.getByRole('option', { name: 'List', exact: true }).click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.page.keyboard.type('Apples')
    await d.keys('Enter')
    await d.page.keyboard.type('Pears')

    await add('the email', 'Button')
    const settings = d.page.getByRole('region', { name: 'Settings of Button 2' })
    await d.fill({ Label: 'Begin', Link: 'https://example.com/start' }, settings)
    await add('the email', 'Divider')
    await d.press('Move Divider 3 up')
    await block('Button 3').click()
    await d.press('Duplicate Button 3', 'Delete Button 4')
    await d.press('Email settings')
    await d.page.getByLabel('Accent').click()
    await d.page.keyboard.type('#2f6b4')
    await d.shows('such as #026b98')
    await d.page.keyboard.type('5')
    await d.keys('Escape')
    await save()

    const { design, html, version } = await read()
    assert.deepEqual([html, version], [null, 2])
    assert.deepEqual(design, DESIGN)

    await look('Desktop')
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
    await look('Dark')
    await becomes('rgb(25, 31, 34)', color)
    await look('Mobile')
    await becomes(375, () => (globalThis as unknown as InBrowser).innerWidth)
    await look('Plain text')
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
    const image = d.page.getByRole('region', { name: 'Settings of Image 2' })
    await d.fill({ 'Image URL': 'https://example.com/box.png', 'Alt text': 'A box' }, image)
    const left = d.page.getByRole('list', { name: 'column 1 of Columns 4' })
    await left.getByRole('listitem', { name: 'Text 1' }).focus()
    await d.keys('Enter')
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.page.keyboard.type('Look')
    await d.keys('Control+a')
    await left.getByRole('button', { name: 'Link…' }).click()
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
    await block('Text 1').first().click()
    await d.page.locator('.ProseMirror:focus').waitFor()
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
    await d.page.getByRole('region', { name: 'Settings of HTML 4' }).getByRole('textbox').fill('{% if %}')
    await d.shows('1 problem')
    await d.page.getByRole('button', { name: /1 problem/ }).click()
    await d.shows(/^in block 4: /)
    await d.press('Save template')
    await d.shows(/design is not a valid template: in block 4: /)
    await d.press('Delete HTML 4')
    await block('Divider 2').focus()
    await d.keys('Escape')
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
    await d.press('Convert to code…', 'Convert to code')
    await d.page.getByRole('textbox', { name: 'MJML' }).waitFor()
    await save()
    const { format, html, design, translations } = (await read()) as Read & { translations: { html: string }[] }
    assert.match(translations[0]!.html, /^<mjml>[^]*Guten Tag/)
    assert.equal(format, 'MJML')
    assert.match(html!, /^<mjml>/)
    assert.equal(design, undefined)
    await look('Desktop')
    await frame().getByText('Hello Ada').waitFor()
    await d.press('More actions')
    await d.menuItem('Delete…')
    await d.press('Delete template')
    await d.isAt('Templates')
    assert.equal((await d.service.call('GET', `templates/${id}`)).status, 404)
  })

  it('puts an email into a layout, which has no test email of its own', async () => {
    const html = '<table><tr><td>Our head</td></tr><tr><td>{{ content }}</td></tr></table>'
    const layout = await openTemplate({ name: 'Around', kind: 'LAYOUT', format: 'HTML', html })
    await look('Desktop')
    await frame().getByText('Our head').waitFor()
    assert.equal(await d.page.getByRole('button', { name: 'Send test email' }).count(), 0)
    assert.equal(await d.page.getByText('isn’t a known variable').count(), 0)
    const id = await openTemplate({ name: 'Within', format: 'HTML', subject: 'S', html: '<p>Our words</p>' })
    await d.choose(d.page.getByRole('combobox', { name: 'Layout' }), 'Around')
    await look('Desktop')
    await frame().getByText('Our head').waitFor()
    await frame().getByText('Our words').waitFor()
    await save()
    assert.equal((await d.read(`templates/${id}`)).layoutId, layout)
  })

  it('shows variables as chips, and inserts blocks and variables with / and {{', async () => {
    await aContact(d.service, { email: 'grace@example.com', metadata: { plan: 'pro' } })
    const runs = [{ text: 'Dear {{ contact.firstName | default: "friend" }}, your ' }, { text: 'plan', bold: true }]
    const blocks = [{ type: 'TEXT', paragraphs: [paragraph('PARAGRAPH', ...runs)] }]
    await openTemplate({ name: 'Chips', format: 'BLOCKS', subject: 'S', design: { blocks } })
    await block('Text 1').getByText('firstName').waitFor()
    await block('Text 1').getByText('your').click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+End')
    await d.page.keyboard.type(' /pla')
    await d.page.getByRole('option', { name: /plan/ }).waitFor()
    await d.keys('Enter')
    await d.page.keyboard.type(' and {{ema')
    await d.page.getByRole('option', { name: 'email Email address' }).click()
    await d.page.keyboard.type('.')
    await block('Text 1').getByRole('button', { name: 'Variable contact.firstName' }).click()
    await d.field('Fallback').fill('you')
    await d.press('Done')
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+End')
    await d.page.keyboard.type(' /button')
    await d.page.getByRole('option', { name: 'Button', exact: true }).waitFor()
    await d.keys('Enter')
    await block('Button 2').waitFor()
    await save()
    const { design } = await read()
    const text = (design!.blocks[0] as unknown as { paragraphs: { runs: { text: string }[] }[] }).paragraphs[0]!.runs
    const liquid = text.map((run) => run.text).join('')
    assert.match(liquid, /^Dear \{\{ contact\.firstName \| default: "you" \}\}/)
    assert.match(liquid, /plan \{\{ contact\.metadata\.plan \}\} and \{\{ contact\.email \}\}\. ?$/)
    assert.deepEqual(design!.blocks[1], { type: 'BUTTON', label: '', url: '' })
  })

  it('uploads an image, and shows it on the canvas, in the library and in the preview', async () => {
    await openDesign()
    await add('the email', 'Image')
    await d.press('Choose image…')
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="red"/></svg>'
    const file = { name: 'box.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) }
    await d.page.locator('input[type=file]').setInputFiles({ ...file, name: 'box.txt', mimeType: 'text/plain' })
    await d.shows('box.txt: Not an image.')
    await d.page.locator('input[type=file]').setInputFiles(file)
    await d.page.getByRole('button', { name: /box\.svg/, pressed: true }).waitFor()
    await d.page.getByRole('dialog').getByLabel('Alt text').fill('A red box')
    await d.press('Insert image')
    /** Waits until an image is loaded: 40 pixels wide, whatever its size on the page. */
    const isLoaded = (image: ReturnType<typeof d.page.locator>) =>
      eventually('the image is loaded', async () => {
        const width = await image.evaluate((element) => (element as { naturalWidth: number }).naturalWidth)
        return width === 40 || undefined
      })
    await isLoaded(block('Image 4').getByRole('img', { name: 'A red box' }))
    await save()
    const image = (await read()).design!.blocks[3] as unknown as { type: string; url: string; alt: string }
    assert.deepEqual([image.type, image.alt], ['IMAGE', 'A red box'])
    await look('Desktop')
    await isLoaded(frame().getByRole('img', { name: 'A red box' }))
    const mailed = await fetch(image.url)
    assert.equal(mailed.headers.get('content-type'), 'image/png')

    await d.open('/media')
    await d.page.getByRole('button', { name: /box\.svg/ }).click()
    await d.link('Welcome').waitFor()
    await d.field('Alt text').fill('A box')
    await d.keys('Tab')
    await d.shows('Saved.')
    await d.press('Delete…', 'Delete image')
    await d.shows('The template "Welcome" uses this file. Remove it there first.')
  })

  it('moves, duplicates, deletes and undoes by keyboard, and restores a version', async () => {
    await openDesign()
    const order = () =>
      d.page
        .getByRole('list', { name: 'the email' })
        .getByRole('listitem')
        .evaluateAll((all) =>
          (all as { getAttribute(name: string): string }[])
            .map((each) => each.getAttribute('aria-label'))
            .filter((label) => /^(?:Text|Divider|Button) \d$/.test(label)),
        )
    const becomes = (...expected: string[]) =>
      eventually(expected.join(', '), async () => ((await order()).join() === expected.join() ? true : undefined))
    await block('Text 1').focus()
    await d.keys('ArrowDown', 'ArrowDown')
    await d.page.getByRole('region', { name: 'Settings of Button 3' }).waitFor()
    await d.keys('Alt+ArrowUp')
    await becomes('Text 1', 'Button 2', 'Divider 3')
    await d.keys('Control+d')
    await becomes('Text 1', 'Button 2', 'Button 3', 'Divider 4')
    await d.keys('Delete')
    await becomes('Text 1', 'Button 2', 'Divider 3')
    // The focus is on the block that took its place.
    await d.keys('Delete')
    await becomes('Text 1', 'Button 2')
    await d.keys('Control+z', 'Control+z', 'Control+z', 'Control+z')
    await becomes('Text 1', 'Divider 2', 'Button 3')
    await d.keys('Control+Shift+z')
    await becomes('Text 1', 'Button 2', 'Divider 3')
    await d.keys('Control+s')
    await d.shows('Saved as version 2.')
    await d.press('Versions', 'Restore version 1')
    await becomes('Text 1', 'Divider 2', 'Button 3')
    await save()
    assert.deepEqual((await read()).design, DESIGN)
    assert.equal((await read()).version, 3)
  })

  it('finds problems, shows their block, and fixes an unknown variable in one step', async () => {
    const blocks = [
      { type: 'TEXT', paragraphs: [paragraph('PARAGRAPH', { text: 'Hello {{ contact.fristName }}' })] },
      { type: 'BUTTON', label: 'Begin', url: '' },
      { type: 'IMAGE', url: 'https://example.com/box.png', alt: '' },
    ]
    await openTemplate({ name: 'Wrong', format: 'BLOCKS', subject: 'S', design: { blocks } })
    await d.page.getByRole('button', { name: /\d problems/ }).click()
    const problems = d.page.getByRole('region', { name: 'Problems' })
    await problems.getByText('The button “Begin” has no complete link').waitFor()
    await problems.getByText('Recipients who block images see a gap').waitFor()
    await d.press('Replace with contact.firstName')
    await problems.getByText('contact.fristName is not known').waitFor({ state: 'detached' })
    await problems
      .getByRole('listitem')
      .filter({ hasText: 'no complete link' })
      .getByRole('button', { name: 'Show' })
      .click()
    await d.page.getByRole('region', { name: 'Settings of Button 2' }).waitFor()
    await save()
    const [text] = (await read()).design!.blocks
    assert.deepEqual(text, {
      type: 'TEXT',
      paragraphs: [paragraph('PARAGRAPH', { text: 'Hello {{ contact.firstName }}' })],
    })
  })

  it('undoes a step at a time, also the subject and a restored version', async () => {
    await openDesign()
    const subject = d.page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('Second subject')
    await d.press('Email settings')
    await block('Text 1').click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+End')
    await d.page.keyboard.type(' one')
    // A pause ends a step.
    await d.page.waitForTimeout(1_100)
    await d.page.keyboard.type(' two')
    await block('Text 1').getByText('Pears one two').waitFor()
    // Nothing to redo: nothing happens.
    await d.keys('Control+Shift+z')
    await block('Text 1').getByText('Pears one two').waitFor()
    await d.keys('Control+z')
    await block('Text 1').getByText('Pears one', { exact: true }).waitFor()
    await d.keys('Control+Shift+z')
    await block('Text 1').getByText('Pears one two').waitFor()
    // Also from within a text.
    await d.keys('Control+s')
    await d.shows('Saved as version 2.')
    await d.press('Versions', 'Restore version 1')
    await subject.getByText('Welcome!').waitFor()
    await d.press('Undo')
    await subject.getByText('Second subject').waitFor()
    await block('Text 1').getByText('Pears one two').waitFor()
  })

  it('closes the menu of a text with Escape, and keeps the text', async () => {
    await openDesign()
    await block('Text 1').click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+End')
    await d.page.keyboard.type(' {{')
    const first = d.page.getByRole('option').first()
    await first.waitFor()
    const text = d.page.locator('.ProseMirror')
    assert.equal(await text.getAttribute('aria-expanded'), 'true')
    assert.equal(await text.getAttribute('aria-activedescendant'), await first.getAttribute('id'))
    await d.keys('Escape')
    await first.waitFor({ state: 'detached' })
    await d.keys('Backspace', 'Backspace')
    await block('Text 1').getByText('Hello').waitFor()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Escape')
    await d.page.locator('[aria-label="Text 1"]:focus').waitFor()
    // A letter opens the text, and is the first that is typed. Liquid with a filter stays text.
    await d.page.keyboard.press('x')
    await block('Text 1').getByText('Pears x').waitFor()
    await d.keys('Escape')
    await d.page.locator('[aria-label="Text 1"]:focus').waitFor()
    await d.keys('Enter')
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+End')
    await d.page.keyboard.type(' {{ contact.email | upcase }}!')
    await d.keys('Escape', 'Control+s')
    await d.shows('Saved as version 2.')
    const [{ paragraphs }] = (await read()).design!.blocks as unknown as [
      { paragraphs: { runs: { text: string }[] }[] },
    ]
    assert.match(paragraphs.at(-1)!.runs.at(-1)!.text, /\{\{ contact\.email \| upcase \}\}!$/)
  })
})
