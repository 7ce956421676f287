import assert from 'node:assert/strict'
import fc from 'fast-check'
import { TemplateError } from '../../src/rendering/content.ts'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'

const RUNS = Number(process.env['RUNS'] ?? 50)
/** Renders as many templates at a time as a worker under load. */
const BATCH = 50
const DEADLINE_MS = 150

/** Generated Liquid with deep nesting, growing values, and loops up to and beyond the limits. */
const { body: templates } = fc.letrec<{ body: string; part: string }>((tie) => {
  const name = fc.constantFrom('a', 'b', 'contact.firstName', 'contact.metadata.items', 'forloop.index', 'nothing')
  const text = fc.constantFrom('"x"', '"abc,def,ghi"', '"<&>"', '","', '""', '"%00"', '"{{a}}"')
  const number = fc.constantFrom('0', '1', '2', '-1', '1000', '999999', '99999999999', '1.5')
  const range = fc.tuple(number, number).map(([low, high]) => `(${low}..${high})`)
  const value = fc.oneof(name, text, number, range)
  const filter = fc.oneof(
    fc.constantFrom(
      'upcase',
      'escape',
      'url_encode',
      'url_decode',
      'strip_html',
      'reverse',
      'sort',
      'uniq',
      'size',
      'json',
    ),
    fc.constantFrom('base64_encode', 'newline_to_br', 'squish', 'compact', 'sum', 'first', 'last', 'inspect', 'sha256'),
    fc
      .tuple(
        fc.constantFrom('append', 'prepend', 'split', 'join', 'push', 'concat', 'unshift', 'remove', 'times'),
        value,
      )
      .map(([of, argument]) => `${of}: ${argument}`),
    fc.tuple(value, value).map(([from, to]) => `replace: ${from}, ${to}`),
    fc
      .tuple(fc.constantFrom('date', 'truncate', 'slice', 'map', 'group_by', 'where', 'find', 'has'), value)
      .map(([of, argument]) => `${of}: ${argument}`),
  )
  const chain = fc.tuple(value, fc.array(filter, { maxLength: 6 }), fc.constantFrom(1, 1, 1, 20, 300)).map(
    ([start, filters, times]) =>
      `${start}${filters
        .map((one) => ` | ${one}`)
        .join('')
        .repeat(times)}`,
  )
  const condition = fc
    .tuple(value, fc.constantFrom('==', 'contains', '<', 'and', 'or'), value)
    .map((parts) => parts.join(' '))
  const inner = tie('body')
  return {
    body: fc
      .tuple(fc.array(tie('part'), { minLength: 1, maxLength: 4 }), fc.constantFrom(1, 1, 1, 1, 50))
      .map(([parts, times]) => parts.join('').repeat(times).slice(0, 100_000)),
    part: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constantFrom('x', '<p>text</p>', '\n', '{{', '{%', '😀'),
      chain.map((of) => `{{ ${of} }}`),
      fc.tuple(fc.constantFrom('a', 'b'), chain).map(([to, of]) => `{% assign ${to} = ${of} %}`),
      fc.tuple(fc.constantFrom('a', 'b'), inner).map(([to, of]) => `{% capture ${to} %}${of}{% endcapture %}`),
      fc.constantFrom('{% capture a %}{{ a }}{{ a }}x{% endcapture %}', '{% assign a = a | append: a | append: "x" %}'),
      fc.tuple(value, inner).map(([over, of]) => `{% for i in ${over} %}${of}{% endfor %}`),
      fc.tuple(value, inner).map(([over, of]) => `{% tablerow i in ${over} cols:2 %}${of}{% endtablerow %}`),
      fc
        .tuple(condition, inner, inner)
        .map(([when, of, other]) => `{% if ${when} %}${of}{% else %}${other}{% endif %}`),
      fc.tuple(condition, inner).map(([when, of]) => `{% unless ${when} %}${of}{% endunless %}`),
      fc.tuple(value, value, inner).map(([of, when, then]) => `{% case ${of} %}{% when ${when} %}${then}{% endcase %}`),
      fc.array(value, { minLength: 1, maxLength: 5 }).map((values) => `{% cycle ${values.join(', ')} %}`),
      fc.constantFrom('{% increment n %}', '{% break %}', '{% continue %}', '{% raw %}{{ x }}{% endraw %}'),
    ),
  }
})

describe('the worst templates', function () {
  this.timeout(300_000)
  let renderer: Renderer
  before(() => {
    renderer = createRenderer({ deadlineMs: DEADLINE_MS, memoryMb: 64 })
  })
  after(() => renderer.close())

  it(`returns an email or an error for each of ${RUNS} generated templates`, async () => {
    const contact = { email: 'a@example.com', firstName: 'Ada', metadata: { items: [{ x: 1 }, { x: [2, 3] }, 'text'] } }
    const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
    // Copied, because a concatenated string keeps all its parts in memory until it is sent.
    const sources = fc.sample(templates, { numRuns: RUNS, seed }).map((source) => Buffer.from(source).toString())
    const ended = { rendered: 0, refused: 0 }
    for (let at = 0; at < RUNS; at += BATCH) {
      await Promise.all(
        sources.slice(at, at + BATCH).map(async (html, n) => {
          const content = { subject: 's', html, text: null }
          try {
            const rendered = await renderer.render(content, { contact }, { owner: `${n % 5}` })
            ended.rendered += 1
            assert.ok(
              rendered.html!.length <= 1_000_000 && !rendered.html!.includes('\0') && rendered.html!.isWellFormed(),
            )
          } catch (error) {
            assert.ok(error instanceof TemplateError, `seed ${seed}: ${String(error)}\n${html}`)
            // The subject fails only if its thread got no processor time.
            assert.match(error.message, /^(html: |subject: took longer)/)
            assert.ok(error.message.length < 500)
            ended.refused += 1
          }
        }),
      )
    }
    assert.ok(ended.rendered > RUNS / 20 && ended.refused > RUNS / 20, `seed ${seed}: ${JSON.stringify(ended)}`)
  })
})
