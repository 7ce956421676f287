import type { Renderer } from '../../src/rendering/renderer.ts'

/** An email in MJML with one column. */
export const mjml = (column: string, head = ''): string =>
  `<mjml><mj-head>${head}</mj-head><mj-body><mj-section><mj-column>${column}</mj-column></mj-section></mj-body></mjml>`

/** Compiles an email. A source that begins with `<mjml` is MJML. */
export const compileSource = (
  renderer: Renderer,
  html: string,
  {
    previewText = null,
    partials = {},
    locale = null,
  }: { previewText?: string | null; partials?: Readonly<Record<string, string>>; locale?: string | null } = {},
) => {
  const format = html.startsWith('<mjml') ? ('MJML' as const) : ('HTML' as const)
  const source = { format, subject: 'Hello', previewText, html, text: null }
  return renderer.compile({ kind: 'EMAIL', source, layout: null, partials, locale })
}
