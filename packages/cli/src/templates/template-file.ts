import type { Schemas } from '@dripline/client'

type Template = Schemas['Template']
type Translation = NonNullable<Schemas['TemplateContent']['translations']>[number]

/** The content of a template as a file has it. The layout has a name instead of an ID, so that files fit several workspaces. */
export interface TemplateFile {
  name: string
  kind: Template['kind']
  format: Template['format']
  subject?: string
  previewText?: string
  html?: string
  text?: string
  design?: Schemas['Design']
  layout?: string
  translations?: Translation[]
}

/** The extension of a file, and what follows its front matter. A file of blocks is JSON without front matter. */
const EXTENSIONS = { HTML: '.html', MJML: '.mjml', BLOCKS: '.json' } as const
const TEXT_EXTENSION = '.txt'
const KINDS = ['EMAIL', 'LAYOUT', 'PARTIAL'] as const

export const isTemplateFile = (file: string): boolean =>
  !file.startsWith('.') && [...Object.values(EXTENSIONS), TEXT_EXTENSION].some((extension) => file.endsWith(extension))

export const extensionOf = ({ format, html }: Pick<TemplateFile, 'format' | 'html'>): string =>
  format === 'HTML' && html === undefined ? TEXT_EXTENSION : EXTENSIONS[format]

/** Returns the content of a template, without the fields that are null. */
export const fileOf = (template: Template, layout: string | undefined): TemplateFile => ({
  name: template.name,
  kind: template.kind,
  format: template.format,
  ...withoutNulls({
    subject: template.subject,
    previewText: template.previewText,
    html: template.html,
    text: template.text,
    design: template.design,
    layout,
  }),
  ...(template.translations.length > 0 && {
    translations: template.translations.map((one) => withoutNulls(one) as Translation),
  }),
})

const withoutNulls = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined))

/**
 * Formats a template: front matter with one `key: value` per line, and then the HTML, the MJML or the text. Blocks are JSON.
 * @see parseTemplate
 */
export function formatTemplate(template: TemplateFile): string {
  const { format, kind, html, text, ...fields } = template
  const shownKind = kind === 'EMAIL' ? {} : { kind }
  if (format === 'BLOCKS') {
    const { name, ...others } = fields
    return `${JSON.stringify({ name, ...shownKind, ...others, ...(text !== undefined && { text }) }, null, 2)}\n`
  }
  const { name, translations, ...others } = fields
  const isText = extensionOf(template) === TEXT_EXTENSION
  const matter = {
    name,
    ...shownKind,
    ...others,
    ...(!isText && text !== undefined && { text }),
    ...(translations && { translations }),
  }
  const lines = Object.entries(matter).map(([key, value]) => `${key}: ${formatValue(value)}`)
  return ['---', ...lines, '---', (isText ? text : html) ?? ''].join('\n')
}

/** Writes a text as it is, if it is read back as the same text. */
const formatValue = (value: unknown): string =>
  typeof value === 'string' &&
  value.trim() === value &&
  value !== '' &&
  !/[\r\n]/.test(value) &&
  parseValue(value) === value
    ? value
    : JSON.stringify(value)

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Parses a file. @throws {Error} if it is not one of a template */
export function parseTemplate(file: string, given: string): TemplateFile {
  // Editors and Git on Windows change line ends.
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  return file.endsWith(EXTENSIONS.BLOCKS) ? parseBlocks(text) : parseFrontMatter(file, text)
}

function parseBlocks(text: string): TemplateFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`The file is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The file must be a JSON object.')
  return checked({ format: 'BLOCKS', ...value })
}

function parseFrontMatter(file: string, text: string): TemplateFile {
  const end = text.indexOf('\n---\n', 3)
  if (!text.startsWith('---\n') || end < 0) {
    throw new Error('The file must begin with "---", one "key: value" per line, such as "name: Welcome", and "---".')
  }
  const matter = text
    .slice(4, Math.max(end, 4))
    .split('\n')
    .filter((line) => line.trim() !== '')
  const fields = matter.map((line) => {
    const [, key, value] = /^(\w+):([^]*)$/.exec(line) ?? []
    if (key === undefined) throw new Error(`The line "${line}" must be "key: value".`)
    return [key, parseValue(value!.trim())] as const
  })
  const body = text.slice(end + '\n---\n'.length)
  const isText = file.endsWith(TEXT_EXTENSION)
  const format = file.endsWith(EXTENSIONS.MJML) ? 'MJML' : 'HTML'
  return checked({ format, ...Object.fromEntries(fields), ...(isText ? { text: body } : { html: body }) })
}

const TEXTS = ['name', 'subject', 'previewText', 'html', 'text', 'layout']
const KEYS = [...TEXTS, 'kind', 'format', 'design', 'translations']

function checked(given: Record<string, unknown>): TemplateFile {
  const value = { kind: 'EMAIL', ...withoutNulls(given) } as Record<string, unknown>
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key))
  if (unknown !== undefined) throw new Error(`"${unknown}" is unknown. Known keys: ${KEYS.join(', ')}.`)
  // A number or a word such as `true` is meant as text: `subject: 2027`.
  for (const key of TEXTS) {
    if (['number', 'boolean'].includes(typeof value[key])) value[key] = String(value[key])
    if (value[key] !== undefined && typeof value[key] !== 'string') throw new Error(`"${key}" must be a text.`)
  }
  if (value['name'] === undefined || value['name'] === '') throw new Error('"name" is missing.')
  if (!KINDS.some((kind) => kind === value['kind'])) throw new Error(`"kind" must be one of ${KINDS.join(', ')}.`)
  if (value['translations'] !== undefined && !Array.isArray(value['translations'])) {
    throw new Error('"translations" must be a JSON array on one line.')
  }
  return value as unknown as TemplateFile
}

/** Returns a file name, without an extension. It has no characters that mean something in a path. */
export const slugOf = (name: string, fallback = 'template'): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80) || fallback
