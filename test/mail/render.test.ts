import assert from 'node:assert/strict'
import { checkTemplates, renderEmail, TemplateError } from '../../src/mail/render.ts'

const contact = { email: 'ada@example.com', firstName: 'Ada <b>', metadata: { plan: { name: 'Pro & more' } } }
const step = (fields: object) => ({ subject: 'Hi', html: null, text: null, ...fields })

describe('rendering', () => {
  it('fills in the contact, escaped in HTML and plain elsewhere', async () => {
    const source = '{{ contact.firstName }} / {{ contact.metadata.plan.name }} / {{ contact.email }}'
    const rendered = await renderEmail({ subject: source, html: source, text: source }, { contact })
    assert.equal(rendered.subject, 'Ada <b> / Pro & more / ada@example.com')
    assert.equal(rendered.html, 'Ada &lt;b&gt; / Pro &amp; more / ada@example.com')
    assert.equal(rendered.text, 'Ada <b> / Pro & more / ada@example.com')
  })

  it('keeps the subject in one line, whatever a name holds', async () => {
    const name = { ...contact, firstName: 'Ada\r\nBcc: evil@example.com' }
    const { subject } = await renderEmail(step({ subject: 'Hi {{ contact.firstName }}' }), { contact: name })
    assert.equal(subject, 'Hi Ada Bcc: evil@example.com')
  })

  it('leaves out what a contact does not have', async () => {
    const { text } = await renderEmail(step({ text: 'x{{ contact.metadata.none.at.all }}y' }), { contact })
    assert.equal(text, 'xy')
  })

  it('sees own properties only', async () => {
    const { text } = await renderEmail(step({ text: '{{ contact.constructor }}{{ contact.metadata.__proto__ }}' }), {
      contact,
    })
    assert.equal(text, '')
  })

  it('names the field and the place of a mistake', () => {
    const [problem] = checkTemplates(step({ html: '{% if %}' }))
    assert.equal(problem?.field, 'html')
    assert.match(problem?.problem ?? '', /line:1/)
  })

  for (const [what, text] of [
    ['a loop without end', '{% for i in (1..100000000) %}x{% endfor %}'],
    [
      'a text without end',
      '{% assign s = "xxxxxxxxxx" %}{% for i in (1..40) %}{% assign s = s | append: s %}{% endfor %}',
    ],
    ['a file of the server', '{% include "/etc/passwd" %}'],
    ['a filter that is not there', '{{ contact.email | nonsense }}'],
  ] as const) {
    it(`fails at ${what}, and only that message`, async () => {
      await assert.rejects(renderEmail(step({ text }), { contact }), TemplateError)
    })
  }
})
