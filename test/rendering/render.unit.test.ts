// cspell:ignore Dezember Donnerstag
import assert from 'node:assert/strict'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'
import { TemplateError } from '../../src/rendering/content.ts'
import { checkRows } from '../support/table.ts'

const contact = { email: 'ada@example.com', firstName: 'Ada <b>', metadata: { plan: { name: 'Pro & more' } } }
const step = (fields: object) => ({ subject: 'Hi', html: null, text: null, ...fields })

describe('rendering', () => {
  let renderer: Renderer
  before(() => {
    renderer = createRenderer()
  })
  after(() => renderer.close())

  it('fills in the contact, escaped in HTML and plain elsewhere', async () => {
    const source = '{{ contact.firstName }} / {{ contact.metadata.plan.name }} / {{ contact.email }}'
    const rendered = await renderer.render({ subject: source, html: source, text: source }, { contact })
    assert.equal(rendered.subject, 'Ada <b> / Pro & more / ada@example.com')
    assert.equal(rendered.html, 'Ada &lt;b&gt; / Pro &amp; more / ada@example.com')
    assert.equal(rendered.text, 'Ada <b> / Pro & more / ada@example.com')
  })

  it('writes a value with the raw filter unescaped', async () => {
    const { html } = await renderer.render(step({ html: '{{ contact.firstName | raw }}' }), { contact })
    assert.equal(html, 'Ada <b>')
  })

  it('keeps the subject on one line, whatever a name contains', async () => {
    const name = { ...contact, firstName: 'Ada\r\nBcc: evil@example.com' }
    const { subject } = await renderer.render(step({ subject: 'Hi {{ contact.firstName }}' }), { contact: name })
    assert.equal(subject, 'Hi Ada Bcc: evil@example.com')
  })

  it('renders a missing property as empty text', async () => {
    const { text } = await renderer.render(step({ text: 'x{{ contact.metadata.none.at.all }}y' }), { contact })
    assert.equal(text, 'xy')
  })

  it('reads only own properties', async () => {
    const { text } = await renderer.render(
      step({ text: '{{ contact.constructor }}{{ contact.metadata.__proto__ }}' }),
      {
        contact,
      },
    )
    assert.equal(text, '')
  })

  it('supports tags, filters and loops', async () => {
    const text =
      '{% assign names = "b,a" | split: "," | sort %}{% for name in names %}{{ forloop.index }}{{ name | upcase }}{% endfor %}' +
      '{% capture both %}{{ names | join: "+" }}{% endcapture %} {{ both | append: "!" }} {{ names | size }}'
    assert.equal((await renderer.render(step({ text }), { contact })).text, '1A2B a+b! 2')
  })

  it('prints dates in the zone and the language of the contact', async () => {
    const rows: Record<string, [value: unknown, format: string, printed: string, locale?: string]> = {
      'the Unix time of a date alone': ['2026-12-24', '%s', '1798066800'],
      'the Unix time of a local time': ['2026-12-24 09:00', '%s', '1798099200'],
      'a date alone': ['2026-12-24', '%Y-%m-%d %H:%M', '2026-12-24 00:00'],
      'a time with a zone': ['2026-12-24T09:00:00Z', '%H:%M %s', '10:00 1798102800'],
      'a Unix time': [1_798_102_800, '%Y-%m-%d %H:%M', '2026-12-24 10:00'],
      'a Unix time in milliseconds': [1_798_102_800_007, '%Y-%m-%d %H:%M:%S.%L', '2026-12-24 10:00:00.007'],
      'the same as a text': ['1798102800007', '%Y-%m-%d %L', '2026-12-24 007'],
      milliseconds: ['2026-12-24T09:00:00.05Z', '%L', '050'],
      'a month': ['2026-12-24', '%-d %B, %A', '24 December, Thursday'],
      'a German month': ['2026-12-24', '%-d. %B, %A', '24. Dezember, Donnerstag', 'de-CH'],
      'an Arabic month': ['2026-12-24', '%B', 'ديسمبر', 'ar-EG'],
    }
    await checkRows(rows, async ([value, format, printed, locale]) => {
      const text = `{{ contact.metadata.value | date: "${format}" }}`
      const of = { ...contact, metadata: { value } }
      assert.equal(
        (await renderer.render(step({ text }), { contact: of, timezone: 'Europe/Berlin', locale })).text,
        printed,
      )
    })
  })

  it('names the field and the position of a mistake', async () => {
    const {
      problems: [problem],
    } = await renderer.check(step({ html: '{% if %}' }))
    assert.equal(problem?.field, 'html')
    assert.match(problem?.problem ?? '', /line:1/)
  })

  it('reports failures for a contact with few or many properties when saved', async () => {
    const fine = step({ html: '<b>{{ contact.firstName }}</b>', text: 'x' })
    assert.deepEqual((await renderer.check(fine)).problems, [])
    const { problems } = await renderer.check({
      subject: '{{ "%00" | url_decode }}',
      html: '{{ contact.metadata.items | where_exp: "item", "item.price > 1" }}',
      text: '{% for a in (1..1000) %}{% for b in (1..1000) %}x{% endfor %}{% endfor %}',
    })
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['subject', 'html', 'text'],
    )
    assert.match(problems[0]!.problem, /outputs a NUL character/)
    assert.match(problems[1]!.problem, /undefined filter: where_exp/)
    assert.match(problems[2]!.problem, /renders more than 100,000 nodes/)
  })

  const doubled = (times: number, step: string) => `{% for i in (1..${times}) %}${step}{% endfor %}`
  const EXCESSIVE: [string, string, RegExp][] = [
    ['a huge loop', '{% for i in (1..100000000) %}x{% endfor %}', /more than 1,000,000/],
    ['a loop in a loop', doubled(1000, doubled(1000, 'x')), /renders more than 100,000 nodes/],
    ['a loop around nothing', doubled(1000, doubled(1000, '')), /renders more than 100,000 nodes/],
    [
      'an endlessly growing string',
      `{% assign s = "xxxxxxxxxx" %}${doubled(40, '{% assign s = s | append: s %}')}`,
      /1,000,000/,
    ],
    [
      'an endlessly growing capture',
      `{% capture s %}xxxxxxxxxx{% endcapture %}${doubled(25, '{% capture s %}{{ s }}{{ s }}{% endcapture %}')}`,
      /becomes longer than 1,000,000 characters/,
    ],
    [
      'an array that contains itself',
      `{% assign a = "x" | split: "" %}${doubled(60, '{% assign a = a | push: a %}')}`,
      /1,000,000/,
    ],
    ['repeated output', doubled(60, `${'x'.repeat(20_000)}`), /becomes longer than 1,000,000/],
    ['too many outputs', '{{a}}b'.repeat(83_000), /more than 5,000 outputs and tags/],
    ['too many lines in a tag', `{% liquid\n${'#\n'.repeat(83_000)}%}`, /more than 5,000 outputs and tags/],
    ['endless nesting', '{% if true %}'.repeat(4_900), /nested too deeply|not closed/],
    ['brackets in brackets', `{{ a${'[a'.repeat(200_000)} }}`, /nested too deeply/],
    ['a filter that evaluates templates', '{{ a | find_exp: "x", "y" }}', /undefined filter: find_exp/],
    ['a file on the server', '{% include "/etc/passwd" %}', /tag "include" not found/],
    ['an unknown filter', '{{ contact.email | nonsense }}', /undefined filter: nonsense/],
    ['a NUL', '{{ "%00" | url_decode }}', /outputs a NUL character/],
    ['half a surrogate pair', '{{ "😀" | split: "" | first }}', /half of a surrogate pair/],
  ]
  it('fails with excessive or unsafe templates, only for that message, and reports them when saved', async () => {
    for (const [what, text, problem] of EXCESSIVE) {
      const error = await renderer.render(step({ text }), { contact }).catch((reason: unknown) => reason)
      assert.ok(error instanceof TemplateError)
      assert.match(error.message, /^text: /)
      assert.match(error.message, problem, what)
      assert.ok(error.message.length < 500)
      const {
        problems: [found],
      } = await renderer.check(step({ text }))
      assert.deepEqual([found?.field, problem.test(found?.problem ?? '')], ['text', true], what)
      assert.equal((await renderer.render(step({ text: 'still here' }), { contact })).text, 'still here')
    }
  })

  it('rejects a subject that is too long for a header', async () => {
    const long = { ...contact, firstName: 'x'.repeat(1_000) }
    await assert.rejects(renderer.render(step({ subject: '{{ contact.firstName }}' }), { contact: long }), {
      message: 'subject: becomes longer than 998 characters',
    })
  })
})
