import { BUSY, Refusal } from '../platform/refusal.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { AS_IT_IS, unitOf } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import {
  type CompiledTemplate,
  type CompileProblem,
  type EmailContent,
  type Renderer,
  RendererBusy,
  type TemplateKind,
  type UnknownVariable,
} from '../rendering/index.ts'
import { type CompiledContents, Template, TemplateVersion, type WrittenTemplate } from './entities.ts'
import { partialsOf } from './queries.ts'
import { INVALID_TEMPLATE, TEMPLATE_NOT_FOUND } from './refusals.ts'
import { localeKey } from './schemas.ts'

/** What was made of a template, in all its languages. */
export interface Compilation {
  compiled: CompiledContents
  /** The layout and the partials that it is made with. */
  uses: string[]
  problems: (CompileProblem & { locale: string | null })[]
  unknownVariables: UnknownVariable[]
}

export interface CompileOptions {
  kind: TemplateKind
  written: WrittenTemplate
  /** As if this one said something else already: what is being written is in no version yet. */
  instead?: { id: string; html: string }
}

const NAMED = /\{%-?\s*render\s+(?:'([^'\n]*)'|"([^"\n]*)")/g

/**
 * Compiles a template with its layout and its partials, in each of its languages.
 * @throws {Refusal} `template_not_found` for its layout; `busy` when the machine is too busy to tell
 */
export async function compileTemplate(
  em: EntityManager,
  renderer: Renderer,
  workspaceId: string,
  { kind, written, instead }: CompileOptions,
): Promise<Compilation> {
  const { translations, layoutId, ...source } = written
  const partials = await partialsOf(em.fork(), workspaceId)
  const byName = new Map(
    partials.map(({ id, name, html }) => [name, { id, html: instead?.id === id ? instead.html : html }]),
  )
  const layout = layoutId === null ? null : await layoutOf(em, workspaceId, layoutId, written.format)
  const layoutHtml = instead !== undefined && instead.id === layoutId ? instead.html : (layout?.html ?? null)
  const own = await compileOne(source)
  const result: Compilation = {
    compiled: { content: own.content, translations: {} },
    uses: [...(layoutId === null ? [] : [layoutId]), ...usedPartials([...textsOf(written), layoutHtml ?? ''], byName)],
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
      // A text of the own language beside an HTML of another one would say something else.
      text: translated.text ?? (translated.html === null ? source.text : null),
    }
    const other = await compileOne(said)
    if (other.content) result.compiled.translations[locale] = other.content
    result.problems.push(...other.problems.map((problem) => ({ ...problem, locale })))
  }
  return result

  async function compileOne(said: typeof source): Promise<CompiledTemplate> {
    const input = {
      kind,
      source: said,
      layout: layoutHtml,
      partials: Object.fromEntries([...byName].map(([name, { html }]) => [name, html])),
    }
    try {
      return await renderer.compile(input, { owner: workspaceId })
    } catch (error) {
      throw error instanceof RendererBusy ? new Refusal(BUSY, { message: error.message, cause: error }) : error
    }
  }
}

async function layoutOf(
  em: EntityManager,
  workspaceId: string,
  id: string,
  format: WrittenTemplate['format'],
): Promise<{ html: string }> {
  const unit = unitOf(em)
  const layout = isId(id) ? await unit.findOne(Template, { id, workspaceId, kind: 'LAYOUT' }, AS_IT_IS) : null
  if (!layout) throw new Refusal(TEMPLATE_NOT_FOUND, { message: 'There is no layout with this id', param: '/layoutId' })
  const { source } = await unit.findOneOrFail(TemplateVersion, { templateId: id, version: layout.version }, AS_IT_IS)
  if (source.format !== format) {
    throw new Refusal(INVALID_TEMPLATE, {
      message: `layoutId: the layout is ${source.format}, and the template ${format}; both have to be the same`,
      param: '/layoutId',
    })
  }
  return { html: source.html ?? '' }
}

const textsOf = ({ translations, subject, html, text }: WrittenTemplate): string[] =>
  [subject, html, text, ...Object.values(translations).flatMap((each) => [each.subject, each.html, each.text])].flatMap(
    (said) => said ?? [],
  )

/** Those that are named, in what is named as well. */
function usedPartials(texts: string[], byName: ReadonlyMap<string, { id: string; html: string }>): string[] {
  const used = new Set<string>()
  for (const said of texts) {
    for (const [, single, double] of said.matchAll(NAMED)) {
      const partial = byName.get(single ?? double ?? '')
      if (!partial || used.has(partial.id)) continue
      used.add(partial.id)
      texts.push(partial.html)
    }
  }
  return [...used]
}

/** Where in a field something is wrong, of a problem in words. */
export function placeOf(problem: string): { line: number | null; column: number | null } {
  const [, line, column] = /line:(\d+)(?:, col:(\d+))?/.exec(problem) ?? []
  return { line: line ? Number(line) : null, column: column ? Number(column) : null }
}

/** @throws {Refusal} `invalid_template`, which names the first field that is wrong, with line and column */
export function assertCompiles({ problems }: Compilation, prefix = ''): void {
  const [first] = problems
  if (!first) return
  const { field, locale, problem } = first
  const where = locale === null ? field : `translations (${locale}): ${field}`
  throw new Refusal(INVALID_TEMPLATE, {
    message: `${prefix}${where} is no valid template: ${problem}`,
    param: locale === null ? `/${field}` : '/translations',
  })
}

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
