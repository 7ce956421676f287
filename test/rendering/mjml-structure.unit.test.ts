import assert from 'node:assert/strict'
import { findStructureProblem } from '../../src/rendering/mjml-structure.ts'

const body = (inside: string) => `<mjml><mj-body>${inside}</mj-body></mjml>`
const column = (inside: string) => body(`<mj-section><mj-column>${inside}</mj-column></mj-section>`)

describe('findStructureProblem', () => {
  it('reports an element that is not closed', () => {
    for (const [source, name] of [
      [column('<mj-text>Hello'), 'mj-text'],
      [column('<mj-image src="https://example.com/a.png">'), 'mj-image'],
      [body('<mj-section>'), 'mj-section'],
      [column('<mj-text>a</mj-text></mj-column></mj-section><mj-raw>'), 'mj-raw'],
    ] as const) {
      const found = findStructureProblem(source)
      assert.equal(found?.problem, `<${name}> is not closed`, source)
      assert.equal(source.slice(found.at, found.at + name.length + 1), `<${name}`)
    }
  })

  it('reports text between elements', () => {
    const source = column('  {% if a %}\n Hello <mj-text>x</mj-text>')
    const found = findStructureProblem(source)
    assert.match(found?.problem ?? '', /^text in <mj-column> is dropped/)
    assert.equal(source.slice(found!.at, found!.at + 5), 'Hello')
  })

  it('reports unknown elements, a second body, includes and CDATA', () => {
    for (const [source, at, problem] of [
      [column('<MJ-TEXT>Hello</MJ-TEXT>'), '<MJ-TEXT', /is not an MJML element: write <mj-text>/],
      ['<mjml><mj-body></mj-body><mj-body></mj-body></mjml>', '<mj-body></mj-body></mjml>', /one <mj-body>/],
      [column('<mj-include path="x"/>'), '<mj-include', /a partial/],
      [column('<mj-text><![CDATA[a < b]]></mj-text>'), '<![CDATA[', /&lt;/],
    ] as const) {
      const found = findStructureProblem(source)
      assert.match(found?.problem ?? '', problem, source)
      assert.equal(source.slice(found!.at, found!.at + at.length), at)
    }
  })

  it('accepts HTML, comments and Liquid where MJML keeps them', () => {
    for (const source of [
      column('<mj-text>1 < 2 {% if a < b %} & <br> <p>one<p>two</mj-text><mj-image src="x" /><mj-divider/>'),
      body('<!-- words --><mj-raw>{% if x %}</mj-raw><mj-section></mj-section><mj-raw>{% endif %}</mj-raw>'),
      column('<mj-table><tr><td>1</td></tr></mj-table><mj-button href="x?a=1&b=2">Go</mj-button>'),
      column('<mj-social><mj-social-element name="x">Us</mj-social-element></mj-social>'),
      column('<mj-button href="x">{% if n <= 1 %}One{% else %}Many{% endif %}</mj-button>'),
      column(`<mj-text>I <3 you {% if age <18 %}{{ name | replace: "<", "" }}{% endif %}</mj-text>`),
      column('<mj-text>{% if a <b and c>d %}x{% endif %}</mj-text>&nbsp;'),
      '<mjml><mj-head><mj-style>@media (width<=600px){a{}}</mj-style><mj-preview>Save <50%</mj-preview></mj-head><mj-body></mj-body></mjml>',
      '<mjml><mj-head><mj-title>T</mj-title><mj-style>a > b {}</mj-style></mj-head><mj-body></mj-body></mjml>\n',
    ])
      assert.equal(findStructureProblem(source), undefined, source)
  })
})
