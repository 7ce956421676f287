/** The place of a text in a step: keys and indexes. */
export type TextPath = readonly (string | number)[]

/** Maximum number of texts of a webhook that are templates. */
export const MAX_WEBHOOK_TEMPLATES = 100

/** Returns whether a text is a Liquid template, and not only a text. */
const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

/** Copies a JSON value, with each text in it that is a template replaced. Keys are not templates. */
export function mapTemplates(value: unknown, replace: (text: string, path: TextPath) => string): unknown {
  const copy = (at: unknown, path: TextPath): unknown => {
    if (typeof at === 'string') return isTemplate(at) ? replace(at, path) : at
    if (typeof at !== 'object' || at === null) return at
    return Array.isArray(at)
      ? at.map((item, index) => copy(item, [...path, index]))
      : Object.fromEntries(Object.entries(at).map(([key, item]) => [key, copy(item, [...path, key])]))
  }
  return copy(value, [])
}

/** A template of a webhook. */
export interface WebhookTemplate {
  source: string
  path: TextPath
  /** A header's value is a single line. */
  isLine: boolean
}

/** Lists the templates of a webhook: first those of the headers, in the order of `mapTemplates`. */
export function webhookTemplates({ headers, body }: { headers?: unknown; body?: unknown }): WebhookTemplate[] {
  const templates: WebhookTemplate[] = []
  for (const [field, value] of [
    ['headers', headers],
    ['body', body],
  ] as const)
    mapTemplates(value, (source, path) => {
      templates.push({ source, path: [field, ...path], isLine: field === 'headers' })
      return source
    })
  return templates
}
