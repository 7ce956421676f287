import assert from 'node:assert/strict'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'
import { compileSource, mjml } from './compile-source.ts'

const INLINE = '<mj-style inline="inline">.a { color: red }</mj-style>'
const CONTACT = { email: 'ada@example.com', firstName: 'Ada', metadata: { plan: 'free', seats: 3, bio: '<b>Hi</b>' } }

describe('Liquid in HTML and MJML', function () {
  this.timeout(60_000)
  let renderer: Renderer
  before(() => {
    renderer = createRenderer()
  })
  after(() => renderer.close())

  const compile = (html: string, previewText: string | null = null) => compileSource(renderer, html, { previewText })
  const send = async (html: string, previewText: string | null = null) => {
    const { content, problems } = await compile(html, previewText)
    assert.deepEqual(problems, [])
    return renderer.render(content!, { contact: CONTACT })
  }

  describe('while styles are inlined', () => {
    for (const [what, source, sent] of [
      ['a comparison', '<p>{% if 1 <contact.metadata.seats %}yes{% endif %}</p>', '<p style="color: red;">yes</p>'],
      [
        'a link chosen by a tag with quotation marks',
        '<p><a href="{% if contact.metadata.plan == "free" %}https://a{% else %}https://b{% endif %}">Go</a></p>',
        '<p style="color: red;"><a href="https://a">Go</a></p>',
      ],
      ['an attribute in a tag', '<p {% if contact.metadata.seats > 2 %}class="a"{% endif %}>Hi</p>', 'class="a"'],
    ] as const)
      it(`keeps ${what}`, async () => {
        const { html } = await send(`<style>p { color: red }</style>${source}`)
        assert.ok(html?.includes(sent), html ?? '')
      })

    for (const [what, source, sent] of [
      ['a comparison', '<p class="a">{% if 1 <contact.metadata.seats %}yes{% endif %}</p>', '>yes</p>'],
      [
        'an attribute in a tag',
        '<a class="a" {% if contact.metadata.seats > 2 %}title="t"{% endif %}>x</a>',
        'title="t"',
      ],
    ] as const)
      it(`keeps ${what} in MJML`, async () => {
        const { html } = await send(mjml(`<mj-text>${source}</mj-text>`, INLINE))
        assert.ok(html?.includes(sent), html ?? '')
        assert.ok(html?.includes('color: red'))
      })

    it('keeps the rules that match no element, and a rule that depends on the contact', async () => {
      const rules = [
        'u + .body .g { color: red }',
        '[data-ogsc] .d { color: red }',
        '@supports (color: red) { p { color: blue } }',
      ]
      const { html } = await send(`<style>${rules.join('\n')} p { margin: 0 }</style><p>Hello</p>`)
      for (const rule of rules) assert.ok(html?.includes(rule), rule)
      assert.ok(html?.includes('<p style="margin: 0;">'))
      const conditional = '<style>{% if contact.metadata.seats > 5 %}p { color: red }{% endif %}</style><p>Hello</p>'
      assert.equal((await send(conditional)).html, '<style></style><p>Hello</p>')
    })
  })

  it('rejects Liquid that MJML would drop, even if the same tag is kept elsewhere', async () => {
    const kept = '<mj-text>{% if event %}Order{% endif %}</mj-text>'
    const section = '<mj-section><mj-column><mj-text>Shipped</mj-text></mj-column></mj-section>'
    const between = mjml(kept).replace('</mj-body>', `\n{% if event %}${section}{% endif %}</mj-body>`)
    assert.match((await compile(between)).problems[0]!.problem, /put it into <mj-raw>, line:2, col:1$/)
    const inTag = mjml(kept).replace('<mj-section>', '<mj-section {% if event %}background-color="#f00"{% endif %}>')
    assert.match((await compile(inTag)).problems[0]!.problem, /Liquid in the tag of <mj-section>/)
  })

  it('rejects text in elements that show none', async () => {
    for (const name of ['mj-image', 'mj-divider', 'mj-spacer'])
      assert.match(
        (await compile(mjml(`<${name}>Caption</${name}>`))).problems[0]!.problem,
        /text in <mj-\w+> is dropped/,
      )
  })

  describe('in the generated text', () => {
    it('is right for variables, branches, raw HTML, lists and loops', async () => {
      for (const [what, source, text] of [
        [
          'a variable that is set outside of the body',
          '{% assign name = contact.firstName %}<html><body>Hello {{ name }}</body></html>',
          'Hello Ada',
        ],
        [
          'a branch in comments',
          '<!-- {% if contact.metadata.plan == "pro" %} --><p>Pro</p><!-- {% else %} --><p>Free</p><!-- {% endif %} -->',
          'Free',
        ],
        ['raw HTML', '<div>{{ contact.metadata.bio | raw }}</div>', 'Hi'],
        [
          'a numbered list',
          '<ol>{% for i in (1..3) %}<li>Item {{ i }}</li>{% endfor %}</ol>',
          '1. Item 1\n 2. Item 2\n 3. Item 3',
        ],
        ['a loop', '{% for i in (1..2) %}<p>{{ i }}</p>{% endfor %}', '1\n\n2'],
      ] as const)
        assert.equal((await send(source)).text?.trim(), text, what)
    })
  })

  it('puts the preview text into the body that all clients read', async () => {
    const source = '<!--[if mso]><body class="mso"><![endif]--><!--[if !mso]><!--><body><!--<![endif]-->Hello</body>'
    const { html } = await send(source, 'Tea')
    assert.ok(html && html.indexOf('Tea') > html.indexOf('<!--[if !mso]>'), html ?? '')
  })

  it('reports the line of a mistake after a partial that is written over several lines', async () => {
    const html = "{%\nrender 'footer' %}\n{% if %}"
    const { problems } = await compileSource(renderer, html, { partials: { footer: 'x' } })
    assert.match(problems[0]!.problem, /line:3/)
  })

  it('prints a date without a time zone as it is', async () => {
    const dates = ['2026-12-24 09:00:00', '2026-12-24T09:00', '2026-12-24']
    const text = dates.map((date) => `{{ "${date}" | date: "%d %H" }}`).join(' ')
    const timezone = 'America/New_York'
    const rendered = await renderer.render({ subject: '', html: null, text }, { contact: CONTACT, timezone })
    assert.equal(rendered.text, '24 09 24 09 24 00')
  })

  it('reports the time that a compilation may take', async () => {
    const slow = createRenderer({ deadlineMs: 1 })
    const { problems } = await compileSource(slow, '<p>Hi</p>')
    assert.match(problems[0]!.problem, /took longer than 0\.005 s/)
    await slow.close()
  })
})
