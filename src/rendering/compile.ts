/**
 * Compiles templates to the content that is rendered for each recipient. Runs in the renderer's thread, because templates are
 * untrusted.
 */
import juice from 'juice/client'
import { MAX_BODY_LENGTH, type EmailContent } from './content.ts'
import {
  type CompiledTemplate,
  type CompileInput,
  type CompileProblem,
  MAX_DEPTH,
  type SourceField,
} from './compiled.ts'
import { escapeHtml } from '../platform/html.ts'
import { directionOf } from '../platform/locale.ts'
import { check, parseSource } from './engine.ts'
import { liquidParts } from './liquid-parts.ts'
import { findStructureProblems } from './mjml-structure.ts'
import { plainTextOf } from './plain-text.ts'

/** Text between these delimiters is Liquid, not HTML. The library has those of outputs. */
const LIQUID_TAGS = { TAG: { start: '{%', end: '%}' } }
Object.assign(juice.codeBlocks, LIQUID_TAGS)

const PARTIAL = /\{%-?\s*render\s+(?:'([^'\n]*)'|"([^"\n]*)")\s*-?%\}/g
const RENDER = /\{%-?\s*render\b/
/** The placeholder in a layout for the content of templates. */
const CONTENT = /\{\{-?\s*content\s*-?\}\}/g
class Problem extends Error {
  readonly field: SourceField
  constructor(field: SourceField, message: string) {
    super(message)
    this.field = field
  }
}

/**
 * Compiles one language of a template: partials, layout, MJML or inline styles, preview text, and a generated plain text if
 * none is given. Problems have a line and column of the source, where possible.
 */
export async function compile(
  input: CompileInput,
  key: string,
  begin: (field: keyof EmailContent) => void,
): Promise<CompiledTemplate> {
  const problems: CompileProblem[] = []
  const { kind, source } = input
  for (const field of ['subject', 'previewText', 'html', 'text'] as const) {
    const written = source[field]
    if (!written) continue
    begin(field === 'previewText' ? 'html' : field)
    // Partials are checked when they are saved. Blanking their tags here keeps all line numbers.
    const problem = parseSource(field === 'previewText' ? 'html' : field, blank(written))
    if (problem !== undefined) problems.push({ field, problem, isOfSource: true })
  }
  if (problems.length > 0 || kind === 'PARTIAL') return { ...NOTHING, problems }
  begin('html')
  try {
    const { content, warnings } = await compileContent(input)
    const findings = check(content, key, begin)
    const found = findings.problems.map((each) => ({ ...each, isOfSource: false }))
    return { ...findings, content, problems: found, warnings }
  } catch (error) {
    // The libraries recurse into HTML: thousands of nested elements overflow the call stack.
    const found = error instanceof RangeError ? new Problem('html', 'is nested too deeply') : error
    if (!(found instanceof Problem)) throw error
    return { ...NOTHING, problems: [{ field: found.field, problem: found.message, isOfSource: true }] }
  }
}

const NOTHING = { content: null, warnings: [], variables: [], unknownVariables: [] }

const blank = (source: string): string => source.replace(PARTIAL, (tag) => tag.replace(/[^\n]/g, ' '))

async function compileContent(input: CompileInput): Promise<{
  content: EmailContent
  warnings: CompileProblem[]
}> {
  const { kind, source, layout, partials } = input
  const { format } = source
  const put = (field: SourceField, text: string | null) => text && withPartials(field, text, partials, 0)
  const subject = put('subject', source.subject) ?? ''
  const previewText = put('previewText', source.previewText) || null
  const text = put('text', source.text) || null
  let html = put('html', source.html) || null
  if (kind === 'LAYOUT') {
    // A layout is checked with a sample section as its content.
    html = around(html ?? '', format === 'MJML' ? SOME_SECTION : '')
  } else if (layout !== null && html !== null) {
    html = around(withPartials('html', layout, partials, 0), html)
  }
  if (html === null) return { content: { subject, html, text }, warnings: [] }
  const compiled =
    format === 'MJML' ? await compileMjml(html, previewText !== null) : { html: withInlineStyles(html), warnings: [] }
  const whole = withPreview(withLanguage(compiled.html, input.locale), previewText)
  return {
    content: {
      subject,
      html: whole,
      text: text ?? generateText(whole),
    },
    warnings: compiled.warnings,
  }
}

const HTML_TAG = /<html\b[^<>]*>/i

/** Marks the language and the direction of a translation, for screen readers and right-to-left scripts. The author's marks stay. */
function withLanguage(html: string, locale: string | null): string {
  const tag = locale === null ? undefined : HTML_TAG.exec(html)?.[0]
  if (locale === null || tag === undefined) return html
  // MJML writes these when the author did not.
  const own = tag.replace(/\s(?:lang="und"|dir="auto")/g, '')
  const added = [
    ...(/\slang=/i.test(own) ? [] : [` lang="${locale}"`]),
    ...(/\sdir=/i.test(own) ? [] : [` dir="${directionOf(locale)}"`]),
  ].join('')
  return html.replace(tag, () => `${own.slice(0, -1)}${added}>`)
}

const SOME_SECTION = '<mj-section><mj-column><mj-text>…</mj-text></mj-column></mj-section>'

function around(layout: string, content: string): string {
  if ((layout.match(CONTENT) ?? []).length !== 1)
    throw new Problem('html', 'a layout must contain {{ content }} exactly once, where the content of templates goes')
  return layout.replace(CONTENT, () => content)
}

function withPartials(field: SourceField, text: string, partials: CompileInput['partials'], depth: number): string {
  if (depth > MAX_DEPTH)
    throw new Problem(field, `partials are nested more than ${MAX_DEPTH} levels deep, or include themselves`)
  const whole = text.replace(PARTIAL, (_tag, single: string | undefined, double: string | undefined) => {
    const name = single ?? double ?? ''
    const partial = Object.hasOwn(partials, name) ? partials[name] : undefined
    if (partial === undefined) throw new Problem(field, `there is no partial called "${name.slice(0, 60)}"`)
    return withPartials(field, partial, partials, depth + 1)
  })
  if (whole.length > 2 * MAX_BODY_LENGTH)
    throw new Problem(
      field,
      `is longer than ${(2 * MAX_BODY_LENGTH).toLocaleString('en-US')} characters with its partials`,
    )
  if (depth === 0 && RENDER.test(whole))
    throw new Problem(field, `a partial must be included as {% render 'footer' %}, without arguments`)
  return whole
}

interface MjmlError {
  line: number
  message: string
  tagName: string
}
type Mjml = (source: string, options: object) => Promise<{ html: string; errors: MjmlError[] }>

/** Returns the position of a character, in the format of all template problems. */
function formatPosition(source: string, at: number): string {
  const before = source.slice(0, at).split('\n')
  return `line:${before.length}, col:${before.at(-1)!.length + 1}`
}

/** The maximum number of warnings about one template. */
const MAX_WARNINGS = 20

/** @param hasPreviewText whether a preview text replaces that of the source */
async function compileMjml(
  written: string,
  hasPreviewText: boolean,
): Promise<{ html: string; warnings: CompileProblem[] }> {
  // Loaded on first use, because that takes a moment.
  const compileSource = (await import('mjml')).default as Mjml
  const structure = findStructureProblems(written)
  const loss = structure.find(({ isLoss }) => isLoss)
  if (loss) throw new Problem('html', `${loss.problem}, ${formatPosition(written, loss.at)}`)
  const previews = hasPreviewText ? [...written.matchAll(PREVIEW)] : []
  // The line breaks stay, so that all positions do.
  const source = hasPreviewText ? written.replace(PREVIEW, (preview) => preview.replace(/[^\n]+/g, '')) : written
  // Includes are ignored, so that no file is read.
  const options = { ignoreIncludes: true, keepComments: true, juicePreserveTags: LIQUID_TAGS }
  let compiled: Awaited<ReturnType<Mjml>>
  try {
    compiled = await compileSource(source, { ...options, validationLevel: 'soft' })
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new Problem(
      'html',
      await explainFailure(error, () => compileSource(source, { ...options, validationLevel: 'strict' }), source),
    )
  }
  const unknown = compiled.errors.find(({ message }) => message.startsWith('Element '))
  // MJML omits unknown elements with their content.
  if (unknown) throw new Problem('html', explain(unknown, source))
  const warnings = [
    ...structure.map(({ problem, at }) => `${problem}, ${formatPosition(source, at)}`),
    ...previews.map(
      ({ index }) => `<mj-preview> is not used, because previewText replaces it, ${formatPosition(written, index)}`,
    ),
    ...compiled.errors.map((error) => explain(error, source)),
  ]
  return {
    html: compiled.html,
    warnings: warnings.slice(0, MAX_WARNINGS).map((problem) => ({ field: 'html', problem, isOfSource: true })),
  }
}

const PREVIEW = /<mj-preview\b[^<>]*>[\s\S]*?<\/mj-preview\s*>/g

/** Adds the position to an error of MJML. */
function explain({ message, tagName, line }: MjmlError, source: string): string {
  const text = source.split('\n')[line - 1] ?? ''
  const column = Math.max(text.toLowerCase().indexOf(`<${tagName}`), 0) + 1
  return `${message.slice(0, 300)} (${tagName}), line:${line}, col:${column}`
}

/** Explains an error of MJML by the first rule that the source breaks, because such an error is of a library's code. */
async function explainFailure(error: unknown, validate: () => Promise<unknown>, source: string): Promise<string> {
  const broken = await validate().then(
    () => undefined,
    (found: { errors?: MjmlError[] }) =>
      found.errors?.find(({ message }) => !message.startsWith('Attribute')) ?? found.errors?.[0],
  )
  return broken ? explain(broken, source) : reasonOf(error)
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!.slice(0, 300)

/** The style sheets stay, for the rules that apply to some mail clients or screens, and those that depend on the contact. */
function withInlineStyles(html: string): string {
  if (!/<style[\s>]/i.test(html)) return html
  return ofTemplate('its styles cannot be inlined', () => juice(html, { removeStyleTags: false }))
}

/** Runs a library on a template, and reports thrown errors as problems of the template. The caller handles a stack overflow. */
function ofTemplate(what: string, run: () => string): string {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new Problem('html', `${what}: ${reasonOf(error)}`)
  }
}

/** Liquid that may add or remove HTML: tags, and filters whose result is HTML. */
const CHANGES_HTML = /\{%|\|\s*(?:raw|escape|escape_once|xml_escape|newline_to_br)\b/

/**
 * Generates the plain text of HTML, with the outputs of Liquid in it. Each output is replaced by a mark in the meantime, because it
 * is not HTML: its quotation marks would end an attribute.
 * @returns `null` if the text must be generated from the rendered HTML
 */
function generateText(html: string): string | null {
  // Equal outputs have the same mark, so that a link is not printed again after itself.
  const marks = new Map<string, string>()
  const markOf = (output: string) => {
    const mark = marks.get(output) ?? `\uE000${marks.size}\uE001`
    marks.set(output, mark)
    return mark
  }
  const marked = liquidParts(html)
    .map((part, n) => (n % 2 === 0 ? part : markOf(part)))
    .join('')
  // Also reports HTML that is nested too deeply when it is saved, and not when it is sent.
  const text = ofTemplate('no plain text can be generated from it', () => plainTextOf(marked))
  if (CHANGES_HTML.test(html)) return null
  const outputs = [...marks.keys()]
  return text.replace(/\uE000(\d+)\uE001/g, (mark, n) => outputs[Number(n)] ?? mark)
}

/** A comment, in which a preview text would be hidden from most mail clients, or the start of the body. */
const COMMENT_OR_BODY = /<!--(?:-?>|[\s\S]*?-->)|<body\b[^<>]*>/gi

/** Adds the preview text, which mail clients show after the subject but not in the body. */
function withPreview(html: string, previewText: string | null): string {
  if (previewText === null) return html
  const shown = liquidParts(previewText)
    .map((part, n) => (n % 2 === 1 ? part : escapeHtml(part)))
    .join('')
  const preview =
    `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${shown}` +
    // Keeps mail clients from showing the beginning of the body after it.
    `<span aria-hidden="true">${'&#847;&zwnj;&nbsp;'.repeat(30)}</span></div>`
  const body = [...html.matchAll(COMMENT_OR_BODY)].find(([found]) => !found.startsWith('<!--'))
  const at = body ? body.index + body[0].length : 0
  return html.slice(0, at) + preview + html.slice(at)
}
