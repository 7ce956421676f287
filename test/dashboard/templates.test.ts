import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { aContact } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { readMail } from '../support/read-mail.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import type { Service } from '../support/service.ts'

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

describe('templates in the dashboard', function () {
  this.timeout(180_000)
  let service: Service
  let sink: SmtpSink
  let browser: Browser
  let page: Page
  let email: string
  after(() => browser.close())
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    browser = await openChromium()
    const member = await aMember(service)
    email = member.email
    ;({ page } = await openWindow(browser, service))
    await signIn(page, member.email)
  })
  const at = (path: string) => `/w/${service.workspaceId}${path}`
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  const idOf = () => page.url().split('/').at(-1)!
  const read = async () => (await service.call('GET', `templates/${idOf()}`)).body.data as Read
  const add = async (to: string, type: string) => {
    await press(`Add block to ${to}`)
    await page
      .getByRole('menu', { name: `Add block to ${to}` })
      .getByRole('menuitem', { name: type, exact: true })
      .click()
  }
  const save = async () => {
    await press('Save template')
    await page.getByText('Saved as version').waitFor()
  }
  const frame = () => page.frameLocator('iframe[title="Email"]')

  it('edits an email of blocks and previews it on desktop, mobile, in dark mode, as text and for any contact', async () => {
    await aContact(service, { email: 'grace@example.com', firstName: 'Grace' })
    await page.goto(at('/templates'))
    await page.getByText('Design an email once').waitFor()
    await press('New template')
    await page.getByLabel('Name').fill('Welcome')
    await press('Create template')
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor()

    await page.getByRole('textbox', { name: 'Subject' }).fill('Welcome!')
    const text = page.getByRole('textbox', { name: 'Text 1' })
    await text.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('Good to have you. ')
    await press('Bold')
    await page.keyboard.type('Really')
    await press('Bold')
    await page.getByRole('button', { name: 'Bold', pressed: false }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Style' }).click()
    await page.getByRole('option', { name: 'List', exact: true }).click()
    await page.keyboard.type('Apples')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Pears')

    await add('the email', 'Button')
    const button = page.getByRole('listitem', { name: 'Button 2' })
    await button.getByLabel('Label').fill('Begin')
    await button.getByLabel('Link').fill('https://example.com/start')
    await add('the email', 'Divider')
    await press('Move Divider 3 up')
    await press('Duplicate Button 3')
    await press('Delete Button 4')
    await page.getByLabel('Accent').click()
    await page.keyboard.type('#2f6b4')
    await page.getByText('such as #026b98').waitFor()
    await page.keyboard.type('5')
    await page.keyboard.press('Escape')
    await save()

    const { design, html, version } = await read()
    assert.deepEqual([html, version], [null, 2])
    assert.deepEqual(design, {
      theme: { accent: '#2f6b45' },
      blocks: [
        {
          type: 'TEXT',
          paragraphs: [
            { style: 'HEADING', runs: [{ text: 'Hello {{ contact.firstName }}' }] },
            { style: 'PARAGRAPH', runs: [{ text: 'Good to have you. ' }, { text: 'Really', bold: true }] },
            { style: 'BULLET', runs: [{ text: 'Apples' }] },
            { style: 'BULLET', runs: [{ text: 'Pears' }] },
          ],
        },
        { type: 'DIVIDER' },
        { type: 'BUTTON', label: 'Begin', url: 'https://example.com/start' },
      ],
    })

    await frame().getByText('Hello Ada').waitFor()
    await page.getByRole('combobox', { name: 'Preview as' }).fill('grace')
    await page.getByRole('option', { name: 'grace@example.com' }).click()
    await frame().getByText('Hello Grace').waitFor()
    const background = () =>
      frame()
        .locator('.surface')
        .first()
        .evaluate((element) => (globalThis as unknown as InBrowser).getComputedStyle(element).backgroundColor)
        // The frame may be reloading.
        .catch(() => undefined)
    await eventually('it is light', async () => ((await background()) === 'rgb(255, 255, 255)' ? true : undefined))
    await page.getByText('Dark', { exact: true }).click()
    await eventually('it is dark', async () => ((await background()) === 'rgb(25, 31, 34)' ? true : undefined))
    await page.getByText('Mobile', { exact: true }).click()
    const width = () =>
      frame()
        .locator('body')
        .evaluate(() => (globalThis as unknown as InBrowser).innerWidth)
        .catch(() => undefined)
    await eventually('it is narrow', async () => ((await width()) === 375 ? true : undefined))
    await page.getByRole('radiogroup', { name: 'Preview mode' }).getByText('Plain text', { exact: true }).click()
    await page.locator('pre').getByText('Good to have you. Really').waitFor()

    await press('Send test email')
    await page.getByText(`Test email sent to ${email}.`).waitFor()
    const mail = readMail(sink.mails.find(({ to }) => to[0] === email)!)
    assert.equal(mail.headers['subject'], '[Test] Welcome!')
  })

  it('edits columns and links by keyboard', async () => {
    await page.reload()
    await page.getByRole('textbox', { name: 'Text 1' }).waitFor()
    await add('the email', 'Columns')
    await add('column 2 of Columns 4', 'Image')
    const image = page.getByRole('listitem', { name: 'Image 2' })
    await image.getByLabel('Image URL').fill('https://example.com/box.png')
    await image.getByLabel('Alt text').fill('A box')
    const left = page.getByRole('list', { name: 'column 1 of Columns 4' }).getByRole('textbox', { name: 'Text 1' })
    await left.focus()
    await page.keyboard.type('Look')
    await page.keyboard.press('Control+a')
    await page.getByRole('list', { name: 'column 1 of Columns 4' }).getByRole('button', { name: 'Link…' }).click()
    await page.getByLabel('Link URL').fill('javascript:alert(1)')
    await page.getByText('Enter a full link').waitFor()
    await page.getByLabel('Link URL').fill('https://example.com/look')
    await page.keyboard.press('Enter')
    await save()
    const { design } = await read()
    assert.deepEqual(design!.blocks.at(-1), {
      type: 'COLUMNS',
      columns: [
        {
          blocks: [
            {
              type: 'TEXT',
              paragraphs: [{ style: 'PARAGRAPH', runs: [{ text: 'Look', link: 'https://example.com/look' }] }],
            },
          ],
        },
        {
          blocks: [
            { type: 'TEXT', paragraphs: [{ style: 'PARAGRAPH', runs: [] }] },
            { type: 'IMAGE', url: 'https://example.com/box.png', alt: 'A box' },
          ],
        },
      ],
    })
    // Tab leaves the text, even in a list.
    await page.getByRole('textbox', { name: 'Text 1' }).first().focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Tab')
    await page.locator('.ProseMirror:focus').waitFor({ state: 'detached' })
  })

  it('names the invalid block and does not overwrite a colleague’s version', async () => {
    // A new block gets the focus.
    await add('the email', 'Text')
    await page.locator('.ProseMirror:focus').waitFor()
    await press('Delete Text 5')
    await add('the email', 'HTML')
    const code = page.getByRole('listitem', { name: 'HTML 5' }).getByRole('textbox', { name: 'HTML' })
    await code.fill('{% if %}')
    await page.getByText(/^in block 5: /).waitFor()
    await press('Save template')
    await page.getByText(/design is not a valid template: in block 5: /).waitFor()
    await press('Delete HTML 5')
    const before = await read()
    const { design } = before
    await service.call('PUT', `templates/${idOf()}`, { name: 'Welcome', format: 'BLOCKS', subject: 'Theirs', design })
    await page.getByLabel('Name').fill('Mine')
    await press('Save template')
    await page.getByRole('heading', { name: 'Someone else changed this' }).waitFor()
    assert.equal((await read()).subject, 'Theirs')
    await press('Use their version')
    await page.getByLabel('Subject').getByText('Theirs').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Welcome')
    const translations = [{ locale: 'de', subject: 'Wieder', design }]
    const again = { name: 'Welcome', format: 'BLOCKS', subject: 'Again', design, translations }
    assert.equal((await service.call('PUT', `templates/${idOf()}`, again)).status, 200)
    await page.getByLabel('Name').fill('Mine')
    await press('Save template')
    await press('Overwrite with mine')
    await page.getByText('Saved as version').waitFor()
    const mine = await read()
    assert.deepEqual([mine.name, mine.subject, mine.translations.length], ['Mine', 'Theirs', 1])
  })

  it('sends the test email as previewed, without evaluating Liquid in contact data', async () => {
    const firstName = '{% end{% endraw %}raw %}{{ contact.email }}{%'
    await aContact(service, { email: 'odd@example.com', firstName })
    await page.getByRole('combobox', { name: 'Preview as' }).fill('odd')
    await page.getByRole('option', { name: 'odd@example.com' }).click()
    await frame().getByText(`Hello ${firstName}`).waitFor()
    const before = sink.mails.length
    await press('Send test email')
    const mail = await eventually('it is mailed', () => sink.mails[before])
    const { body } = readMail(mail) as unknown as { body?: string }
    const whole = (body ?? mail.body).replaceAll('=\r\n', '')
    assert.ok(whole.includes('{{ contact.email }}'), whole)
    await page.getByRole('combobox', { name: 'Preview as' }).fill('')
  })

  it('converts a template to code and deletes it', async () => {
    const { design: own } = await read()
    const german = { blocks: [{ type: 'TEXT', paragraphs: [{ style: 'PARAGRAPH', runs: [{ text: 'Guten Tag' }] }] }] }
    const translated = { translations: [{ locale: 'de', design: german }] }
    const body = { name: 'Welcome', format: 'BLOCKS', subject: 'Welcome!', design: own, ...translated }
    assert.equal((await service.call('PUT', `templates/${idOf()}`, body)).status, 200)
    await page.reload()
    await frame().getByText('Hello Ada').waitFor()
    await press('Convert to code…')
    await press('Convert to code')
    await page.getByRole('textbox', { name: 'MJML' }).waitFor()
    await save()
    const { format, html, design, translations } = (await read()) as Read & { translations: { html: string }[] }
    assert.match(translations[0]!.html, /^<mjml>[^]*Guten Tag/)
    assert.equal(format, 'MJML')
    assert.match(html!, /^<mjml>/)
    assert.equal(design, undefined)
    await frame().getByText('Hello Ada').waitFor()
    const id = idOf()
    await press('Delete…')
    await press('Delete template')
    await page.getByText('Design an email once').waitFor()
    assert.equal((await service.call('GET', `templates/${id}`)).status, 404)
  })

  it('puts an email into a layout, which has no test email of its own', async () => {
    const made = async (body: object) =>
      ((await service.call('POST', 'templates', body)).body.data as { id: string }).id
    const frameOf = '<table><tr><td>Our head</td></tr><tr><td>{{ content }}</td></tr></table>'
    const layout = await made({ name: 'Around', kind: 'LAYOUT', format: 'HTML', html: frameOf })
    await page.goto(at(`/templates/${layout}`))
    await frame().getByText('Our head').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send test email' }).count(), 0)
    assert.equal(await page.getByText('isn’t a known variable').count(), 0)
    const id = await made({ name: 'Within', format: 'HTML', subject: 'S', html: '<p>Our words</p>' })
    await page.goto(at(`/templates/${id}`))
    await page.getByRole('combobox', { name: 'Layout' }).click()
    await page.getByRole('option', { name: 'Around', exact: true }).click()
    await frame().getByText('Our head').waitFor()
    await frame().getByText('Our words').waitFor()
    await save()
    assert.equal((await service.call('GET', `templates/${id}`)).body.data.layoutId, layout)
    for (const each of [id, layout]) assert.equal((await service.call('DELETE', `templates/${each}`)).status, 200)
  })
})
