import assert from 'node:assert/strict'
import { findStructureProblems } from '../../src/rendering/mjml-structure.ts'

const body = (inside: string) => `<mjml><mj-body>${inside}</mj-body></mjml>`
/** The first problem that omits content. */
const findLoss = (source: string) => findStructureProblems(source).find(({ isLoss }) => isLoss)
const column = (inside: string) => body(`<mj-section><mj-column>${inside}</mj-column></mj-section>`)

describe('findStructureProblems', () => {
  it('reports an element that is not closed', () => {
    for (const [source, name] of [
      [column('<mj-text>Hello'), 'mj-text'],
      [column('<mj-image src="https://example.com/a.png"><mj-text>Hello</mj-text>'), 'mj-image'],
      [body('<mj-section><mj-column></mj-column>'), 'mj-section'],
      ['<mjml><mj-body><mj-section></mj-section></mjml>', 'mj-body'],
      ['<mjml><mj-body></mj-body><mj-raw>Hello', 'mjml'],
    ] as const) {
      const found = findLoss(source)
      assert.equal(found?.problem, `<${name}> is not closed`, source)
      assert.equal(source.slice(found.at, found.at + name.length + 1), `<${name}`)
    }
  })

  it('warns about an element that is not closed but contains nothing', () => {
    const source = column('<mj-image src="https://example.com/a.png">\n')
    assert.deepEqual(findStructureProblems(source), [
      { problem: '<mj-image> is not closed', at: source.indexOf('<mj-image'), isLoss: false },
    ])
  })

  it('explains a fragment, a template without a body, and text and elements outside of <mjml>', () => {
    for (const [source, at, problem] of [
      ['<mj-section></mj-section>', '<mj-section', /^<mj-section> is outside of <mjml>.*"kind": "PARTIAL"/],
      ['<mj-body></mj-body>', '<mj-body', /^<mj-body> is outside of <mjml>/],
      ['<p>Hello</p>', '<p', /^<p> is outside of <mjml>\. Set the format to HTML/],
      ['{{ contact.email }}', '{{', /^text outside of <mjml>/],
      ['', '', /^MJML must start with <mjml>/],
      ['\n<mjml></mjml>', '<mjml', /^<mjml> has no <mj-body>/],
      [`${body('')}<mjml></mjml>`, '<mjml></mjml>', /only one <mjml>/],
      [`${body('')}Hello`, 'Hello', /^text outside of <mjml>/],
      [
        '<mjml><mj-head><mj-attributes><mj-body width="1px"/></mj-attributes></mj-head></mjml>',
        '<mjml',
        /no <mj-body>/,
      ],
    ] as const) {
      const found = findLoss(source)
      assert.match(found?.problem ?? '', problem, source)
      assert.equal(source.slice(found!.at, found!.at + at.length), at)
    }
  })

  it('explains how to replace an include', () => {
    for (const [path, name] of [
      ['./parts/header.mjml', 'header'],
      ['page footer', 'page footer'],
      ['https://example.com/?', 'name'],
    ])
      assert.match(
        findLoss(column(`<mj-include path="${path}" />`))?.problem ?? '',
        new RegExp(`not supported: use a partial.*called "${name}".*\\{% render '${name}' %\\}`),
      )
  })

  it('reports a missing or additional quotation mark in attributes', () => {
    for (const source of [
      column('<mj-text color="red>Hello</mj-text><mj-text color="blue">World</mj-text>'),
      column('<mj-text><a href="https://example.com>Go</a></mj-text><mj-text><a href="x">Go</a></mj-text>'),
      column('<mj-image alt="{{ contact.firstName | default: "you" }}" src="x" />'),
    ])
      assert.match(findLoss(source)?.problem ?? '', /quotation marks/, source)
    const inside = column(
      '<mj-text><a href="{{ contact.metadata.url | default: "https://example.com" }}">Go</a></mj-text>',
    )
    assert.equal(findLoss(inside), undefined)
  })

  it('reports text between elements', () => {
    for (const [between, problem] of [
      ['Hello', /^text in <mj-column> is dropped: put it into <mj-text>/],
      ['{% if a %}', /^Liquid in <mj-column> is dropped: put it into <mj-raw>/],
    ] as const) {
      const source = column(`\n ${between} <mj-text>x</mj-text>`)
      const found = findLoss(source)
      assert.match(found?.problem ?? '', problem)
      assert.equal(source.slice(found!.at, found!.at + between.length), between)
    }
  })

  it('reports unknown elements, a second body, includes and CDATA', () => {
    for (const [source, at, problem] of [
      [column('<MJ-TEXT>Hello</MJ-TEXT>'), '<MJ-TEXT', /is not an MJML element: write <mj-text>/],
      ['<mjml><mj-body></mj-body><mj-body></mj-body></mjml>', '<mj-body></mj-body></mjml>', /one <mj-body>/],
      [column('<mj-include path="x"/>'), '<mj-include', /a partial/],
      [column('<mj-text><![CDATA[a < b]]></mj-text>'), '<![CDATA[', /&lt;/],
      [body('<mj-container></mj-container>'), '<mj-container', /is from MJML 3/],
    ] as const) {
      const found = findLoss(source)
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
      '<mjml><mj-head><mj-attributes><mj-body width="500px" /></mj-attributes></mj-head><mj-body></mj-body></mjml>',
      '<mjml><mj-head><mj-title>T</mj-title><mj-style>a > b {}</mj-style></mj-head><mj-body></mj-body></mjml>\n',
    ])
      assert.deepEqual(findStructureProblems(source), [], source)
  })
})
