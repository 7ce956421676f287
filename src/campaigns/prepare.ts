import type { ApiDependencies } from '../http/index.ts'
import { ApiError } from '../platform/api-error.ts'
import type { TemplateFormat, TemplateSource } from '../rendering/index.ts'
import type { EmailCategory } from '../automation-engine/index.ts'
import {
  assertCompiles,
  type CompiledContents,
  compileTemplate,
  getTemplate,
  INVALID_TEMPLATE,
  lengthOf,
  MAX_CHARACTERS,
  MAX_COMPILING_MS,
  overruled,
  TEMPLATE_NOT_FOUND,
  warningsOf,
  type WrittenTemplate,
} from '../templates/index.ts'
import type { AbTest, Variant, WinnerBy } from './ab-test.ts'
import type { GivenAudience } from './audience.ts'
import { type CampaignContents, contentsOfDeletedTemplates, lengthOfOwn } from './contents-queries.ts'
import type { Campaign } from './entities.ts'

export interface CampaignInput {
  name?: string | undefined
  templateId?: string | null | undefined
  format?: TemplateFormat | undefined
  subject?: string | null | undefined
  previewText?: string | null | undefined
  html?: string | null | undefined
  text?: string | null | undefined
  category?: EmailCategory | undefined
  audience?: GivenAudience | undefined
  throttlePerHour?: number | null | undefined
  abTest?: GivenTest | null | undefined
}

/** Each of its variants has a subject, or a template. */
export interface GivenTest {
  variants: readonly { subject?: string | null | undefined; templateId?: string | null | undefined }[]
  testPercent: number
  winnerBy: WinnerBy
  afterMinutes: number
}

/** What a campaign says, compiled: of a template, or what it has itself; nothing yet. */
export interface CampaignContentInput {
  templateId: string | null
  templateVersion: number | null
  source: TemplateSource | null
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
 * A campaign and its variants are together no longer than one template may be: whoever sends it reads much of it.
 * @throws {ApiError} `invalid_template`
 */
function assertNotTooLong(own: number, variants: readonly CompiledContents[]): void {
  if (variants.reduce((sum, each) => sum + lengthOf(each), own) <= MAX_CHARACTERS) return
  throw new ApiError(INVALID_TEMPLATE, {
    param: '/abTest',
    message: `The campaign and its variants are longer than ${MAX_CHARACTERS.toLocaleString('en-US')} characters together, in all their languages: leave out variants, or shorten their templates`,
  })
}

/** Whether a change is of a campaign's A/B test, and not of what it says: that stays. */
const isOfTestAlone = ({ abTest, templateId, subject, previewText, html, text }: CampaignInput): boolean =>
  abTest !== undefined && [templateId, subject, previewText, html, text].every((said) => said === undefined)

type Compiling = Pick<ApiDependencies, 'em' | 'renderer'>
/** All that one request compiles ends then, by `performance.now()`. */
type Timed = Compiling & { until: number }

const timed = ({ em, renderer }: Compiling): Timed => ({ em, renderer, until: performance.now() + MAX_COMPILING_MS })

/**
 * Compiles what a campaign is to say: before the transaction, because it takes a while.
 * @throws {ApiError} `invalid_template`; `template_not_found`; `busy`
 */
export async function prepareChange(
  dependencies: Compiling,
  workspaceId: string,
  input: CampaignInput,
  campaign: Campaign,
): Promise<Prepared> {
  if (!isOfTestAlone(input)) {
    const prepared = await prepareContent(dependencies, workspaceId, input)
    return { ...prepared, warnings: [...(prepared.said ? goneBy(input, campaign) : []), ...prepared.warnings] }
  }
  const { templateId, templateVersion, source, revision } = campaign
  const own = {
    templateId: templateId ?? null,
    templateVersion: templateVersion ?? null,
    source: source ?? null,
  }
  const written = input.abTest && (await writtenBy(dependencies, campaign, own))
  const { abTest, variants, warnings } = written
    ? await prepareTest(timed(dependencies), workspaceId, written, input.abTest)
    : NO_TEST
  assertNotTooLong(await lengthOfOwn(dependencies.em.fork(), campaign.id), variants)
  return { said: { ...own, abTest }, contents: { own: undefined, variants }, warnings, revision }
}

const WORDS = ['subject', 'previewText', 'html', 'text'] as const

/** What of a campaign a change takes away without saying so: of what it says, all that is to stay is given again. */
const goneBy = ({ templateId, abTest, ...words }: CampaignInput, campaign: Campaign): string[] => [
  ...WORDS.filter((field) => words[field] === undefined && campaign.source?.[field] != null && templateId == null).map(
    (field) => `/${field} is gone: of what it says, all that is to stay is given again`,
  ),
  ...(templateId === undefined && campaign.templateId != null
    ? ['/templateId names none any more: it says what is given here, and nothing else']
    : []),
  ...(abTest === undefined && campaign.abTest ? ['/abTest is gone: give it again where it is to stay'] : []),
]

/** What a campaign says, as it was written; of a template, by the version that it has of it, and what was made of one that is deleted. */
async function writtenBy(
  { em }: Compiling,
  { id, workspaceId }: Campaign,
  { templateId, templateVersion, source }: Omit<CampaignContentInput, 'abTest'>,
): Promise<WrittenTemplate> {
  if (templateId === null) return { ...(source ?? NO_WORDS), layoutId: null, translations: {} }
  const gone = await contentsOfDeletedTemplates(em.fork(), id)
  if (gone) {
    const translations = Object.entries(gone.translations).map(
      ([locale, content]) =>
        // One that said no subject of its own has the campaign's, or a variant's.
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

/** What is said, and what of it is most likely not meant. */
export interface Prepared {
  /** `undefined`: nothing is said of that. */
  said: CampaignContentInput | undefined
  /** That, compiled. */
  contents: CampaignContents | undefined
  warnings: readonly string[]
  /** Which revision of the campaign it is made of, where it is of one. */
  revision?: number
}

/**
 * Compiles what a new campaign is to say, or another one is to say from now on.
 * @throws {ApiError} `invalid_template`; `template_not_found`; `busy`
 */
export async function prepareContent(given: Compiling, workspaceId: string, input: CampaignInput): Promise<Prepared> {
  const dependencies = timed(given)
  const { templateId, format = 'HTML', subject, previewText, html, text, abTest } = input
  if ([templateId, subject, previewText, html, text, abTest].every((field) => field === undefined))
    return { said: undefined, contents: undefined, warnings: [] }
  if (templateId != null) {
    const { version, written, compiled } = await emailTemplate(dependencies, workspaceId, templateId, '/templateId')
    const test = await prepareTest(dependencies, workspaceId, written, abTest)
    assertNotTooLong(lengthOf(compiled), test.variants)
    return {
      said: { templateId, templateVersion: version, source: null, abTest: test.abTest },
      contents: { own: compiled, variants: test.variants },
      warnings: [...overruled(input, written), ...test.warnings],
    }
  }
  const source = {
    format,
    subject: subject ?? null,
    previewText: previewText ?? null,
    html: html ?? null,
    text: text ?? null,
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

/** @throws {ApiError} `template_not_found` where it is none that is an email */
async function emailTemplate({ em }: Compiling, workspaceId: string, id: string, param: string) {
  const { template, written } = await getTemplate(em.fork(), workspaceId, id)
  if (template.kind !== 'EMAIL') throw new ApiError(TEMPLATE_NOT_FOUND, { param })
  return { version: written.version, written: written.source, compiled: written.compiled }
}

/** @param variant which of an A/B test's it is of; none: the campaign itself */
async function compile(
  { em, renderer, until }: Timed,
  workspaceId: string,
  written: WrittenTemplate,
  variant?: number,
) {
  const compilation = await compileTemplate(em, renderer, workspaceId, { kind: 'EMAIL', written, until })
  if (variant === undefined) assertCompiles(compilation)
  else assertCompiles(compilation, `abTest.variants[${variant}].`, `/abTest/variants/${variant}`)
  return { compiled: compilation.compiled, warnings: warningsOf(compilation.unknownVariables) }
}

interface PreparedTest {
  abTest: AbTest | null
  /** What its variants say. */
  variants: readonly CompiledContents[]
  warnings: readonly string[]
}

const NO_TEST: PreparedTest = { abTest: null, variants: [], warnings: [] }

/** @param written what the campaign says itself: a variant of its subject says all else as that does, in other languages too */
async function prepareTest(
  dependencies: Timed,
  workspaceId: string,
  written: WrittenTemplate,
  given: GivenTest | null | undefined,
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
