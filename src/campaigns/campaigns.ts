import { LockMode } from '@mikro-orm/core'
import type { ApiDependencies } from '../http/index.ts'
import { countSendingOfCampaign, waitForSenders, wakeRetriesOfCampaign } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { type Call, whenDurable } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { AS_IT_IS, unitOf } from '../platform/db/sql.ts'
import { isId, newId } from '../platform/ids.ts'
import { CONFLICT, Refusal } from '../platform/refusal.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import type { TemplateFormat, TemplateSource } from '../rendering/index.ts'
import { getSender } from '../senders/index.ts'
import type { EmailCategory } from '../sequences/index.ts'
import {
  assertCompiles,
  type CompiledContents,
  compileTemplate,
  getTemplate,
  INVALID_TEMPLATE,
  lengthOf,
  MOST_CHARACTERS,
  TEMPLATE_NOT_FOUND,
  warningsOf,
  type WrittenTemplate,
} from '../templates/index.ts'
import type { AbTest, Variant, WinnerBy } from './ab-test.ts'
import { audienceOf, countAudience, type GivenAudience } from './audience.ts'
import type { CampaignStatus } from './campaign.ts'
import { type CampaignContents, headsOf, lengthOfOwn, writeContents } from './contents-queries.ts'
import { Campaign } from './entities.ts'
import { localTimes, spanOf } from './local-time.ts'
import { enqueueCampaign, hasOpen } from './queries.ts'
import {
  CAMPAIGN_INCOMPLETE,
  CAMPAIGN_NOT_FOUND,
  CAMPAIGN_STATUS_WRONG,
  CAMPAIGN_TO_NOBODY,
  IN_THE_PAST,
} from './refusals.ts'

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
export interface Said {
  templateId: string | null
  templateVersion: number | null
  source: TemplateSource | null
  abTest: AbTest | null
}

const NOTHING_SAID: Said = { templateId: null, templateVersion: null, source: null, abTest: null }
const NO_CONTENT: CompiledContents = { content: null, translations: {} }

/**
 * A campaign and its variants are together no longer than one template may be: whoever sends it reads much of it.
 * @throws {Refusal} `invalid_template`
 */
function assertNotTooLong(own: number, variants: readonly CompiledContents[]): void {
  if (variants.reduce((sum, each) => sum + lengthOf(each), own) <= MOST_CHARACTERS) return
  throw new Refusal(INVALID_TEMPLATE, {
    param: '/abTest',
    message: `The campaign and its variants are longer than ${MOST_CHARACTERS.toLocaleString('en-US')} characters together, in all their languages: leave out variants, or shorten their templates`,
  })
}

/** Whether a change is of a campaign's A/B test, and not of what it says: that stays. */
const isOfTestAlone = ({ abTest, templateId, subject, previewText, html, text }: CampaignInput): boolean =>
  abTest !== undefined && [templateId, subject, previewText, html, text].every((said) => said === undefined)

type Compiling = Pick<ApiDependencies, 'em' | 'renderer'>

/**
 * Compiles what a campaign is to say: before the transaction, because it takes a while.
 * @throws {Refusal} `invalid_template`; `template_not_found`; `busy`
 */
export async function prepareChange(
  dependencies: Compiling,
  workspaceId: string,
  input: CampaignInput,
  campaign: Campaign,
): Promise<Prepared> {
  if (!isOfTestAlone(input)) return prepareContent(dependencies, workspaceId, input)
  const { templateId, templateVersion, source, revision } = campaign
  const own = {
    templateId: templateId ?? null,
    templateVersion: templateVersion ?? null,
    source: source ?? null,
  }
  const written = input.abTest && (await writtenBy(dependencies, workspaceId, own))
  const { abTest, variants, warnings } = written
    ? await prepareTest(dependencies, workspaceId, written, input.abTest)
    : NO_TEST
  assertNotTooLong(await lengthOfOwn(dependencies.em.fork(), campaign.id), variants)
  return { said: { ...own, abTest }, contents: { own: undefined, variants }, warnings, revision }
}

/** What a campaign says, as it was written; of a template, by the version that it has of it. */
async function writtenBy(
  { em }: Compiling,
  workspaceId: string,
  { templateId, templateVersion, source }: Omit<Said, 'abTest'>,
): Promise<WrittenTemplate> {
  if (templateId !== null)
    return (await getTemplate(em.fork(), workspaceId, templateId, templateVersion ?? undefined)).written.source
  return { ...(source ?? NO_WORDS), layoutId: null, translations: {} }
}

const NO_WORDS = { format: 'HTML', subject: null, previewText: null, html: null, text: null } as const

/** What is said, and what of it is most likely not meant. */
export interface Prepared {
  /** `undefined`: nothing is said of that. */
  said: Said | undefined
  /** That, compiled. */
  contents: CampaignContents | undefined
  warnings: readonly string[]
  /** Which revision of the campaign it is made of, where it is of one. */
  revision?: number
}

/**
 * Compiles what a new campaign is to say, or another one is to say from now on.
 * @throws {Refusal} `invalid_template`; `template_not_found`; `busy`
 */
export async function prepareContent(
  dependencies: Compiling,
  workspaceId: string,
  input: CampaignInput,
): Promise<Prepared> {
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
      warnings: test.warnings,
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
    return { said: NOTHING_SAID, contents: { own: NO_CONTENT, variants: [] }, warnings: [] }
  const written = { ...source, layoutId: null, translations: {} }
  const { compiled, warnings } = await compile(dependencies, workspaceId, written)
  const test = await prepareTest(dependencies, workspaceId, written, abTest)
  assertNotTooLong(lengthOf(compiled), test.variants)
  return {
    said: { ...NOTHING_SAID, source, abTest: test.abTest },
    contents: { own: compiled, variants: test.variants },
    warnings: [...warnings, ...test.warnings],
  }
}

/** @throws {Refusal} `template_not_found` where it is none that is an email */
async function emailTemplate({ em }: Compiling, workspaceId: string, id: string, param: string) {
  const { template, written } = await getTemplate(em.fork(), workspaceId, id)
  if (template.kind !== 'EMAIL') throw new Refusal(TEMPLATE_NOT_FOUND, { param })
  return { version: written.version, written: written.source, compiled: written.compiled }
}

async function compile({ em, renderer }: Compiling, workspaceId: string, written: WrittenTemplate) {
  const compilation = await compileTemplate(em, renderer, workspaceId, { kind: 'EMAIL', written })
  assertCompiles(compilation)
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
  dependencies: Compiling,
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
    const made = await compile(dependencies, workspaceId, { ...written, subject })
    variants.push({ subject, templateId: null, templateVersion: null })
    contents.push(made.compiled)
    warnings.push(...made.warnings)
  }
  const { testPercent, winnerBy, afterMinutes } = given
  return { abTest: { variants, testPercent, winnerBy, afterMinutes }, variants: contents, warnings }
}

/** @throws {Refusal} `campaign_not_found` */
export async function getCampaign(em: EntityManager, workspaceId: string, id: string): Promise<Campaign> {
  const campaign = isId(id) ? await unitOf(em).findOne(Campaign, { id, workspaceId }, AS_IT_IS) : null
  if (!campaign) throw new Refusal(CAMPAIGN_NOT_FOUND)
  return campaign
}

async function lockCampaign(
  unit: EntityManager,
  workspaceId: string,
  id: string,
  expected?: Revisions,
): Promise<Campaign> {
  const campaign = isId(id)
    ? await unit.findOne(Campaign, { id, workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
    : null
  if (!campaign) throw new Refusal(CAMPAIGN_NOT_FOUND)
  assertUnchanged(expected, campaign.revision)
  return campaign
}

/** Creates a campaign, as a DRAFT. @throws {Refusal} `list_not_found`; `segment_not_found` */
export function createCampaign(
  em: EntityManager,
  workspaceId: string,
  { name = '', category, audience, throttlePerHour }: CampaignInput,
  { said, contents }: Prepared,
  id = newId(),
): Promise<Campaign> {
  return unitOf(em).transactional(async (unit) => {
    const campaign = unit.create(Campaign, {
      id,
      workspaceId,
      name,
      status: 'DRAFT',
      ...(category !== undefined && { category }),
      audience: await audienceOf(unit, workspaceId, audience),
      throttlePerHour: throttlePerHour ?? null,
      ...(said ?? NOTHING_SAID),
    })
    await unit.flush()
    if (contents) await writeContents(unit, id, contents)
    return campaign
  })
}

const wrong = (status: CampaignStatus, what: string): Refusal =>
  new Refusal(CAMPAIGN_STATUS_WRONG, { message: `The campaign is ${status}: ${what}` })

/** Changes a DRAFT. @throws {Refusal} `campaign_not_found`; `campaign_status_wrong`; `changed_meanwhile`; `conflict` */
export function updateCampaign(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { name, category, audience, throttlePerHour }: CampaignInput,
  { said, contents, revision }: Prepared,
  expected: Revisions,
): Promise<Campaign> {
  return unitOf(em).transactional(async (unit) => {
    const campaign = await lockCampaign(unit, workspaceId, id, expected)
    if (campaign.status !== 'DRAFT') throw wrong(campaign.status, 'only a DRAFT can be changed')
    // What it is made of was said before somebody said something else.
    if (revision !== undefined && revision !== campaign.revision) throw new Refusal(CONFLICT)
    if (name !== undefined) campaign.name = name
    if (category !== undefined) campaign.category = category
    if (audience !== undefined) campaign.audience = await audienceOf(unit, workspaceId, audience)
    if (throttlePerHour !== undefined) campaign.throttlePerHour = throttlePerHour
    if (said) Object.assign(campaign, said)
    if (contents) await writeContents(unit, id, contents)
    return touch(unit, campaign)
  })
}

async function touch(unit: EntityManager, campaign: Campaign): Promise<Campaign> {
  campaign.revision += 1
  campaign.updatedAt = new Date()
  await unit.flush()
  return campaign
}

export interface Schedule {
  at?: string | undefined
  localTime?: string | undefined
  fallbackTimeZone?: string | undefined
}

/** @throws {Refusal} `campaign_incomplete` where the best variant could not be found, or sent when it is to be */
async function assertTestable(
  unit: EntityManager,
  campaign: Campaign,
  variants: Awaited<ReturnType<typeof headsOf>>,
  localTime: string | undefined,
): Promise<void> {
  const lacks = (message: string) => new Refusal(CAMPAIGN_INCOMPLETE, { message })
  const test = campaign.abTest!
  if (variants.length < test.variants.length || variants.some((one) => !one?.subject.trim() || !one.saysSomething))
    throw lacks('Each variant of an A/B test needs a subject and something to say')
  if (test.testPercent === 100) return
  if (localTime !== undefined)
    throw lacks('An A/B test with a rest cannot be sent at a localTime: the rest is sent when it is decided')
  const sender = await getSender(unit, campaign.workspaceId)
  const [isLooked, field] =
    test.winnerBy === 'OPENED' ? [sender?.trackOpens, 'trackOpens'] : [sender?.trackClicks, 'trackClicks']
  if (campaign.category !== 'marketing' || isLooked !== true)
    throw lacks(
      `Nobody would know which variant is ${test.winnerBy}: set ${field} with PUT /sender; only marketing emails are looked at`,
    )
}

/** How late a time may be that counts as now, in milliseconds: clocks differ. */
const PAST_MS = 60_000

/**
 * Has a DRAFT sent, at a time or at once. Whom it is for is decided when it begins.

 * @param expected what it was when it was looked at
 * @throws {Refusal} `campaign_incomplete`; `campaign_to_nobody`; `in_the_past`; `campaign_status_wrong`; `changed_meanwhile`
 */
export function scheduleCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  { at, localTime, fallbackTimeZone }: Schedule,
  call: Call,
  expected: Revisions,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, async (unit, campaign) => {
    assertUnchanged(expected, campaign.revision)
    if (campaign.status !== 'DRAFT') throw wrong(campaign.status, 'only a DRAFT can be scheduled')
    const [own, ...variants] = await headsOf(unit, id)
    if (!own?.saysSomething) throw new Refusal(CAMPAIGN_INCOMPLETE)
    if (own.subject.trim() === '')
      throw new Refusal(CAMPAIGN_INCOMPLETE, { message: 'A campaign needs a subject before it is sent' })
    if (campaign.abTest) await assertTestable(unit, campaign, variants, localTime)
    const { listIds, segmentIds } = campaign.audience
    if (listIds.length + segmentIds.length === 0) {
      throw new Refusal(CAMPAIGN_INCOMPLETE, {
        message: 'A campaign needs an audience before it is sent: name lists or segments in audience',
      })
    }
    if ((await countAudience(unit, workspaceId, campaign.audience, { lock: true })) === 0)
      throw new Refusal(CAMPAIGN_TO_NOBODY)
    const begins = at === undefined ? new Date() : new Date(at)
    const span = localTime === undefined ? undefined : spanOf(localTimes(localTime, fallbackTimeZone ?? 'UTC'))
    const { first, last } = span ?? { first: begins, last: begins }
    // Where it is that time already in some zones, whoever is there gets it at once; where it was in all, nobody is meant.
    if (last.getTime() < Date.now() - PAST_MS)
      throw new Refusal(IN_THE_PAST, {
        param: span ? '/localTime' : '/at',
        message: `${span ? 'localTime' : 'at'} must be a time that is not past`,
      })
    campaign.status = 'SCHEDULED'
    campaign.scheduledAt = first
    campaign.localTime = localTime ?? null
    campaign.fallbackTimeZone = span ? (fallbackTimeZone ?? 'UTC') : null
  })
}

/** Stops it where it is: no email of it begins after the answer. @throws {Refusal} `campaign_status_wrong` */
export async function pauseCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, (_unit, campaign) => {
    const { status } = campaign
    if (status !== 'SCHEDULED' && status !== 'SENDING')
      throw wrong(status, 'only one that is SCHEDULED or SENDING can be paused')
    campaign.pausedFrom = status
    campaign.status = 'PAUSED'
  })
}

/** Goes on with those who were not mailed. @throws {Refusal} `campaign_status_wrong`; `list_not_found`, `segment_not_found` where its audience is not what it was */
export async function resumeCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, async (unit, campaign) => {
    if (campaign.status !== 'PAUSED') throw wrong(campaign.status, 'only one that is PAUSED can be resumed')
    if (!campaign.walked) await audienceOf(unit, workspaceId, campaign.audience, { lock: true })
    campaign.status = campaign.pausedFrom ?? 'SENDING'
    campaign.pausedFrom = null
    await wakeRetriesOfCampaign(unit, id)
  })
}

/** Ends it: whoever was not mailed yet is not. What was not begun is a DRAFT again. @throws {Refusal} `campaign_status_wrong` */
export async function cancelCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, (_unit, campaign) => {
    const { status } = campaign
    if (status !== 'SCHEDULED' && status !== 'SENDING' && status !== 'PAUSED')
      throw wrong(status, 'only one that is SCHEDULED, SENDING or PAUSED can be cancelled')
    if (campaign.startedAt == null) {
      campaign.status = 'DRAFT'
      campaign.scheduledAt = null
      campaign.localTime = null
    } else {
      campaign.status = 'CANCELLED'
      campaign.finishedAt = new Date()
    }
    campaign.pausedFrom = null
  })
}

/** Deletes one that is sent to nobody any more. What it has sent stays with its contacts. @throws {Refusal} `campaign_status_wrong` */
export async function deleteCampaign(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  await unitOf(em).transactional(async (unit) => {
    const { status } = await lockCampaign(unit, workspaceId, id)
    if (status === 'SCHEDULED' || status === 'SENDING' || status === 'PAUSED') throw wrong(status, 'cancel it first')
    // Behind this nobody would settle it.
    if (await hasOpen(unit, id))
      throw wrong(status, 'what it was still to send is being left at this moment; please try again')
    await unit.nativeDelete(Campaign, { id })
  })
}

/** Changes it, has its workflow look what is next, and waits for the emails that are being handed over where it sends no more. */
async function change(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
  how: (unit: EntityManager, campaign: Campaign) => void | Promise<void>,
): Promise<Campaign> {
  const { campaign, due } = await unitOf(dependencies.em).transactional(async (unit) => {
    const locked = await lockCampaign(unit, workspaceId, id)
    await how(unit, locked)
    await touch(unit, locked)
    return { campaign: locked, due: await enqueueCampaign(unit, workspaceId, locked.id) }
  })
  await whenDurable(dependencies, call, async () => {
    await dependencies.deliverAtOnce(dependencies, due)
    if (campaign.status === 'PAUSED' || campaign.status === 'CANCELLED')
      await waitForSenders(() => countSendingOfCampaign(dependencies.em.fork(), campaign.id))
  })
  return campaign
}
