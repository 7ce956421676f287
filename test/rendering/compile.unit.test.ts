import assert from 'node:assert/strict'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'

const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty']

const SOURCES = {
  'an HTML stylesheet': (name: string) => `<style>p { ${name}: 1px }</style><p>Hello</p>`,
  'an HTML style attribute': (name: string) => `<style>p { color: red }</style><p style="${name}: 1px">Hello</p>`,
  'an MJML stylesheet': (name: string) =>
    `<mjml><mj-head><mj-style inline="inline">p { ${name}: 1px }</mj-style></mj-head><mj-body><mj-section><mj-column>` +
    '<mj-text><p>Hello</p></mj-text></mj-column></mj-section></mj-body></mjml>',
}

describe('compiling a template', function () {
  this.timeout(180_000)
  let renderer: Renderer
  before(() => {
    renderer = createRenderer()
  })
  after(() => renderer.close())

  const compile = (html: string) => {
    const format = html.startsWith('<mjml') ? ('MJML' as const) : ('HTML' as const)
    const source = { format, subject: 'Hello', previewText: null, html, text: null }
    return renderer.compile({ kind: 'EMAIL', source, layout: null, partials: {} })
  }

  for (const [where, source] of Object.entries(SOURCES)) {
    for (const name of NAMES) {
      it(`reports a property called ${name} in ${where} as a problem of the template`, async () => {
        const { content, problems } = await compile(source(name))
        assert.equal(content, null)
        assert.equal(problems.length, 1)
        assert.equal(problems[0]!.field, 'html')
        assert.match(problems[0]!.problem, /is not a function/)
        // The renderer process still works.
        assert.deepEqual((await compile('<style>p { color: red }</style><p>Hello</p>')).problems, [])
        assert.equal(renderer.problem(), undefined)
      })
    }
  }

  it('renders content that has such properties', async () => {
    for (const name of NAMES) {
      const html = SOURCES['an HTML style attribute'](name)
      const rendered = await renderer.render(
        { subject: 'Hello', html, text: null },
        {
          contact: { email: 'ada@example.com', firstName: null, metadata: {} },
        },
      )
      assert.equal(rendered.html, html)
    }
  })
})
