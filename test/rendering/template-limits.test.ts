import assert from 'node:assert/strict'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'
import { TemplateError } from '../../src/rendering/content.ts'

const contact = { email: 'ada@example.com', firstName: 'Ada', metadata: {} }
const email = (text: string) => ({ subject: 'Hi', html: null, text })

describe('template limits', () => {
  let renderer: Renderer
  before(() => {
    renderer = createRenderer({ deadlineMs: 300, memoryMb: 32 })
  })
  after(() => renderer.close())

  const outcome = (text: string) =>
    renderer.render(email(text), { contact }).then(
      (rendered) => rendered.text,
      (error: unknown) => {
        assert.ok(error instanceof TemplateError)
        return error.message
      },
    )

  describe('searches', () => {
    const halves = '{% assign s = "a" %}' + '{% assign s = s | append: s %}'.repeat(17)
    const made = `${halves}{% assign p = s | append: "b" | append: s %}{% assign s = s | append: s | append: s %}`
    const searches = {
      contains: '{% if s contains p %}x{% endif %}',
      'contains, in a list': '{% assign s = s | split: "," %}{% if s contains p %}x{% endif %}',
      split: '{{ s | split: p | size }}',
      replace: '{{ s | replace: p, "" | size }}',
      replace_first: '{{ s | replace_first: p, "" | size }}',
      replace_last: '{{ s | replace_last: p, "" | size }}',
      remove: '{{ s | remove: p | size }}',
      remove_first: '{{ s | remove_first: p | size }}',
      remove_last: '{{ s | remove_last: p | size }}',
      'split, in a list of numbers': '{% assign n = (100000..160000) %}{{ n | split: n | size }}',
      'replace, in a list': '{{ s | split: "," | replace: p, "" | size }}',
    }
    for (const [what, use] of Object.entries(searches)) {
      it(`limits the characters of ${what}`, async () => {
        assert.match((await outcome(made + use))!, /^text: processes more than 10,000,000 characters and items/)
      })
    }

    it('allows ordinary searches in a letter', async () => {
      const letter = '{% assign s = "<p>Hello NAME, how are you?</p>" %}' + '{% assign s = s | append: s %}'.repeat(10)
      assert.match(
        (await outcome(`${letter}{{ s | replace: "NAME", "Ada" | replace: "how are", "where are" | size }}`))!,
        /^\d+$/,
      )
    })
  })

  describe('large numbers', () => {
    const TOO_LARGE = /^text: uses a range with numbers that are too large/
    const loops = {
      'a loop': '{% for i in (9007199254740992..9007199254740996) %}x{% endfor %}',
      'a negative loop': '{% for i in (-9007199254740996..-9007199254740992) %}x{% endfor %}',
      'a table': '{% tablerow i in (9007199254740992..9007199254740996) %}x{% endtablerow %}',
      'a variable': '{% assign r = (9007199254740992..9007199254740996) %}{{ r.size }}',
      'calculated bounds':
        '{% assign a = 9007199254740992 %}{% assign b = a | plus: 4 %}{% for i in (a..b) %}x{% endfor %}',
      'bounds in exponential notation': '{% assign a = "1e300" | plus: 0 %}{% for i in (a..a) %}x{% endfor %}',
    }
    for (const [what, source] of Object.entries(loops)) {
      it(`rejects numbers that are too large in ${what}`, async () => {
        assert.match((await outcome(source))!, TOO_LARGE)
      })
    }

    it('applies the limit on numbers to values of contacts', async () => {
      const options = { ...contact, metadata: { a: 9007199254740992, b: '9007199254740996', c: '2', d: 4 } }
      const render = (source: string) => renderer.render(email(source), { contact: options })
      await assert.rejects(render('{% for i in (contact.metadata.a..contact.metadata.b) %}x{% endfor %}'), {
        message: TOO_LARGE,
      })
      const { text } = await render('{% for i in (contact.metadata.c..contact.metadata.d) %}{{ i }} {% endfor %}')
      assert.equal(text, '2 3 4 ')
      assert.equal((await render('{% for i in (1..3) reversed %}{{ i }}{% endfor %}')).text, '321')
    })
  })

  it('ignores the indent of json and inspect', async () => {
    assert.equal(await outcome('{{ "a,b" | split: "," | json: 10 }}'), '["a","b"]')
    assert.equal(await outcome('{{ "a,b" | split: "," | inspect: 10 }}'), '["a","b"]')
  })
})
