import { Liquid } from 'liquidjs'
import { createRenderer, type TemplateVariables } from '../src/rendering/index.ts'
import { timed, type Benchmark } from './compare.ts'

const RECIPIENTS = 100
const JOBS = 5
const SECTIONS = 50

const section = (n: number) => `
<mj-section>
  <mj-column><mj-text>
    ${n}. Dear {{ contact.firstName }}, {% if contact.metadata.plan == 'pro' %}welcome back{% else %}upgrade{% endif %} in {{ contact.metadata.city }}
  </mj-text></mj-column>
  <mj-column><mj-button href="https://example.com/${n}?c={{ contact.email }}">See {{ contact.metadata.plan }}</mj-button></mj-column>
</mj-section>`

/** Emails of a template of 50 sections, as a campaign renders them ÷ LiquidJS alone on the same compiled text, parsed once. */
export const rendering: Benchmark = {
  name: 'render',
  title:
    'emails/s of a template of 50 sections, as a campaign renders them ÷ of LiquidJS alone on the same compiled text',
  goal: { atLeast: 0.9 },
  unit: 'emails/s',
  async prepare() {
    const renderer = createRenderer()
    const html = `<mjml><mj-body>${Array.from({ length: SECTIONS }, (_, n) => section(n)).join('')}</mj-body></mjml>`
    const source = {
      format: 'MJML' as const,
      subject: 'Hello {{ contact.firstName }}',
      previewText: null,
      html,
      text: null,
    }
    const { content, problems } = await renderer.compile({
      kind: 'EMAIL',
      source,
      layout: null,
      partials: {},
      locale: null,
    })
    if (!content) throw new Error(JSON.stringify(problems))
    const recipients = Array.from({ length: RECIPIENTS }, (_, n): TemplateVariables => ({
      contact: {
        email: `user-${n}@example.com`,
        firstName: `Ada ${n}`,
        metadata: { plan: n % 2 ? 'pro' : 'free', city: 'Malmö' },
      },
      event: null,
      unsubscribeUrl: 'https://mail.example.com/unsubscribe/x',
    }))
    const engine = new Liquid({ outputEscape: 'escape', ownPropertyOnly: true })
    const parsed = [content.subject, content.html, content.text].flatMap((text) =>
      text === null ? [] : [engine.parse(text)],
    )
    const rate = (milliseconds: number) => (JOBS * RECIPIENTS) / (milliseconds / 1_000)
    return {
      ours: async () =>
        rate(
          await timed(async () => {
            for (let job = 0; job < JOBS; job += 1) {
              const emails = await renderer.renderAll(content, recipients)
              if (emails.some((email) => 'problem' in email)) throw new Error('An email was not rendered')
            }
          }),
        ),
      bare: async () =>
        rate(
          await timed(() => {
            for (let job = 0; job < JOBS; job += 1)
              for (const variables of recipients) for (const one of parsed) engine.renderSync(one, variables)
            return Promise.resolve()
          }),
        ),
      close: () => renderer.close(),
    }
  },
}
