import { orMeant } from '../platform/nearest-name.ts'
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
  mergeVariables,
  type UsedVariable,
} from '../rendering/index.ts'
import { mjmlOf, findUnclosedHtml } from './design.ts'
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
import { canonicalLocale, localeFallbacks, localeKey } from '../platform/locale.ts'

/** The compiled contents of a template in all its languages. */
export interface Compilation {
  compiled: CompiledContents
  /** The versions of the layout and the partials that it uses. */
  uses: ReadonlyMap<string, number>
  problems: TemplateProblem[]
  /** Probable mistakes, such as attributes that MJML ignores. Known only right after the compilation. */
  warnings: TemplateProblem[]
  /** The variables that it uses, in all languages. */
  variables: UsedVariable[]
  unknownVariables: UnknownVariable[]
}

/** A problem of a template. For blocks, the field is `design`. */
interface TemplateProblem {
  field: CompileProblem['field'] | 'design'
  problem: string
  locale: string | null
}

export interface CompileOptions {
  kind: TemplateKind
  written: WrittenTemplate
  /** Content that replaces a template's current content, because content that is being written has no version yet. */
  instead?: { id: string; html: string }
  /** The deadline, by `performance.now()`. */
  until?: number
}

/**
 * The time limit for all compilations of one request, in milliseconds. Clients wait at most thirty seconds without a response.
 */
export const MAX_COMPILING_MS = 20_000

/** The maximum size of a template in all its languages. Every reader holds all of it in memory. */
export const MAX_CHARACTERS = 4_000_000

const TOO_SLOW = `Compiling all languages, and all templates that use this one, takes more than ${MAX_COMPILING_MS / 1000} seconds. Simplify the template, or use it in fewer templates. If the instance is busy, send a new request later.`

const TOO_LONG = `The partials have more than ${MAX_CHARACTERS.toLocaleString('en-US')} characters in total`

const NAMED = /\{%-?\s*render\s+(?:'([^'\n]*)'|"([^"\n]*)")/g

/**
 * Compiles a template with its layout and its partials, in each of its languages.
 * @throws {ApiError} `template_not_found` for its layout; `busy` if the machine is too busy
 */
export async function compileTemplate(
  em: EntityManager,
  renderer: Renderer,
  workspaceId: string,
  { kind, written, instead, until = performance.now() + MAX_COMPILING_MS }: CompileOptions,
): Promise<Compilation> {
  const { translations, layoutId, ...source } = written
  const isOfBlocks = source.format === 'BLOCKS'
  const misfit = problemOf(kind, written)
  if (misfit !== undefined) {
    const problems = [{ field: 'design' as const, problem: misfit, locale: null }]
    return {
      compiled: { content: null, translations: {} },
      uses: new Map(),
      problems,
      warnings: [],
      variables: [],
      unknownVariables: [],
    }
  }
  const layout = layoutId === null ? null : await layoutOf(em, workspaceId, layoutId, written.format)
  const layoutHtml = instead !== undefined && instead.id === layoutId ? instead.html : (layout?.html ?? null)
  const partials = await partialsIn(em, workspaceId, [...textsOf(written), layoutHtml ?? ''], instead)
  const byName = Object.fromEntries([...partials].map(([name, { html }]) => [name, html]))
  const own = await compileOne(source, null)
  const result: Compilation = {
    compiled: { content: own.content, translations: {} },
    uses: new Map([
      ...(layout === null ? [] : [[layout.id, layout.version] as const]),
      ...[...partials.values()].map(({ id, version }) => [id, version] as const),
    ]),
    problems: own.problems.map((problem) => ({ ...problem, locale: null })),
    warnings: own.warnings.map((warning) => ({ ...warning, locale: null })),
    variables: own.variables,
    unknownVariables: own.unknownVariables,
  }
  for (const [locale, translated] of Object.entries(translations)) {
    if (result.problems.length > 0) break
    const fields = {
      format: source.format,
      subject: translated.subject ?? source.subject,
      previewText: translated.previewText ?? source.previewText,
      html: translated.html ?? source.html,
      design: translated.design ?? source.design ?? null,
      // The plain text of the main language must not accompany the HTML of another language.
      text: translated.text ?? (translated.html === null && translated.design == null ? source.text : null),
    }
    const other = await compileOne(fields, canonicalLocale(locale) ?? null)
    if (other.content) result.compiled.translations[locale] = other.content
    result.variables = mergeVariables(result.variables, other.variables)
    result.problems.push(...other.problems.map((problem) => ({ ...problem, locale })))
    // Code that the languages share has the same warnings in all of them.
    if (translated.html !== null) result.warnings.push(...other.warnings.map((warning) => ({ ...warning, locale })))
    if (lengthOf(result.compiled) <= MAX_CHARACTERS) continue
    const problem = `is longer than ${MAX_CHARACTERS.toLocaleString('en-US')} characters in all its languages, with its layout and partials`
    result.problems.push({ field: 'html', problem, locale })
  }
  return result

  async function compileOne({ design, ...fields }: typeof source, locale: string | null) {
    const made = isOfBlocks && design ? mjmlOf(design) : undefined
    const format = fields.format === 'BLOCKS' ? 'MJML' : fields.format
    const code = { ...fields, format, html: made ? made.mjml : fields.html }
    const input = { kind, source: code, layout: layoutHtml, partials: byName, locale }
    // Not a 503: a client that retries automatically would compile everything again.
    if (performance.now() > until) throw new ApiError(INVALID_TEMPLATE, { message: TOO_SLOW })
    const compiled = await withRenderErrors(renderer.compile(input, { owner: workspaceId }))
    const problems = compiled.problems.map(({ field, problem, isOfSource }) =>
      made && field === 'html'
        ? { field: 'design' as const, problem: inBlock(problem, isOfSource ? made.blockOfLine : []) }
        : { field, problem },
    )
    // The MJML of blocks is not the author's.
    return { ...compiled, problems, warnings: made ? [] : compiled.warnings }
  }
}

/** Checks a template before it is compiled: blocks have rules of their own. */
function problemOf(
  kind: TemplateKind,
  { format, layoutId, translations, ...own }: WrittenTemplate,
): string | undefined {
  const contents = [own, ...Object.values(translations)]
  if (format !== 'BLOCKS')
    return contents.some(({ design }) => design != null)
      ? 'only a template with the format BLOCKS can have a design'
      : undefined
  if (kind !== 'EMAIL') return 'a LAYOUT or a PARTIAL must be code, not BLOCKS'
  if (layoutId !== null) return 'an email of blocks cannot have a layout: layoutId must be null'
  if (own.design == null) return 'an email with the format BLOCKS requires a design'
  if (contents.some(({ html }) => html !== null)) return 'an email of blocks cannot have html: use a CODE block'
  for (const { design } of contents) {
    const open = design && findUnclosedHtml(design)
    if (open) return open
  }
  return undefined
}

/** Replaces the line of a problem in compiled blocks by the block that contains it. */
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
    throw new ApiError(TEMPLATE_NOT_FOUND, { message: 'There is no layout with this ID', param: '/layoutId' })
  const { source } = await unit.findOneOrFail(TemplateVersion, { templateId: id, version: layout.version }, FRESH_READ)
  if (source.format !== format) {
    throw new ApiError(INVALID_TEMPLATE, {
      message: `layoutId: the layout is ${source.format}, and the template ${format}. Both must have the same format`,
      param: '/layoutId',
    })
  }
  return { id, version: layout.version, html: source.html ?? '' }
}

const textsOf = ({ translations, ...own }: WrittenTemplate): string[] =>
  [own, ...Object.values(translations)]
    .flatMap(({ subject, html, text, design }: WrittenContent) => [subject, html, text, design && mjmlOf(design).mjml])
    .flatMap((text) => text ?? [])

interface UsedPartial {
  id: string
  version: number
  html: string
}

/** Finds the partials that texts include, and those that these include, by name. The compilation reports missing ones. */
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
    // Checked before they are compiled, because the result contains all of them.
    if (left < 0) throw new ApiError(INVALID_TEMPLATE, { message: TOO_LONG })
    for (const { name, ...partial } of partials) {
      found.set(name, instead?.id === partial.id ? { ...partial, html: instead.html } : partial)
    }
    named = namesIn(partials.map(({ name }) => found.get(name)!.html)).filter((name) => !found.has(name))
  }
  return found
}

const namesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, single, double]) => single ?? double ?? ''))),
]

/** The size of a template in all its languages, in characters. */
export const lengthOf = ({ content, translations }: CompiledContents): number =>
  [content, ...Object.values(translations)].reduce(
    (sum, each) => sum + (each ? each.subject.length + (each.html?.length ?? 0) + (each.text?.length ?? 0) : 0),
    0,
  )

/** Reads line and column from the message of a problem. */
export function placeOf(problem: string): { line: number | null; column: number | null } {
  const [, line, column] = /line:(\d+)(?:, col:(\d+))?/.exec(problem) ?? []
  return { line: line ? Number(line) : null, column: column ? Number(column) : null }
}

/**
 * @param prefix precedes the problem in the message and names the template
 * @param at a JSON Pointer (RFC 6901) to the template in the body; empty if it is the body
 * @throws {ApiError} `invalid_template`, which names the first wrong field, with line and column
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

/** The maximum number of warnings of each kind in a header. */
const MAX_WARNINGS = 5

/** A header is ASCII, and names in a template can contain any character. */
const inAscii = (text: string): string => text.replace(/[^ -~]/g, '?')

/** Warnings about probable mistakes in a template, for a header. */
export const warningsOf = ({
  warnings,
  unknownVariables,
}: Pick<Compilation, 'warnings' | 'unknownVariables'>): string[] => [
  ...warnings
    .slice(0, MAX_WARNINGS)
    .map(({ field, locale, problem }) =>
      inAscii(locale === null ? `/${field}: ${problem}` : `/translations (${locale}): ${field}: ${problem}`),
    ),
  ...unknownVariables
    .slice(0, MAX_WARNINGS)
    .map(
      ({ field, variable, nearest }) =>
        `/${field}: {{ ${inAscii(variable)} }} is not a known variable, so it is empty in every email` +
        orMeant(nearest),
    ),
]

const CONTENT_FIELDS = ['subject', 'previewText', 'html', 'text', 'design'] as const
type ContentFields = Partial<Record<(typeof CONTENT_FIELDS)[number], unknown>>

/**
 * Warnings about contents that differ from their template, for a header. The template's content is sent.
 *
 * @param at a JSON Pointer (RFC 6901) to the content in the body
 */
export const ignoredContentWarning = (given: ContentFields, sent: ContentFields, at = ''): string[] =>
  CONTENT_FIELDS.flatMap((field) =>
    given[field] == null || given[field] === sent[field]
      ? []
      : `${at}/${field} is not sent, because templateId takes precedence. Set templateId to null to send it`,
  )

/** Selects the content for a locale. The default is the template's own language. */
export function contentFor(
  { content, translations }: CompiledContents,
  locale: unknown,
): { content: EmailContent | null; locale: string | null } {
  const wanted = typeof locale === 'string' ? localeKey(locale) : ''
  for (const each of localeFallbacks(wanted)) {
    if (Object.hasOwn(translations, each)) return { content: translations[each]!, locale: each }
  }
  return { content, locale: null }
}
