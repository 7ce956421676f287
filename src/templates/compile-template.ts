import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import {
  type CompileProblem,
  type EmailContent,
  MAX_DEPTH,
  type Renderer,
  type TemplateKind,
  type UnknownVariable,
} from '../rendering/index.ts'
import { mjmlOf, openIn } from './design.ts'
import {
  type CompiledContents,
  Template,
  TemplateVersion,
  type WrittenContent,
  type WrittenTemplate,
} from './entities.ts'
import { withRenderErrors } from './with-render-errors.ts'
import { partialsNamed } from './queries.ts'
import { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND } from './errors.ts'
import { localeKey } from './schemas.ts'

/** What was made of a template, in all its languages. */
export interface Compilation {
  compiled: CompiledContents
  /** The layout and the partials that it is made with, and in which versions. */
  uses: ReadonlyMap<string, number>
  problems: TemplateProblem[]
  unknownVariables: UnknownVariable[]
}

/** What is wrong with a template, of blocks in its `design`. */
export interface TemplateProblem {
  field: CompileProblem['field'] | 'design'
  problem: string
  locale: string | null
}

export interface CompileOptions {
  kind: TemplateKind
  written: WrittenTemplate
  /** As if this one said something else already: what is being written is in no version yet. */
  instead?: { id: string; html: string }
  /** When it has taken too long, by `performance.now()`. */
  until?: number
}

/** What one request may have compiled takes no longer, in milliseconds: whoever waits for its answer hears nothing for thirty seconds at most. */
export const MAX_COMPILING_MS = 20_000

/** What one template may come to, in all its languages: each who reads it holds all of it. */
export const MAX_CHARACTERS = 4_000_000

const TOO_SLOW = `It takes more than ${MAX_COMPILING_MS / 1000} seconds to compile it in all its languages, with all that is made with it: make it simpler, or have fewer templates in it; where the machine is busy at the moment, send it later, as another request`

const TOO_LONG = `Its partials are longer than ${MAX_CHARACTERS.toLocaleString('en-US')} characters in all`

const NAMED = /\{%-?\s*render\s+(?:'([^'\n]*)'|"([^"\n]*)")/g

/**
 * Compiles a template with its layout and its partials, in each of its languages.
 * @throws {ApiError} `template_not_found` for its layout; `busy` when the machine is too busy to tell
 */
export async function compileTemplate(
  em: EntityManager,
  renderer: Renderer,
  workspaceId: string,
  { kind, written, instead, until = performance.now() + MAX_COMPILING_MS }: CompileOptions,
): Promise<Compilation> {
  const { translations, layoutId, ...source } = written
  const isOfBlocks = source.format === 'BLOCKS'
  const misfit = misfitOf(kind, written)
  if (misfit !== undefined) {
    const problems = [{ field: 'design' as const, problem: misfit, locale: null }]
    return { compiled: { content: null, translations: {} }, uses: new Map(), problems, unknownVariables: [] }
  }
  const layout = layoutId === null ? null : await layoutOf(em, workspaceId, layoutId, written.format)
  const layoutHtml = instead !== undefined && instead.id === layoutId ? instead.html : (layout?.html ?? null)
  const partials = await partialsIn(em, workspaceId, [...textsOf(written), layoutHtml ?? ''], instead)
  const byName = Object.fromEntries([...partials].map(([name, { html }]) => [name, html]))
  const own = await compileOne(source)
  const result: Compilation = {
    compiled: { content: own.content, translations: {} },
    uses: new Map([
      ...(layout === null ? [] : [[layout.id, layout.version] as const]),
      ...[...partials.values()].map(({ id, version }) => [id, version] as const),
    ]),
    problems: own.problems.map((problem) => ({ ...problem, locale: null })),
    unknownVariables: own.unknownVariables,
  }
  for (const [locale, translated] of Object.entries(translations)) {
    if (result.problems.length > 0) break
    const said = {
      format: source.format,
      subject: translated.subject ?? source.subject,
      previewText: translated.previewText ?? source.previewText,
      html: translated.html ?? source.html,
      design: translated.design ?? source.design ?? null,
      // A text of the own language beside an HTML of another one would say something else.
      text: translated.text ?? (translated.html === null && translated.design == null ? source.text : null),
    }
    const other = await compileOne(said)
    if (other.content) result.compiled.translations[locale] = other.content
    result.problems.push(...other.problems.map((problem) => ({ ...problem, locale })))
    if (lengthOf(result.compiled) <= MAX_CHARACTERS) continue
    const problem = `is longer than ${MAX_CHARACTERS.toLocaleString('en-US')} characters in all its languages, with its layout and partials`
    result.problems.push({ field: 'html', problem, locale })
  }
  return result

  async function compileOne({ design, ...said }: typeof source) {
    const made = isOfBlocks && design ? mjmlOf(design) : undefined
    const format = said.format === 'BLOCKS' ? 'MJML' : said.format
    const code = { ...said, format, html: made ? made.mjml : said.html }
    const input = { kind, source: code, layout: layoutHtml, partials: byName }
    // No 503: whoever repeats it by itself has all of it compiled again.
    if (performance.now() > until) throw new ApiError(INVALID_TEMPLATE, { message: TOO_SLOW })
    const compiled = await withRenderErrors(renderer.compile(input, { owner: workspaceId }))
    const problems = compiled.problems.map(({ field, problem, isOfSource }) =>
      made && field === 'html'
        ? { field: 'design' as const, problem: inBlock(problem, isOfSource ? made.blockOfLine : []) }
        : { field, problem },
    )
    return { ...compiled, problems }
  }
}

/** What is wrong with a template before it is compiled: blocks are something of their own. */
function misfitOf(kind: TemplateKind, { format, layoutId, translations, ...own }: WrittenTemplate): string | undefined {
  const contents = [own, ...Object.values(translations)]
  if (format !== 'BLOCKS')
    return contents.some(({ design }) => design != null) ? 'only a template whose format is BLOCKS has one' : undefined
  if (kind !== 'EMAIL') return 'a LAYOUT or a PARTIAL is code, and has no blocks'
  if (layoutId !== null) return 'an email of blocks is in no layout: layoutId has to be null'
  if (own.design == null) return 'an email whose format is BLOCKS has one'
  if (contents.some(({ html }) => html !== null))
    return 'an email of blocks has no html of its own; put it into a block of CODE'
  for (const { design } of contents) {
    const open = design && openIn(design)
    if (open) return open
  }
  return undefined
}

/** A problem of what blocks have become, as one of the block that it is in. */
function inBlock(problem: string, blockOfLine: readonly number[]): string {
  const { line } = placeOf(problem)
  const block = line === null ? undefined : blockOfLine[line - 1]
  const words = problem.replace(/,? ?line:\d+(, col:\d+)?/, '')
  return block ? `in block ${block}: ${words}` : words
}

async function layoutOf(
  em: EntityManager,
  workspaceId: string,
  id: string,
  format: WrittenTemplate['format'],
): Promise<{ id: string; version: number; html: string }> {
  const unit = unitOf(em)
  const layout = isId(id) ? await unit.findOne(Template, { id, workspaceId, kind: 'LAYOUT' }, FRESH_READ) : null
  if (!layout)
    throw new ApiError(TEMPLATE_NOT_FOUND, { message: 'There is no layout with this id', param: '/layoutId' })
  const { source } = await unit.findOneOrFail(TemplateVersion, { templateId: id, version: layout.version }, FRESH_READ)
  if (source.format !== format) {
    throw new ApiError(INVALID_TEMPLATE, {
      message: `layoutId: the layout is ${source.format}, and the template ${format}; both have to be the same`,
      param: '/layoutId',
    })
  }
  return { id, version: layout.version, html: source.html ?? '' }
}

const textsOf = ({ translations, ...own }: WrittenTemplate): string[] =>
  [own, ...Object.values(translations)]
    .flatMap(({ subject, html, text, design }: WrittenContent) => [subject, html, text, design && mjmlOf(design).mjml])
    .flatMap((said) => said ?? [])

interface UsedPartial {
  id: string
  version: number
  html: string
}

/** Those that are named, and in what is named: by their names. Where there is none, compiling says so. */
async function partialsIn(
  em: EntityManager,
  workspaceId: string,
  texts: readonly string[],
  instead: CompileOptions['instead'],
): Promise<Map<string, UsedPartial>> {
  const found = new Map<string, UsedPartial>()
  let named = namesIn(texts)
  let left = MAX_CHARACTERS
  for (let depth = 0; named.length > 0 && depth <= MAX_DEPTH; depth += 1) {
    const partials = await partialsNamed(em.fork(), workspaceId, named, left)
    left -= partials.reduce((sum, { html }) => sum + html.length, 0)
    // Before anything is made of them: each who holds them holds all.
    if (left < 0) throw new ApiError(INVALID_TEMPLATE, { message: TOO_LONG })
    for (const { name, ...partial } of partials) {
      found.set(name, instead?.id === partial.id ? { ...partial, html: instead.html } : partial)
    }
    named = namesIn(partials.map(({ name }) => found.get(name)!.html)).filter((name) => !found.has(name))
  }
  return found
}

const namesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((said) => [...said.matchAll(NAMED)].map(([, single, double]) => single ?? double ?? ''))),
]

/** How much a template says in all its languages, in characters. */
export const lengthOf = ({ content, translations }: CompiledContents): number =>
  [content, ...Object.values(translations)].reduce(
    (sum, each) => sum + (each ? each.subject.length + (each.html?.length ?? 0) + (each.text?.length ?? 0) : 0),
    0,
  )

/** Where in a field something is wrong, of a problem in words. */
export function placeOf(problem: string): { line: number | null; column: number | null } {
  const [, line, column] = /line:(\d+)(?:, col:(\d+))?/.exec(problem) ?? []
  return { line: line ? Number(line) : null, column: column ? Number(column) : null }
}

/**
 * @param prefix what is said before the problem: of what it is
 * @param at where in the body the template stands, as a JSON Pointer (RFC 6901); none: it is the body
 * @throws {ApiError} `invalid_template`, which names the first field that is wrong, with line and column
 */
export function assertCompiles({ problems }: Compilation, prefix = '', at = ''): void {
  const [first] = problems
  if (!first) return
  const { field, locale, problem } = first
  const where = locale === null ? field : `translations (${locale}): ${field}`
  throw new ApiError(INVALID_TEMPLATE, {
    message: `${prefix}${where} is not a valid template: ${problem}`,
    param: `${at}/${locale === null ? field : 'translations'}`,
  })
}

/** What is most likely not meant, in a header: a name can hold anything. */
export const warningsOf = (unknown: readonly UnknownVariable[]): string[] =>
  unknown
    .slice(0, 5)
    .map(
      ({ field, variable, nearest }) =>
        `/${field}: {{ ${variable.replace(/[^ -~]/g, '?')} }} is unknown, and empty in every email` +
        (nearest === undefined ? '' : `; do you mean ${nearest}?`),
    )

const SAID = ['subject', 'previewText', 'html', 'text'] as const
type Saying = Partial<Record<(typeof SAID)[number], string | null | undefined>>

/**
 * What is said beside a template that says something else, in a header: it is the template's that is sent.
 * @param at where in the body that stands, as a JSON Pointer (RFC 6901)
 */
export const overruled = (said: Saying, sent: Saying, at = ''): string[] =>
  SAID.flatMap((field) =>
    said[field] == null || said[field] === sent[field]
      ? []
      : `${at}/${field} is not sent: the template's is, because templateId names one; send null to say it here`,
  )

/** What is sent to whoever has a locale; its own language where there is no other. */
export function contentFor(
  { content, translations }: CompiledContents,
  locale: unknown,
): { content: EmailContent | null; locale: string | null } {
  const wanted = typeof locale === 'string' ? localeKey(locale) : ''
  for (const each of [wanted, wanted.split('-')[0]!]) {
    if (Object.hasOwn(translations, each)) return { content: translations[each]!, locale: each }
  }
  return { content, locale: null }
}
