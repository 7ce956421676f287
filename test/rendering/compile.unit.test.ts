import assert from 'node:assert/strict'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'
import { compileSource, mjml } from './compile-source.ts'

/** The libraries for styles fail for a property with the name of a property of every object. */
const FAILING = {
  'an HTML stylesheet': '<style>p { constructor: 1px }</style><p>Hello</p>',
  'an MJML stylesheet': mjml(
    '<mj-text><p>Hello</p></mj-text>',
    '<mj-style inline="inline">p { constructor: 1px }</mj-style>',
  ),
}

describe('compiling a template', function () {
  this.timeout(180_000)
  let renderer: Renderer
  before(() => {
    renderer = createRenderer()
  })
  after(() => renderer.close())

  const compile = (html: string, previewText: string | null = null) => compileSource(renderer, html, { previewText })

  for (const [where, source] of Object.entries(FAILING))
    it(`reports an error of a library for ${where} as a problem of the template`, async () => {
      const { content, problems } = await compile(source)
      assert.equal(content, null)
      assert.partialDeepStrictEqual(problems, [{ field: 'html', isOfSource: true }])
      // The renderer process still works.
      assert.deepEqual((await compile('<style>p { color: red }</style><p>Hello</p>')).problems, [])
      assert.equal(renderer.problem(), undefined)
    })

  it('warns about MJML that is compiled nevertheless, with the line', async () => {
    const { content, problems, warnings } = await compile(
      '<mjml><mj-body>\n<mj-text mood="calm">Hello</mj-text>\n<mj-section background-color="nothing">' +
        '<mj-column><mj-image src="a.png" alt="Box" width="100%"></mj-column></mj-section></mj-body></mjml>',
    )
    assert.deepEqual(problems, [])
    assert.equal(content?.text, 'Hello\nBox')
    const found = warnings.map(({ field, problem }) => `${field}: ${problem}`)
    for (const expected of [
      /^html: <mj-image> is not closed, line:3, col:\d+$/,
      /^html: mj-text cannot be used inside mj-body.* \(mj-text\), line:2, col:1$/,
      /^html: Attribute mood is illegal \(mj-text\), line:2, col:1$/,
      /^html: Attribute width has invalid value: 100%.* \(mj-image\), line:3, col:\d+$/,
    ])
      assert.equal(found.filter((each) => expected.test(each)).length, 1, found.join('\n'))
  })

  it('reports MJML that would lose content, with the line', async () => {
    for (const [html, problem] of [
      [mjml('\n<mj-nothing>Hello</mj-nothing>'), /^Element mj-nothing doesn't exist.* line:2, col:1$/],
      [mjml('\n<mj-style>p{}</mj-style>'), /^mj-style cannot be used inside mj-column.* line:2, col:1$/],
      [
        mjml('\n<mj-carousel><mj-text>Hello</mj-text></mj-carousel>'),
        /^mj-text cannot be used inside mj-carousel.* line:2, col:14$/,
      ],
    ] as const) {
      const { problems } = await compile(html)
      assert.equal(problems.length, 1)
      assert.match(problems[0]!.problem, problem)
    }
  })

  it('leaves the preview text out of the plain text', async () => {
    for (const html of ['<p>Body</p>', '{% if contact.firstName %}<p>Body</p>{% endif %}']) {
      const { content } = await compile(html, 'Preview {{ contact.firstName }}')
      const contact = { email: 'a@example.com', firstName: 'Ada', metadata: {} }
      const { html: sent, text } = await renderer.render(content!, { contact })
      assert.match(sent!, /Preview Ada/)
      assert.equal(text, 'Body')
    }
  })

  it('marks the language and the direction of a translation, unless the author did', async () => {
    const tagOf = async (html: string, locale: string | null) =>
      /<html[^<>]*>/.exec((await compileSource(renderer, html, { locale })).content!.html!)?.[0] ?? ''
    const page = (attributes: string) => `<html${attributes}><body><p>x</p></body></html>`
    assert.equal(await tagOf(page(''), 'ar'), '<html lang="ar" dir="rtl">')
    assert.equal(await tagOf(page(''), 'zh-Hant-TW'), '<html lang="zh-Hant-TW" dir="ltr">')
    assert.equal(await tagOf(page(' lang="fa"'), 'ar'), '<html lang="fa" dir="rtl">')
    assert.equal(await tagOf(page(''), null), '<html>')
    assert.match(await tagOf(mjml('<mj-text>x</mj-text>'), 'he'), /^<html [^>]*\blang="he" dir="rtl"[^>]*>$/)
  })

  it('shows the preview text once', async () => {
    const html = mjml('\n<mj-text mood="calm">Hello</mj-text>', '<mj-preview>\nTheirs\n</mj-preview>')
    const own = await compile(html)
    assert.equal(own.content?.html?.split('Theirs').length, 2)
    assert.equal(own.content.text, 'Hello')
    const { content, warnings } = await compile(html, 'Tea & {{ contact.firstName }} <3')
    assert.ok(!content?.html?.includes('Theirs'))
    assert.equal(content?.html?.split('Tea &amp; {{ contact.firstName }} &lt;3').length, 2)
    assert.equal(content.text, 'Hello')
    assert.deepEqual(
      warnings.map(({ problem }) => problem),
      [
        '<mj-preview> is not used, because previewText replaces it, line:1, col:16',
        'Attribute mood is illegal (mj-text), line:4, col:1',
      ],
    )
  })

  it('keeps Liquid in the generated text, with any quotation marks', async () => {
    const html =
      '<a href="{{ contact.metadata.url | default: "https://example.com" }}">Go</a>' +
      '<img src="a.png" alt="{{ contact.firstName | default: "you" }}">' +
      '<p><a href="{{ unsubscribeUrl }}">{{ unsubscribeUrl }}</a></p>'
    const { content, problems } = await compile(html)
    assert.deepEqual(problems, [])
    assert.equal(
      content?.text,
      'Go [{{ contact.metadata.url | default: "https://example.com" }}] {{ contact.firstName | default: "you" }}' +
        '\n\n{{ unsubscribeUrl }}',
    )
  })
})
