/** Parses and renders templates. It runs in a thread of its own: nothing but `thread.ts` imports it. */
import {
  Context,
  defaultOperators,
  filters,
  Liquid,
  LiquidError,
  type Operators,
  type Template,
  Tokenizer,
  TokenKind,
  toValue,
  toValueSync,
} from 'liquidjs'
import { readDirectly } from './direct-reads.ts'
import { costOfSearch, LimitExceeded, LIMITS, Meter, MeteredOutput, weigh } from './limits.ts'
import { plainTextOf } from './plain-text.ts'
import { checkRanges } from './ranges.ts'
import { FIELDS } from './protocol.ts'
import type { EmailContent, RenderedEmail, TemplateFindings, TemplateVariables } from './content.ts'
import { findUnknownVariables } from './unknown-variables.ts'

export type Field = keyof EmailContent

/** A template that fails, and in which field. */
export class FieldError extends Error {
  readonly field: Field

  constructor(field: Field, cause: unknown) {
    super(explain(cause), { cause })
    this.field = field
  }
}

checkRanges()
readDirectly()

/** They read files, and there are none. */
const FILE_TAGS = ['include', 'render', 'layout', 'block']

/** They evaluate templates that they get as texts, at run time, beyond every limit. */
const evaluates = (filter: string): boolean => filter.endsWith('_exp')

/** They look for their first argument in what they are given. */
const SEARCHES: ReadonlySet<string> = new Set(
  ['split', 'replace', 'remove'].flatMap((name) => [name, `${name}_first`, `${name}_last`]),
)

const chargeSearch = ({ memoryLimit }: Context, within: unknown, sought: unknown): void =>
  (memoryLimit as unknown as Meter).work(costOfSearch(toValue(within), toValue(sought)))

type OperatorGenerator = Generator<unknown, boolean, unknown>
type BinaryOperator = (left: unknown, right: unknown, context: Context) => OperatorGenerator

/** `contains` looks for a text in a text, and LiquidJS counts nothing of it. */
const operators: Operators = {
  ...defaultOperators,
  *contains(left: unknown, right: unknown, context: Context): OperatorGenerator {
    chargeSearch(context, left, right)
    return yield* (defaultOperators['contains'] as BinaryOperator)(left, right, context)
  },
}

function createEngine(options: { outputEscape?: 'escape' } = {}): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    root: [],
    partials: [],
    layouts: [],
    operators,
    ...options,
  })
  for (const tag of FILE_TAGS) delete engine.tags[tag]
  for (const [name, filter] of Object.entries(filters)) {
    if (evaluates(name)) engine.unregisterFilter(name)
    else engine.registerFilter(name, metered(name, filter as Handler | FilterObject))
  }
  // Also what `capture` writes into a variable is counted, which LiquidJS does not.
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

/** They take how far to indent what is nested, which nothing counts: a value is told in one line. */
const INDENTS: ReadonlySet<string> = new Set(['json', 'jsonify', 'inspect'])

/** Counts what a filter goes through and what it makes: of LiquidJS's own ones, many count neither. */
function metered(name: string, filter: Handler | FilterObject): FilterObject {
  const { raw, handler } = typeof filter === 'function' ? { raw: false, handler: filter } : filter
  const isSearch = SEARCHES.has(name)
  const isIndented = INDENTS.has(name)
  return {
    raw,
    handler(this: { context: Context }, ...values: unknown[]): unknown {
      const { memoryLimit } = this.context
      for (const value of values) memoryLimit.use(weigh(value))
      if (isSearch) chargeSearch(this.context, values[0], values[1])
      const made: unknown = toValueSync(handler.apply(this, isIndented ? values.slice(0, 1) : values))
      memoryLimit.use(weigh(made))
      return made
    },
  }
}

interface Emitter {
  buffer: string
  write(value: unknown): void
}

/** What LiquidJS writes to: any value, which becomes a text as it does there. */
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
    // Before it is done, because an array can hold the same one twice, and that one another, and so on.
    if (weigh(value) > LIMITS.value) throw new LimitExceeded('writes a list that is too long')
    return value.map(textOf).join('')
  }
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- as LiquidJS does
  return String(value)
}

/** Values are escaped in HTML, so that nobody's first name can write markup; `{{ value | raw }}` is for trusted HTML. */
const html = createEngine({ outputEscape: 'escape' })
const plain = createEngine()
const ENGINES = { subject: plain, html, text: plain } as const satisfies Record<Field, Liquid>

/** Parsed templates, those that were used last; bounded by what they take, estimated in bytes. */
const CACHE_BYTES = 16_000_000
const BYTES_A_TOKEN = 1_000
/** What is between the braces becomes objects, for some tags one for each two characters. */
const BYTES_A_CHARACTER_IN_TOKENS = 150
const cache = new Map<string, { templates: Template[]; bytes: number }>()
let cachedBytes = 0

/** @param key what the content is known by; a field's template is kept under it. */
function parse(field: Field, source: string, key: string): Template[] {
  const name = `${key} ${field}`
  const kept = cache.get(name)
  if (kept) {
    cache.delete(name)
    cache.set(name, kept)
    return kept.templates
  }
  const tokens = countTokens(source)
  if (tokens > LIMITS.tokens) {
    throw new LimitExceeded(`has more than ${LIMITS.tokens.toLocaleString('en-US')} outputs and tags`)
  }
  const templates = ENGINES[field].parse(source)
  const bytes =
    source.length * 2 + tokens * BYTES_A_TOKEN + lengthOfTokens(source, ENGINES[field]) * BYTES_A_CHARACTER_IN_TOKENS
  if (bytes > CACHE_BYTES) return templates
  cache.set(name, { templates, bytes })
  cachedBytes += bytes
  for (const [oldest, { bytes: freed }] of cache) {
    if (cachedBytes <= CACHE_BYTES || oldest === name) break
    cache.delete(oldest)
    cachedBytes -= freed
  }
  return templates
}

/** How many characters are between braces, in all, as LiquidJS reads them: braces within quotes end no output. */
function lengthOfTokens(source: string, { options }: Liquid): number {
  return new Tokenizer(source)
    .readTopLevelTokens(options)
    .reduce((sum, { kind, begin, end }) => (kind === TokenKind.HTML ? sum : sum + end - begin), 0)
}

/** How many tokens there can be, at most, found without parsing. In a `liquid` tag each line is one. */
function countTokens(source: string): number {
  const outputsAndTags = source.split(/\{\{|\{%/).length - 1
  return /\{%-?\s*liquid\b/.test(source) ? outputsAndTags + source.split('\n').length : outputsAndTags
}

function renderField(field: Field, source: string, variables: TemplateVariables, key: string): string {
  try {
    const engine = ENGINES[field]
    const templates = parse(field, source, key)
    const meter = new Meter()
    const context = new Context(variables, engine.options, { sync: true }, { liquid: engine })
    Object.assign(context, { memoryLimit: meter, renderLimit: meter })
    // White space of a subject is made one space each: it may be longer before.
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
  if (text.length > max) throw new LimitExceeded(`becomes longer than ${max.toLocaleString('en-US')} characters`)
  if (text.includes('\0')) throw new Error('makes a NUL character, which no email can hold')
  if (!text.isWellFormed()) throw new Error('makes half of a surrogate pair, which is no Unicode text')
  return text
}

/** Whether a template can be parsed as it was written. @returns what is wrong with it */
export function parseSource(field: Field, source: string, key: string): string | undefined {
  try {
    parse(field, source, key)
    return undefined
  } catch (error) {
    return explain(error)
  }
}

/** @param begin is told each field before it is rendered. @throws {FieldError} */
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

const MUCH = {
  plan: 'pro',
  seats: 12,
  trial: false,
  address: { city: 'Zürich', lines: ['Bahnhofstrasse 1', '8001'] },
  items: Array.from({ length: 20 }, (_, n) => ({ name: `Item ${n}`, price: n * 1.5, tags: ['new', 'sale'] })),
}

/** For whom a template is tried when it is saved: somebody of whom nothing is known, and somebody of whom much is. */
const TRIALS: readonly TemplateVariables[] = [
  { contact: { email: '', firstName: null, metadata: {} }, event: null, unsubscribeUrl: 'https://mail.example.com/u' },
  {
    contact: {
      email: 'maximiliane.mustermann@mail.example.com',
      firstName: 'Maximiliane <Alexandra> & Söhne',
      metadata: MUCH,
    },
    event: { name: 'order.placed', data: MUCH },
    unsubscribeUrl: `https://mail.example.com/unsubscribe/${'A'.repeat(66)}`,
    confirmUrl: `https://mail.example.com/confirm/${'A'.repeat(66)}`,
  },
]

/** Parses and renders templates for trial. */
export function check(content: EmailContent, key: string, begin: (field: Field) => void): TemplateFindings {
  const findings: TemplateFindings = { problems: [], unknownVariables: [] }
  for (const field of FIELDS) {
    const source = content[field]
    if (source === null) continue
    begin(field)
    try {
      for (const variables of TRIALS) renderField(field, source, variables, key)
      const unknown = findUnknownVariables(ENGINES[field], parse(field, source, key), source)
      findings.unknownVariables.push(...unknown.map((variable) => ({ field, ...variable })))
    } catch (error) {
      findings.problems.push({ field, problem: (error as Error).message })
    }
  }
  return findings
}

/** The longest explanation: LiquidJS repeats what it could not read. */
const MAX_EXPLANATION = 300

/** The first line of a Liquid error says what and where; the lines below repeat the template. */
function explain(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return 'is nested too deep'
  const message = error instanceof Error ? error.message : String(error)
  const [line = 'invalid template'] = message.split('\n', 1)
  const original = LiquidError.is(error) ? error.originalError : undefined
  if (original instanceof RangeError && original.message.includes('call stack')) return 'is nested too deep'
  return line.length > MAX_EXPLANATION ? `${line.slice(0, MAX_EXPLANATION)}…` : line
}
