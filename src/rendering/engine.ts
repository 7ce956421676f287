/** Parses and renders templates. It runs in the thread of a renderer process. */
import { Context, filters, Liquid, LiquidError, type Template, toValue, toValueSync } from 'liquidjs'
import { LRUCache } from 'lru-cache'
import { dateIn } from '../platform/time-zone.ts'
import { readDirectly } from './direct-reads.ts'
import { estimateSize, formatCount, LimitExceeded, LIMITS, Meter, MeteredOutput } from './limits.ts'
import { plainTextOf } from './plain-text.ts'
import { FIELDS } from './protocol.ts'
import type {
  EmailContent,
  RenderedEmail,
  RenderedTexts,
  TemplateFindings,
  TemplateText,
  TemplateVariables,
} from './content.ts'
import { mergeVariables, unknownVariablesOf } from './known-variables.ts'
import { findUsedVariables } from './used-variables.ts'

export type Field = keyof EmailContent

/** A template error, and the field that has it. */
export class FieldError extends Error {
  readonly field: Field

  constructor(field: Field, cause: unknown) {
    super(explain(cause), { cause })
    this.field = field
  }
}

readDirectly()

/** These read files, which do not exist here. */
const FILE_TAGS = ['include', 'render', 'layout', 'block']

/** These filters evaluate their arguments as templates at run time, without any limit. */
const evaluates = (filter: string): boolean => filter.endsWith('_exp')

function createEngine(options: { outputEscape?: 'escape' } = {}): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    // The names of months and weekdays, unless the contact has a language.
    locale: 'en-US',
    root: [],
    partials: [],
    layouts: [],
    ...options,
  })
  for (const tag of FILE_TAGS) delete engine.tags[tag]
  for (const [name, filter] of Object.entries(filters)) {
    if (evaluates(name)) engine.unregisterFilter(name)
    else engine.registerFilter(name, metered(name, filter as Handler | FilterObject))
  }
  // Also counts what `capture` writes into a variable. LiquidJS does not.
  const { renderer } = engine
  const renderTemplates = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (templates, context, emitter) =>
    renderTemplates(
      templates,
      context,
      emitter ?? emitterOf(new MeteredOutput(context.memoryLimit as unknown as Meter)),
    )
  return engine
}

type Handler = (this: { context: Context }, ...values: unknown[]) => unknown
interface FilterObject {
  raw: boolean
  handler: Handler
}

/** A date, or a date and a time, without a zone: it is printed as it is, in each time zone. */
const LOCAL = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?$/

/** Numbers from here on are Unix times in milliseconds: in seconds, they would be after the year 5000. */
const FIRST_MILLISECONDS = 1e11

/** A Unix time in milliseconds as LiquidJS expects it, in seconds. */
const asSeconds = (value: unknown): unknown => {
  const number = typeof value === 'string' && /^\d{12,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Math.abs(number) >= FIRST_MILLISECONDS ? new Date(number) : value
}

/** The context for printing a local date: the process reads it in UTC, so it is printed in UTC. */
const inUtc = ({ context: { opts, memoryLimit } }: { context: Context }) =>
  ({ context: { opts: { ...opts, timezoneOffset: 'UTC' }, memoryLimit } }) as unknown as { context: Context }

/** Counts the input and output of a filter. Many of LiquidJS's own filters count neither. */
function metered(name: string, filter: Handler | FilterObject): FilterObject {
  const { raw, handler } = typeof filter === 'function' ? { raw: false, handler: filter } : filter
  const isDate = name.startsWith('date')
  return {
    raw,
    handler(this: { context: Context }, ...values: unknown[]): unknown {
      const { memoryLimit } = this.context
      for (const value of values) memoryLimit.use(estimateSize(value))
      const made: unknown = toValueSync(isDate ? printDate(this, handler, values) : handler.apply(this, values))
      memoryLimit.use(estimateSize(made))
      return made
    },
  }
}

/** Runs a date filter. Only a Unix time (`%s`) of a local date depends on a zone: that of its argument, or of the contact. */
function printDate(scope: { context: Context }, handler: Handler, [value, format, zone, ...rest]: unknown[]): unknown {
  const isLocal = typeof value === 'string' && LOCAL.test(value)
  if (!isLocal) return handler.call(scope, asSeconds(value), format, zone, ...rest)
  const { timezoneOffset } = scope.context.opts
  const own = typeof zone === 'string' ? zone : timezoneOffset
  const instant = String(format).includes('%s') && typeof own === 'string' ? dateIn(value, own) : null
  if (instant) return handler.call(scope, instant, format, zone, ...rest)
  return handler.call(inUtc(scope), value, format, zone, ...rest)
}

interface Emitter {
  buffer: string
  write(value: unknown): void
}

/** Adapts the output to LiquidJS's interface: values of any type are converted to text. */
function emitterOf(output: MeteredOutput): Emitter {
  return {
    get buffer() {
      return output.buffer
    },
    write: (value) => output.write(textOf(value)),
  }
}

function textOf(given: unknown): string {
  const value: unknown = toValue(given)
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) {
    // Before the conversion, because an array can contain the same array twice, which contains another one twice, and so on.
    if (estimateSize(value) > LIMITS.value) throw new LimitExceeded('outputs a list that is too long')
    return value.map(textOf).join('')
  }
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- as LiquidJS does
  return String(value)
}

/** Escapes values in HTML, so that contact data cannot contain markup; `{{ value | raw }}` is for trusted HTML. */
const html = createEngine({ outputEscape: 'escape' })
const plain = createEngine()
const ENGINES = { subject: plain, html, text: plain } as const satisfies Record<Field, Liquid>

const MAX_CACHE_BYTES = 16_000_000
const BYTES_A_TOKEN = 1_000
/** The most recently used parsed templates, limited by their estimated size. */
const cache = new LRUCache<string, Template[]>({ maxSize: MAX_CACHE_BYTES })

function parse(field: Field, source: string): Template[] {
  if (countTokens(source) > LIMITS.tokens)
    throw new LimitExceeded(`has more than ${formatCount(LIMITS.tokens)} outputs and tags`)
  return ENGINES[field].parse(source)
}

/** @param key identifies the content; the parsed template of each field is cached under it */
function parseOnce(field: Field, source: string, key: string): Template[] {
  const name = `${key} ${field}`
  const cached = cache.get(name)
  if (cached) return cached
  const templates = parse(field, source)
  cache.set(name, templates, { size: 1 + source.length * 2 + countTokens(source) * BYTES_A_TOKEN })
  return templates
}

/** The maximum number of outputs and tags, without parsing. In a `liquid` tag, each line is one. */
function countTokens(source: string): number {
  const outputsAndTags = source.split(/\{\{|\{%/).length - 1
  return /\{%-?\s*liquid\b/.test(source) ? outputsAndTags + source.split('\n').length : outputsAndTags
}

function renderField(
  field: Field,
  source: string,
  { timezone, locale, ...variables }: TemplateVariables,
  key: string,
): string {
  try {
    const engine = ENGINES[field]
    const templates = parseOnce(field, source, key)
    const meter = new Meter()
    const options = {
      ...engine.options,
      ...(timezone !== undefined && { timezoneOffset: timezone }),
      ...(locale !== undefined && { locale }),
    }
    const context = new Context(variables, options, { sync: true }, { liquid: engine })
    Object.assign(context, { memoryLimit: meter, renderLimit: meter })
    // Whitespace in a subject is collapsed later, so the output may be longer at first.
    const output = new MeteredOutput(meter, field === 'subject' ? LIMITS.output.subject * 4 : LIMITS.output[field])
    toValueSync(engine.renderer.renderTemplates(templates, context, emitterOf(output)))
    return checked(field, output.buffer)
  } catch (error) {
    throw new FieldError(field, error)
  }
}

function checked(field: Field, rendered: string): string {
  // A header is one line: a line break in a contact's name must not start another header.
  const text = field === 'subject' ? rendered.replace(/\s+/g, ' ').trim() : rendered
  const max = LIMITS.output[field]
  if (text.length > max) throw new LimitExceeded(`becomes longer than ${formatCount(max)} characters`)
  if (text.includes('\0')) throw new Error('outputs a NUL character, which is not allowed in emails')
  if (!text.isWellFormed()) throw new Error('outputs half of a surrogate pair, which is not valid Unicode')
  return text
}

/** Checks whether a template can be parsed. @returns the problem, if any */
export function parseSource(field: Field, source: string): string | undefined {
  try {
    parse(field, source)
    return undefined
  } catch (error) {
    return explain(error)
  }
}

/** @param begin is called with each field before it is rendered @throws {FieldError} */
export function render(
  content: EmailContent,
  variables: TemplateVariables,
  key: string,
  begin: (field: Field) => void,
): RenderedEmail {
  const one = (field: Field, source: string): string => {
    begin(field)
    return renderField(field, source, variables, key)
  }
  const subject = one('subject', content.subject)
  const html = content.html === null ? null : one('html', content.html)
  if (content.text !== null) return { subject, html, text: one('text', content.text) }
  if (html === null) return { subject, html, text: null }
  begin('text')
  try {
    return { subject, html, text: plainTextOf(html) }
  } catch (error) {
    throw new FieldError('html', error)
  }
}

/** Renders several texts, without escaping. A problem of one is returned with its index. */
export function renderTexts(
  texts: readonly TemplateText[],
  variables: TemplateVariables,
  key: string,
  begin: (field: Field) => void,
): RenderedTexts {
  const rendered: string[] = []
  for (const [index, { source, isLine }] of texts.entries()) {
    const field = isLine ? 'subject' : 'text'
    begin(field)
    try {
      rendered.push(renderField(field, source, variables, `${key} ${index}`))
    } catch (error) {
      return { index, problem: (error as Error).message }
    }
  }
  return { texts: rendered }
}

/** The metadata of a contact with a lot of data. */
const SAMPLE_METADATA = {
  plan: 'pro',
  seats: 12,
  trial: false,
  address: { city: 'Zürich', lines: ['Bahnhofstrasse 1', '8001'] },
  items: Array.from({ length: 20 }, (_, n) => ({ name: `Item ${n}`, price: n * 1.5, tags: ['new', 'sale'] })),
}

/** Contacts for the test rendering when a template is saved: one without any data, and one with a lot of data. */
const TRIALS: readonly TemplateVariables[] = [
  {
    contact: { email: '', firstName: null, externalId: null, metadata: {}, tags: [], lists: [] },
    event: null,
    steps: {},
    unsubscribeUrl: 'https://mail.example.com/u',
  },
  {
    contact: {
      id: '01a21afd-70ae-7263-bbfa-afc14d725316',
      externalId: 'customer-4711',
      email: 'maximiliane.mustermann@mail.example.com',
      firstName: 'Maximiliane <Alexandra> & Söhne',
      metadata: SAMPLE_METADATA,
      tags: ['vip', 'beta'],
      lists: ['Newsletter', 'Product news'],
      createdAt: '2026-11-27T08:00:00.000Z',
    },
    steps: { account: SAMPLE_METADATA },
    event: { name: 'order.placed', data: SAMPLE_METADATA },
    unsubscribeUrl: `https://mail.example.com/unsubscribe/${'A'.repeat(66)}`,
    confirmUrl: `https://mail.example.com/confirm/${'A'.repeat(66)}`,
  },
]

/** Parses templates and renders them for sample contacts. */
export function check(content: EmailContent, key: string, begin: (field: Field) => void): TemplateFindings {
  const findings: TemplateFindings = { problems: [], variables: [], unknownVariables: [] }
  for (const field of FIELDS) {
    const source = content[field]
    if (source === null) continue
    begin(field)
    try {
      for (const variables of TRIALS) renderField(field, source, variables, key)
      const used = findUsedVariables(parseOnce(field, source, key))
      findings.variables = mergeVariables(findings.variables, used)
      findings.unknownVariables.push(...unknownVariablesOf(used).map((variable) => ({ field, ...variable })))
    } catch (error) {
      findings.problems.push({ field, problem: (error as Error).message })
    }
  }
  return findings
}

/** The maximum length of a message, because LiquidJS repeats the source. */
const MAX_EXPLANATION = 300

/** Returns the first line of a Liquid error, which has the problem and its position. The remaining lines repeat the template. */
function explain(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return 'is nested too deeply'
  const message = error instanceof Error ? error.message : String(error)
  const [line = 'invalid template'] = message.split('\n', 1)
  const original = LiquidError.is(error) ? error.originalError : undefined
  if (original instanceof RangeError && original.message.includes('call stack')) return 'is nested too deeply'
  return line.length > MAX_EXPLANATION ? `${line.slice(0, MAX_EXPLANATION)}…` : line
}
