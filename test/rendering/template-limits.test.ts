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

  it('ends a template with a range that never ends', async () => {
    const beyond = '{% for i in (9007199254740992..9007199254740996) %}x{% endfor %}'
    assert.match((await outcome(beyond))!, /^text: (?:needs more than 32 MB of memory|took longer than 0\.3 s)/)
  })

  it('ends a template that searches for too long', async () => {
    const letters = '{% assign s = "a" %}' + '{% assign s = s | append: s %}'.repeat(17)
    const pattern = `${letters}{% assign p = s | append: "b" | append: s %}{% assign s = s | append: s | append: s %}`
    assert.match((await outcome(`${pattern}{{ s | replace: p, "" | size }}`))!, /^text: took longer than 0\.3 s/)
  })
})
