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
import { check, FieldError, parseSource } from './engine.ts'
import { findStructureProblems } from './mjml-structure.ts'
import { plainTextOf } from './plain-text.ts'

/** Text between these delimiters is Liquid, not HTML. */
juice.codeBlocks = { OUTPUT: { start: '{{', end: '}}' }, TAG: { start: '{%', end: '%}' } }

const PARTIAL = /\{%-?\s*render\s+(?:'([^'\n]*)'|"([^"\n]*)")\s*-?%\}/g
const RENDER = /\{%-?\s*render\b/g
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
    const problem = parseSource(field === 'previewText' ? 'html' : field, blank(written), `${key} source of ${field}`)
    if (problem !== undefined) problems.push({ field, problem, isOfSource: true })
  }
  if (problems.length > 0 || kind === 'PARTIAL') return { ...NOTHING, problems }
  begin('html')
  try {
    const { content, warnings } = await compileContent(input)
    const findings = check(content, key, begin)
    const found = findings.problems.map((each) => ({ ...inSource(each, source), isOfSource: false }))
    return { content, problems: found, warnings, unknownVariables: findings.unknownVariables }
  } catch (error) {
    if (error instanceof Problem)
      return { ...NOTHING, problems: [{ field: error.field, problem: error.message, isOfSource: true }] }
    // The libraries recurse into HTML: thousands of nested elements overflow the call stack.
    if (error instanceof RangeError) throw new FieldError('html', error)
    throw error
  }
}

const NOTHING = { content: null, warnings: [], unknownVariables: [] }

/** Reports a problem in a generated plain text as a problem of the HTML. */
const inSource = <Found extends { field: keyof EmailContent; problem: string }>(
  found: Found,
  { text }: CompileInput['source'],
) =>
  found.field !== 'text' || text
    ? found
    : {
        ...found,
        field: 'html' as const,
        problem: `the plain text generated from it fails: ${found.problem}. Write the plain text yourself, in text`,
      }

const blank = (source: string): string => source.replace(PARTIAL, (tag) => ' '.repeat(tag.length))

async function compileContent({ kind, source, layout, partials }: CompileInput): Promise<{
  content: EmailContent
  warnings: CompileProblem[]
}> {
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
  const whole = withPreview(compiled.html, previewText)
  return {
    content: {
      subject,
      html: whole,
      text: text ?? ofTemplate('no plain text can be generated from it', whole, () => textOfLiquid(whole)),
    },
    warnings: compiled.warnings,
  }
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
  if (depth === 0 && RENDER.test(whole)) {
    RENDER.lastIndex = 0
    throw new Problem(field, `a partial must be included as {% render 'footer' %}, without arguments`)
  }
  return whole
}

interface MjmlError {
  line: number
  message: string
  tagName: string
}
type Mjml = (source: string, options: object) => Promise<{ html: string; errors: MjmlError[] }>

let mjml: Promise<Mjml> | undefined

/** Loads MJML on first use, because that takes a moment. */
const loadMjml = () => (mjml ??= import('mjml').then((module) => module.default as Mjml))

/** The position of a character, in the format of all template problems. */
function placeOf(source: string, at: number): string {
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
  const compileSource = await loadMjml()
  const structure = findStructureProblems(written)
  const loss = structure.find(({ isLoss }) => isLoss)
  if (loss) throw new Problem('html', `${loss.problem}, ${placeOf(written, loss.at)}`)
  const previews = hasPreviewText ? [...written.matchAll(PREVIEW)] : []
  // The line breaks stay, so that all positions do.
  const source = hasPreviewText ? written.replace(PREVIEW, (preview) => preview.replace(/[^\n]+/g, '')) : written
  // Includes are ignored, so that no file is read.
  const options = { ignoreIncludes: true, keepComments: true }
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
  const dropped = findDropped(source, compiled.html)
  if (dropped !== undefined)
    throw new Problem('html', `Liquid between MJML tags is dropped: put it into <mj-raw>, ${placeOf(source, dropped)}`)
  const warnings = [
    ...structure.map(({ problem, at }) => `${problem}, ${placeOf(source, at)}`),
    ...previews.map(
      ({ index }) => `<mj-preview> is not used, because previewText replaces it, ${placeOf(written, index)}`,
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
  return broken ? explain(broken, source) : reasonOf(error, source)
}

/** Names that all objects have. The libraries look names of the source up in plain objects, and fail for these. */
const RESERVED = new RegExp(`(?<![\\w-])(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})(?![\\w-])`)

function reasonOf(error: unknown, source: string): string {
  const reserved = error instanceof TypeError ? RESERVED.exec(source) : null
  if (reserved)
    return `the name "${reserved[0]}" cannot be used for elements, attributes or styles, ${placeOf(source, reserved.index)}`
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!.slice(0, 300)
}

/** Finds the first Liquid tag that is missing from the compiled HTML. MJML silently drops text between its tags. */
function findDropped(source: string, compiled: string): number | undefined {
  const kept = likeInText(compiled)
  const seen = new Set<string>()
  for (const { 0: tag, index } of source.matchAll(/\{%-?\s*\w[^%]{0,500}%\}/g)) {
    if (seen.has(tag)) continue
    seen.add(tag)
    if (!kept.includes(likeInText(tag))) return index
  }
  return undefined
}

/** Normalizes characters that may be encoded differently in the result. */
const likeInText = (text: string): string =>
  text
    .replace(/\s+/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

function withInlineStyles(html: string): string {
  if (!/<style[\s>]/i.test(html)) return html
  return ofTemplate('its styles cannot be inlined', html, () =>
    juice(html, {
      preserveMediaQueries: true,
      preserveFontFaces: true,
      preserveKeyFrames: true,
      preservePseudos: true,
    }),
  )
}

/**
 * Runs a library on a template, and reports thrown errors as problems of the template. For example, juice 12 throws a TypeError
 * for a CSS property named `constructor`. The caller handles a stack overflow.
 */
function ofTemplate(what: string, html: string, run: () => string): string {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new Problem('html', `${what}: ${reasonOf(error, html)}`)
  }
}

const LIQUID = /(\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\})/

/**
 * Generates the plain text of HTML with Liquid. Each output and tag is replaced by a mark in the meantime, because it is not HTML:
 * its quotation marks would end an attribute.
 */
function textOfLiquid(html: string): string {
  const marks = new Map<string, string>()
  const marked = html
    .split(LIQUID)
    .map((part, n) => {
      if (n % 2 === 0) return part
      const mark = marks.get(part) ?? `\uE000${marks.size}\uE001`
      marks.set(part, mark)
      return mark
    })
    .join('')
  const tags = [...marks.keys()]
  return plainTextOf(marked).replace(/\uE000(\d+)\uE001/g, (mark, n) => tags[Number(n)] ?? mark)
}

/** Adds the preview text, which mail clients show after the subject but not in the body. */
function withPreview(html: string, previewText: string | null): string {
  if (previewText === null) return html
  const shown = previewText
    .split(LIQUID)
    .map((part, n) =>
      n % 2 === 1 ? part : part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    )
    .join('')
  const preview =
    `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${shown}` +
    // Keeps mail clients from showing the beginning of the body after it.
    `<span aria-hidden="true">${'&#847;&zwnj;&nbsp;'.repeat(30)}</span></div>`
  const body = /<body\b[^<>]*>/i.exec(html)
  return body
    ? html.slice(0, body.index + body[0].length) + preview + html.slice(body.index + body[0].length)
    : preview + html
}
