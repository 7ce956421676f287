import assert from 'node:assert/strict'
import { mjmlOf } from '../../src/templates/design.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const paragraph = (text: string, more: object = {}) => ({ style: 'PARAGRAPH', runs: [{ text, ...more }] })
const text = (...paragraphs: object[]) => ({ type: 'TEXT', paragraphs })
const ALL = [
  text(
    { style: 'HEADING', runs: [{ text: 'Hello {{ contact.firstName | default: "you" }}' }] },
    {
      style: 'PARAGRAPH',
      runs: [{ text: 'a < b & c, ' }, { text: 'bold', bold: true, link: 'https://a.example/?x=1&y=2' }],
    },
    { style: 'BULLET', runs: [{ text: 'One' }] },
    { style: 'BULLET', runs: [{ text: 'Two', italic: true, underline: true }] },
    { style: 'NUMBER', runs: [{ text: 'First' }] },
    paragraph('{% if contact.metadata.vip %}Thank you{% endif %}'),
    { style: 'PARAGRAPH', runs: [] },
  ),
  { type: 'BUTTON', label: 'Begin & go', url: 'https://a.example/{{ contact.metadata["plan"] }}', align: 'LEFT' },
  { type: 'IMAGE', url: 'https://a.example/x.png', alt: 'A "box"', link: 'https://a.example/box', width: 300 },
  { type: 'DIVIDER' },
  { type: 'SPACER', height: 24 },
  { type: 'CODE', html: '<b class="own">{{ contact.email }}</b>' },
  {
    type: 'COLUMNS',
    columns: [{ blocks: [text(paragraph('Left'))] }, { blocks: [text(paragraph('Right')), { type: 'DIVIDER' }] }],
  },
]

describe('emails made of blocks', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const content = (blocks: object[], fields: object = {}) => ({
    format: 'BLOCKS',
    subject: 'Hello',
    design: { blocks },
    ...fields,
  })
  const create = (blocks: object[], fields: object = {}) =>
    service.call('POST', 'templates', { name: 'Blocks', ...content(blocks, fields) })
  const preview = async (blocks: object[], fields: object = {}) => {
    const answer = await service.call('POST', 'templates/preview', content(blocks, fields))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.data as {
      html: string
      text: string
      mjml: string
      problems: { field: string; problem: string }[]
    }
  }

  it('stores blocks unchanged, and compiles them to HTML for Outlook once', async () => {
    const theme = { accent: '#aa0000' }
    const { status, body } = await create(ALL, { design: { theme, blocks: ALL } })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual(body.data.design, { theme, blocks: ALL })
    assert.deepEqual([body.data.format, body.data.html], ['BLOCKS', null])
    const read = await service.call('GET', `templates/${body.data.id}`)
    assert.deepEqual(read.body.data.design, body.data.design)
    const contact = await service.call('POST', 'contacts', {
      email: 'ada@example.com',
      firstName: 'Ada',
      metadata: { plan: 'pro', vip: true },
    })
    const shown = await service.call('POST', `templates/${body.data.id}/preview`, { contactId: contact.body.data.id })
    const { html, text: plain, problems } = shown.body.data
    assert.deepEqual(problems, [])
    for (const part of [
      '<!--[if mso',
      '<h1',
      'Hello Ada',
      'a &lt; b &amp; c, ',
      '<strong>bold</strong>',
      'href="https://a.example/?x=1&amp;y=2"',
      '<u>Two</u>',
      'Thank you',
      'Begin &amp; go',
      'https://a.example/pro',
      'alt="A &quot;box&quot;"',
      '<b class="own">ada@example.com</b>',
      'Left',
      '#aa0000',
    ])
      assert.ok((html as string).includes(part), part)
    assert.equal((html as string).match(/<ul/g)?.length, 1)
    assert.equal((html as string).match(/<ol/g)?.length, 1)
    assert.match(plain as string, /bold/)
  })

  it('supports Liquid in texts and attributes, with both quotes and on several lines', async () => {
    const liquid = [
      '{% if contact.email == "50%" %}half{% endif %}',
      '{{ contact.metadata.nothing | default: "{x}" }}',
      "{% if contact.email == '50%' and 2 > 1 %}more{% endif %}",
      '{{ contact.metadata.nothing\n | default: "below" }}',
    ]
    const { html, problems } = await preview([
      text(paragraph(liquid.join(' '))),
      { type: 'BUTTON', label: 'x', url: 'https://a.example/{{ contact.metadata["a"] | default: \'b\' }}' },
    ])
    assert.deepEqual(problems, [])
    assert.match(html, /\{x\}/)
    assert.match(html, /below/)
    assert.match(html, /href="https:\/\/a\.example\/b"/)
  })

  it('loads nothing from other hosts', async () => {
    const { html } = await preview(ALL.filter(({ type }) => type !== 'IMAGE'))
    assert.doesNotMatch(html, /fonts\.googleapis|@import|<link/)
  })

  it('reports a block that would swallow the following ones', async () => {
    for (const html of [
      ...['x <!-- a', '--> <!--', '<style>p{color:red}', '<![CDATA[ x', ']]><![CDATA[', '<TEXTAREA>', '<plaintext>'],
      '<!--[if !mso]><!--><style>a{}<!--<![endif]-->',
    ]) {
      const { problems } = await preview([{ type: 'DIVIDER' }, { type: 'CODE', html }, text(paragraph('behind'))])
      assert.match(problems[0]!.problem, /^in block 2: .* (is not closed|was not opened)/, html)
    }
  })

  it('keeps a block whose elements end, in its order', async () => {
    const html = '<!-- <style> --><style>p > b { color: red }</style><!--[if !mso]><!--><p>a</p><!--<![endif]-->'
    const seen = await preview([{ type: 'CODE', html }, text(paragraph('behind'))])
    assert.deepEqual(seen.problems, [])
    assert.match(seen.html, /behind/)
  })

  it('reports a block that closes the elements around it', async () => {
    const html = '</mj-text></mj-column></mj-section><mj-raw>'
    const { problems } = await preview([{ type: 'CODE', html }, text(paragraph('behind'))])
    assert.match(problems[0]!.problem, /is not closed/)
  })

  it('names the block with a problem', async () => {
    const { status, body } = await create([
      text(paragraph('fine')),
      { type: 'DIVIDER' },
      text(paragraph('{% if x %}never ends')),
    ])
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /design is not a valid template: in block 3: /)
    const { problems } = await preview([
      { type: 'CODE', html: 'a\nb\nc' },
      { type: 'CODE', html: 'x\n{{ contact.email | nosuch }}' },
    ])
    assert.match(problems[0]!.problem, /^in block 2: /)
    assert.equal(problems[0]!.field, 'design')
    assert.doesNotMatch(problems[0]!.problem, /line:/)
  })

  it('returns the MJML of the blocks, which renders the same', async () => {
    const made = await preview(ALL)
    assert.match(made.mjml, /^<mjml>/)
    const code = await service.call('POST', 'templates/preview', { format: 'MJML', subject: 'Hello', html: made.mjml })
    assert.equal(code.body.data.html, made.html)
    assert.equal(code.body.data.mjml, null)
  })

  it('supports translations and partials', async () => {
    const partial = { name: 'greeting', kind: 'PARTIAL', html: 'Greetings, {{ contact.email }}' }
    assert.equal((await service.call('POST', 'templates', partial)).status, 201)
    const translations = [{ locale: 'de', subject: 'Hallo', design: { blocks: [text(paragraph('Guten Tag'))] } }]
    const { status, body } = await create([{ type: 'CODE', html: "{% render 'greeting' %}" }], { translations })
    assert.equal(status, 201, JSON.stringify(body))
    const of = async (locale: string) =>
      (await service.call('POST', `templates/${body.data.id}/preview`, { locale })).body.data.html as string
    assert.match(await of('en'), /Greetings, ada@example\.com/)
    assert.match(await of('de-CH'), /Guten Tag/)
    // It is compiled again with the partial.
    const { id } = (await service.call('GET', 'templates?kind=PARTIAL')).body.data[0]
    await service.call('PUT', `templates/${id}`, { name: partial.name, html: 'Regards' })
    assert.match(await of('en'), /Regards/)
  })

  it('rejects other content in addition, and blocks, links and colors that are not valid', async () => {
    for (const fields of [
      { design: undefined },
      { html: '<p>x</p>' },
      { kind: 'LAYOUT' },
      { format: 'HTML' },
      { design: { blocks: [{ type: 'VIDEO' }] } },
      { design: { blocks: [{ type: 'COLUMNS', columns: [{ blocks: [ALL[6]] }, { blocks: [] }] }] } },
      { design: { blocks: [{ type: 'BUTTON', label: 'x', url: 'javascript:alert(1)' }] } },
      { design: { theme: { page: '"/><x' }, blocks: [] } },
      { design: { blocks: Array.from({ length: 201 }, () => ({ type: 'DIVIDER' })) } },
    ])
      assert.equal((await create([text(paragraph('x'))], fields)).status, 400, JSON.stringify(fields).slice(0, 80))
  })

  it('escapes any content of texts and attributes', () => {
    const evil = `"><mj-raw><script>x</script></mj-raw>'&{{ x | default: "a" }}{{`
    const { mjml } = mjmlOf({
      blocks: [
        {
          type: 'TEXT',
          paragraphs: [{ style: 'PARAGRAPH', runs: [{ text: evil, link: `https://a.example/${evil}` }] }],
        },
        { type: 'BUTTON', label: evil, url: `https://a.example/${evil}` },
        { type: 'IMAGE', url: `https://a.example/${evil}`, alt: evil, link: `https://a.example/${evil}` },
      ],
    })
    assert.doesNotMatch(mjml, /<script|<mj-raw/)
    assert.equal(mjml.match(/\{\{ x \| default: 'a' \}\}/g)?.length, 5, 'Liquid in attributes uses one kind of quotes')
    assert.equal(mjml.match(/\{\{ x \| default: "a" \}\}/g)?.length, 2, 'Liquid in texts is unchanged')
  })
})
