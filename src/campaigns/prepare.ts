import type { ApiDependencies } from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { EmailCategory } from '../automation-engine/index.ts'
import {
  assertCompiles,
  type CompiledContents,
  compileTemplate,
  type Design,
  getTemplate,
  INVALID_TEMPLATE,
  lengthOf,
  MAX_CHARACTERS,
  MAX_COMPILING_MS,
  ignoredContentWarning,
  TEMPLATE_NOT_FOUND,
  warningsOf,
  type WrittenFormat,
  type WrittenTemplate,
} from '../templates/index.ts'
import type { AbTest, Variant, WinnerBy } from './ab-test.ts'
import type { CampaignSource } from './campaign.ts'
import type { RequestedAudience } from './audience.ts'
import { type CampaignContents, contentsOfDeletedTemplates, countOwnCharacters } from './contents-queries.ts'
import type { Campaign } from './entities.ts'

export interface CampaignInput {
  name?: string | undefined
  templateId?: string | null | undefined
  format?: WrittenFormat | undefined
  subject?: string | null | undefined
  previewText?: string | null | undefined
  html?: string | null | undefined
  text?: string | null | undefined
  design?: Design | undefined
  category?: EmailCategory | undefined
  audience?: RequestedAudience | undefined
  throttlePerHour?: number | null | undefined
  abTest?: AbTestInput | null | undefined
}

/** Each variant has a subject or a template. */
interface AbTestInput {
  variants: readonly { subject?: string | null | undefined; templateId?: string | null | undefined }[]
  testPercent: number
  winnerBy: WinnerBy
  afterMinutes: number
}

/** Content of a campaign, compiled: from a template, its own, or none yet. */
export interface CampaignContentInput {
  templateId: string | null
  templateVersion: number | null
  source: CampaignSource | null
  abTest: AbTest | null
}

export const CONTENT_MISSING: CampaignContentInput = {
  templateId: null,
  templateVersion: null,
  source: null,
  abTest: null,
}
const NO_CONTENT: CompiledContents = { content: null, translations: {} }

/**
 * Checks that a campaign with all its variants is no longer than one template may be, because a sender reads most of it.
 * @throws {ApiError} `invalid_template`
 */
function assertNotTooLong(own: number, variants: readonly CompiledContents[]): void {
  if (variants.reduce((sum, each) => sum + lengthOf(each), own) <= MAX_CHARACTERS) return
  throw new ApiError(INVALID_TEMPLATE, {
    param: '/abTest',
    message: `The campaign and its variants are longer than ${MAX_CHARACTERS.toLocaleString('en-US')} characters together, in all their languages. Remove variants, or shorten their templates`,
  })
}

const CONTENT_FIELDS = ['subject', 'previewText', 'html', 'text', 'design'] as const

/** Whether an input has a template, or content of its own. */
const hasContent = (input: CampaignInput): boolean =>
  input.templateId !== undefined || CONTENT_FIELDS.some((field) => input[field] !== undefined)

/** Whether a change affects only the A/B test. If so, the content stays unchanged. */
const changesOnlyTest = (input: CampaignInput): boolean => input.abTest !== undefined && !hasContent(input)

type Compiling = Pick<ApiDependencies, 'em' | 'renderer'>
/** Deadline by `performance.now()` for everything that one request compiles. */
type Timed = Compiling & { until: number }

const timed = ({ em, renderer }: Compiling): Timed => ({ em, renderer, until: performance.now() + MAX_COMPILING_MS })

/**
 * Compiles a change of a campaign's content. Runs before the transaction, because compiling takes a while.
 * @throws {ApiError} `invalid_template`; `template_not_found`; `busy`
 */
export async function prepareChange(
  dependencies: Compiling,
  workspaceId: string,
  input: CampaignInput,
  campaign: Campaign,
): Promise<Prepared> {
  if (!changesOnlyTest(input)) {
    const prepared = await prepareContent(dependencies, workspaceId, input)
    return { ...prepared, warnings: [...(prepared.said ? removalWarnings(input, campaign) : []), ...prepared.warnings] }
  }
  const { templateId, templateVersion, source, revision } = campaign
  const own = {
    templateId: templateId ?? null,
    templateVersion: templateVersion ?? null,
    source: source ?? null,
  }
  const written = input.abTest && (await readWrittenContent(dependencies, campaign, own))
  const { abTest, variants, warnings } = written
    ? await prepareTest(timed(dependencies), workspaceId, written, input.abTest)
    : NO_TEST
  assertNotTooLong(await countOwnCharacters(dependencies.em.fork(), campaign.id), variants)
  return { said: { ...own, abTest }, contents: { own: undefined, variants }, warnings, revision }
}

/** Warnings about content that a change removes implicitly: content is replaced as a whole. */
const removalWarnings = ({ templateId, abTest, ...words }: CampaignInput, campaign: Campaign): string[] => [
  ...CONTENT_FIELDS.filter(
    (field) => words[field] === undefined && campaign.source?.[field] != null && templateId == null,
  ).map((field) => `/${field} was removed: content is replaced as a whole, so pass every field that should stay`),
  ...(templateId === undefined && campaign.templateId != null
    ? ['/templateId was removed: the campaign has only the content of this request']
    : []),
  ...(abTest === undefined && campaign.abTest ? ['/abTest was removed: pass it again if it should stay'] : []),
]

/**
 * Reads a campaign's content: as written, from the version of its template that the campaign uses, or the compiled content if the
 * template was deleted.
 */
async function readWrittenContent(
  { em }: Compiling,
  { id, workspaceId }: Campaign,
  { templateId, templateVersion, source }: Omit<CampaignContentInput, 'abTest'>,
): Promise<WrittenTemplate> {
  if (templateId === null) return { ...(source ?? NO_WORDS), layoutId: null, translations: {} }
  const gone = await contentsOfDeletedTemplates(em.fork(), id)
  if (gone) {
    const translations = Object.entries(gone.translations).map(
      ([locale, content]) =>
        // A template without a subject uses the campaign's or a variant's.
        [
          locale,
          { ...NO_WORDS, ...content, subject: content.subject === gone.content?.subject ? null : content.subject },
        ] as const,
    )
    return { ...NO_WORDS, ...gone.content, layoutId: null, translations: Object.fromEntries(translations) }
  }
  return (await getTemplate(em.fork(), workspaceId, templateId, templateVersion ?? undefined)).written.source
}

const NO_WORDS = { format: 'HTML', subject: null, previewText: null, html: null, text: null } as const

/** Compiled content, and lint warnings about it. */
export interface Prepared {
  /** `undefined` if the content is not changed. */
  said: CampaignContentInput | undefined
  /** The content, compiled. */
  contents: CampaignContents | undefined
  warnings: readonly string[]
  /** The revision of the campaign that it was prepared from, if any. */
  revision?: number
}

/**
 * Compiles the content of a new or changed campaign.
 * @throws {ApiError} `invalid_template`; `template_not_found`; `busy`
 */
export async function prepareContent(given: Compiling, workspaceId: string, input: CampaignInput): Promise<Prepared> {
  const dependencies = timed(given)
  const { templateId, format = 'HTML', subject, previewText, html, text, design, abTest } = input
  if (!hasContent(input) && abTest === undefined) return { said: undefined, contents: undefined, warnings: [] }
  if (templateId != null) {
    const { version, written, compiled } = await emailTemplate(dependencies, workspaceId, templateId, '/templateId')
    const test = await prepareTest(dependencies, workspaceId, written, abTest)
    assertNotTooLong(lengthOf(compiled), test.variants)
    return {
      said: { templateId, templateVersion: version, source: null, abTest: test.abTest },
      contents: { own: compiled, variants: test.variants },
      warnings: [...ignoredContentWarning(input, written), ...test.warnings],
    }
  }
  const source = {
    format,
    subject: subject ?? null,
    previewText: previewText ?? null,
    html: html ?? null,
    text: text ?? null,
    ...(design && { design }),
  }
  const saysNothing = Object.entries(source).every(([field, said]) => field === 'format' || said === null)
  if (saysNothing && abTest == null)
    return { said: CONTENT_MISSING, contents: { own: NO_CONTENT, variants: [] }, warnings: [] }
  const written = { ...source, layoutId: null, translations: {} }
  const { compiled, warnings } = await compile(dependencies, workspaceId, written)
  const test = await prepareTest(dependencies, workspaceId, written, abTest)
  assertNotTooLong(lengthOf(compiled), test.variants)
  return {
    said: { ...CONTENT_MISSING, source, abTest: test.abTest },
    contents: { own: compiled, variants: test.variants },
    warnings: [...warnings, ...test.warnings],
  }
}

/** @throws {ApiError} `template_not_found` if the template does not exist or is not an email */
async function emailTemplate({ em }: Compiling, workspaceId: string, id: string, param: string) {
  const { template, written } = await getTemplate(em.fork(), workspaceId, id)
  if (template.kind !== 'EMAIL') throw new ApiError(TEMPLATE_NOT_FOUND, { param })
  return { version: written.version, written: written.source, compiled: written.compiled }
}

/** @param variant index in the A/B test; without it, the campaign's own content */
async function compile(
  { em, renderer, until }: Timed,
  workspaceId: string,
  written: WrittenTemplate,
  variant?: number,
) {
  const compilation = await compileTemplate(em, renderer, workspaceId, { kind: 'EMAIL', written, until })
  if (variant === undefined) assertCompiles(compilation)
  else assertCompiles(compilation, `abTest.variants[${variant}].`, `/abTest/variants/${variant}`)
  return { compiled: compilation.compiled, warnings: warningsOf(compilation) }
}

interface PreparedTest {
  abTest: AbTest | null
  /** Content of the variants. */
  variants: readonly CompiledContents[]
  warnings: readonly string[]
}

const NO_TEST: PreparedTest = { abTest: null, variants: [], warnings: [] }

/**
 * @param written the campaign's own content: a variant with its own subject shares everything else with it, also in other
 *   languages
 */
async function prepareTest(
  dependencies: Timed,
  workspaceId: string,
  written: WrittenTemplate,
  given: AbTestInput | null | undefined,
): Promise<PreparedTest> {
  if (!given) return NO_TEST
  const variants: Variant[] = []
  const contents: CompiledContents[] = []
  const warnings: string[] = []
  for (const [index, { subject = null, templateId = null }] of given.variants.entries()) {
    if (templateId !== null) {
      const param = `/abTest/variants/${index}/templateId`
      const { version, compiled } = await emailTemplate(dependencies, workspaceId, templateId, param)
      variants.push({ subject: null, templateId, templateVersion: version })
      contents.push(compiled)
      continue
    }
    const made = await compile(dependencies, workspaceId, { ...written, subject }, index)
    variants.push({ subject, templateId: null, templateVersion: null })
    contents.push(made.compiled)
    warnings.push(...made.warnings)
  }
  const { testPercent, winnerBy, afterMinutes } = given
  return { abTest: { variants, testPercent, winnerBy, afterMinutes }, variants: contents, warnings }
}
