import { assertSegmentsFit } from './check-conditions.ts'
import { isDeepStrictEqual } from 'node:util'
import { ApiError, invalid } from '../platform/api-error.ts'
import { AUTOMATION_NOT_FOUND, AUTOMATION_CONFIRMS_LIST, automationNeverActs } from './errors.ts'
import { hashesOf, restoreSteps, type Step, type StepInput, storeSteps } from './steps/index.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import { LockMode } from '@mikro-orm/core'
import { AutomationDraft, AutomationVersion, EmailContent, Automation } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { type EntryRules, type EventOrCondition, type ExitRule, eventKeysOf } from './rules.ts'
import { branchDepth, flattenSteps } from './step-tree.ts'
import { identifySteps } from './identify-steps.ts'
import { stepsOfAllVersions } from './version-queries.ts'
import { type StepIds, stepIdsOf, withStepIds } from './message-references.ts'
import { isOnlyConfirmationAutomation, storeContents } from './queries.ts'
import { findExistingLists } from '../lists/index.ts'
import { countSending, waitForSenders } from '../messages/index.ts'
import { enqueue } from '../outbox/index.ts'
import { findMissingPart } from './automation.ts'
import { beginSweeps, endSweeps } from './trigger-sweep.ts'
import { lockSegment } from './sweep-queries.ts'
import {
  type AutomationStatus,
  MAX_BRANCH_DEPTH,
  MAX_STEPS,
  type SendFailurePolicy,
  type StoredStep,
  canSend,
} from '../automation-engine/index.ts'
import { isId, newId } from '../platform/ids.ts'
import { foldName, type Trigger, type TriggerConfig, triggerKey } from '../triggers/index.ts'

export interface AutomationDetail {
  automation: Automation
  steps: Step[]
}

export interface AutomationInput {
  name: string
  description?: string | null | undefined
  status?: AutomationStatus | undefined
  trigger: Trigger
  triggerConfig?: TriggerConfig | undefined
  onSendFailure?: SendFailurePolicy | undefined
  entry?: EntryRules | undefined
  exitOn?: readonly ExitRule[] | undefined
  goal?: EventOrCondition | null | undefined
  steps?: StepInput[] | undefined
}

/** @throws {ApiError} `not-found` */
export async function getAutomation(em: EntityManager, workspaceId: string, id: string): Promise<AutomationDetail> {
  const fork = unitOf(em)
  const automation = isId(id) ? await fork.findOne(Automation, { id, workspaceId }) : null
  if (!automation) throw new ApiError(AUTOMATION_NOT_FOUND)
  return { automation, steps: await stepsOf(fork, automation) }
}

/** Creates an automation with the given ID. */
export function createAutomation(
  em: EntityManager,
  workspaceId: string,
  {
    name,
    description,
    status,
    trigger,
    triggerConfig = {},
    onSendFailure,
    entry,
    exitOn,
    goal,
    steps = [],
  }: AutomationInput,
  id = newId(),
): Promise<AutomationDetail> {
  return unitOf(em).transactional(async (fork) => {
    const given = { status: status ?? 'DRAFT', trigger, triggerConfig }
    assertTree(steps)
    await assertSegmentsFit(fork, workspaceId, { entry, exitOn, goal, steps })
    assertActs(given, steps)
    await assertListens(fork, workspaceId, given)
    const { steps: numbered, ids } = identifySteps(steps, [])
    const automation = fork.create(Automation, {
      id,
      workspaceId,
      name,
      description: description ?? null,
      status: status ?? 'DRAFT',
      trigger,
      triggerConfig,
      triggerKey: triggerKey(trigger, triggerConfig),
      onSendFailure: onSendFailure ?? 'CONTINUE',
      entry: withStepIds(entry ?? {}, ids, 'entry'),
      exitOn: withStepIds([...(exitOn ?? [])], ids, 'exitOn'),
      goal: withStepIds(goal ?? null, ids, 'goal'),
    })
    await fork.flush()
    if (automation.status === 'ACTIVE') await beginSweeps(fork, automation)
    await writeVersion(fork, automation, numbered)
    return { automation, steps: numbered }
  })
}

export type AutomationChange = {
  [Field in Exclude<keyof AutomationInput, 'steps'>]?: AutomationInput[Field] | undefined
}

/** Updates the given fields. Wakes paused enrollments if the automation sends again. */
export async function updateAutomation(
  em: EntityManager,
  workspaceId: string,
  id: string,
  change: AutomationChange,
  expected?: Revisions,
): Promise<AutomationDetail> {
  const { name, description, status, trigger, triggerConfig, onSendFailure, entry } = change
  return unitOf(em).transactional(async (fork) => {
    const automation = await lockAutomation(fork, workspaceId, id, expected)
    automation.revision += 1
    if (name !== undefined) automation.name = name
    if (description !== undefined) automation.description = description
    await assertSegmentsFit(fork, workspaceId, { entry, exitOn: change.exitOn, goal: change.goal })
    const asked = confirmedListOf(automation)
    const before = { status: automation.status, listensFor: [automation.trigger, automation.triggerConfig] }
    // While it is ACTIVE, this is the current version.
    if (automation.status === 'ACTIVE') automation.activeVersion = automation.version
    if (status !== undefined) {
      automation.status = status
      automation.pauseReason = null
    }
    if (trigger !== undefined) automation.trigger = trigger
    if (triggerConfig !== undefined) automation.triggerConfig = triggerConfig
    if (onSendFailure !== undefined) automation.onSendFailure = onSendFailure
    if (confirmedListOf(automation) !== asked || automation.status === 'ARCHIVED')
      await assertOtherConfirmationAutomation(fork, automation, asked)
    const steps = await stepsOf(fork, automation)
    const ids = stepIdsOf(steps.map((step) => ({ step })))
    if (entry !== undefined) automation.entry = withStepIds(entry, ids, 'entry')
    if (setLeaveRules(automation, change, ids)) {
      automation.version += 1
      await writeVersion(fork, automation, steps)
    }
    // An automation that is older than these rules can still be renamed.
    if (status !== undefined || trigger !== undefined || triggerConfig !== undefined) {
      assertActs(automation, steps)
      await assertListens(fork, workspaceId, automation)
    }
    automation.triggerKey = triggerKey(automation.trigger, automation.triggerConfig)
    const listensForOther = !isDeepStrictEqual(before.listensFor, [automation.trigger, automation.triggerConfig])
    if (automation.status !== 'ACTIVE') await endSweeps(fork, automation)
    else if (before.status !== 'ACTIVE' || listensForOther) await beginSweeps(fork, automation)
    // Even without a change: a client that sets ACTIVE again expects the activation time to be now.
    automation.updatedAt = new Date()
    // A change of the status does not affect the draft, which contains none: its base moves to the new revision.
    if (Object.entries(change).every(([field, value]) => field === 'status' || value === undefined)) {
      const { revision } = automation
      await fork.nativeUpdate(AutomationDraft, { automationId: id, basedOn: revision - 1 }, { basedOn: revision })
    }
    await fork.flush()
    if (status !== undefined && canSend(status)) {
      await enqueue(fork, { kind: 'WAKE_RETRIES', automationId: automation.id })
      await enqueue(fork, { kind: 'WAKE_PAUSED', automationId: automation.id })
    }
    return { automation, steps }
  })
}

/**
 * Waits for in-flight emails of an automation that no longer sends. None of its emails starts after this. An email that a slow
 * mail server delays still completes, but the wait ends earlier.
 */
export async function waitForSendingMessages(
  em: EntityManager,
  { id, status }: Pick<Automation, 'id' | 'status'>,
): Promise<void> {
  if (canSend(status)) return
  await waitForSenders(() => countSending(em.fork(), { automationId: id }))
}

/** Replaces all steps with a new version. Running enrollments keep the version they entered with. */
export async function replaceSteps(
  em: EntityManager,
  workspaceId: string,
  id: string,
  steps: readonly StepInput[],
  expected?: Revisions,
  rules: Pick<AutomationChange, 'entry' | 'exitOn' | 'goal'> = {},
): Promise<AutomationDetail> {
  return unitOf(em).transactional(async (fork) => {
    const automation = await lockAutomation(fork, workspaceId, id, expected)
    assertTree(steps)
    await assertSegmentsFit(fork, workspaceId, { ...rules, steps })
    assertActs(automation, steps)
    const { steps: numbered, ids } = identifySteps(steps, await stepsOfAllVersions(fork, id))
    if (rules.entry !== undefined) automation.entry = withStepIds(rules.entry, ids, 'entry')
    setLeaveRules(automation, rules, ids)
    automation.version += 1
    automation.revision += 1
    await writeVersion(fork, automation, numbered)
    return { automation, steps: numbered }
  })
}

/**
 * Returns the steps that a version would have, without creating it.
 *
 * @param change.steps without them, the present ones
 * @throws {ApiError} `not-found`; `invalid`
 */
export async function planVersion(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { steps, ...rules }: { steps?: readonly StepInput[] | undefined } & Parameters<typeof setLeaveRules>[1],
): Promise<{ version: number; steps: StoredStep[] }> {
  const { automation, steps: present } = await getAutomation(em, workspaceId, id)
  if (steps === undefined) {
    const planned = { exitOn: automation.exitOn, goal: automation.goal }
    const hasNewRules = setLeaveRules(planned, rules, stepIdsOf(present.map((step) => ({ step }))))
    return { version: automation.version + Number(hasNewRules), steps: storeSteps(present).stored }
  }
  assertTree(steps)
  const { steps: numbered } = identifySteps(steps, await stepsOfAllVersions(em, automation.id))
  // As Postgres returns it, to be compared with a stored version.
  const stored = JSON.parse(JSON.stringify(storeSteps(numbered).stored)) as StoredStep[]
  return { version: automation.version + 1, steps: stored }
}

const LISTENS_FOR_LISTS: readonly Trigger[] = ['LIST_ADDED', 'LIST_REQUESTED']

interface Triggered {
  status: AutomationStatus
  trigger: Trigger
  triggerConfig: TriggerConfig
}

/** @throws {ApiError} `invalid` if it is ACTIVE but would never send */
export function assertActs(automation: Triggered, steps: readonly StepInput[]): void {
  const never = automation.status === 'ACTIVE' ? findMissingPart(automation, steps) : undefined
  if (never) throw automationNeverActs(never)
}

/**
 * Checks that the list or segment of the trigger exists, and locks it against deletion until the transaction ends. A later
 * deletion finds the automation.
 *
 * @throws {ApiError} `invalid` if it is ACTIVE and its workspace does not have the list or segment
 */
async function assertListens(
  em: EntityManager,
  workspaceId: string,
  { status, trigger, triggerConfig: { listId, segmentId } }: Triggered,
): Promise<void> {
  if (status === 'ACTIVE' && trigger === 'SEGMENT_ENTERED' && segmentId !== undefined) {
    if (isId(segmentId) && (await lockSegment(em, workspaceId, segmentId))) return
    const why = 'triggerConfig.segmentId is not a segment of this workspace'
    throw automationNeverActs({ why, param: '/triggerConfig/segmentId' })
  }
  if (status !== 'ACTIVE' || !LISTENS_FOR_LISTS.includes(trigger) || listId === undefined) return
  const known = await findExistingLists(em, workspaceId, [listId], { lock: true })
  const why = 'triggerConfig.listId is not a list of this workspace'
  if (known.size === 0) throw automationNeverActs({ why, param: '/triggerConfig/listId' })
}

/** The list for which the automation sends confirmation emails. */
export const confirmedListOf = ({
  trigger,
  triggerConfig,
}: Pick<Automation, 'trigger' | 'triggerConfig'>): string | undefined =>
  trigger === 'LIST_REQUESTED' ? triggerConfig.listId : undefined

/** @throws {ApiError} `automation_confirms_list` */
export async function assertOtherConfirmationAutomation(
  em: EntityManager,
  { id, workspaceId }: Pick<Automation, 'id' | 'workspaceId'>,
  listId: string | undefined,
): Promise<void> {
  if (listId === undefined || !isId(listId)) return
  if (await isOnlyConfirmationAutomation(em, workspaceId, { id, listId })) throw new ApiError(AUTOMATION_CONFIRMS_LIST)
}

/** @throws {ApiError} `not-found` if the workspace has no such automation */
export async function assertAutomation(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const count = isId(id) ? await em.count(Automation, { id, workspaceId }) : 0
  if (count === 0) throw new ApiError(AUTOMATION_NOT_FOUND)
}

/** @throws {ApiError} `not-found` if the workspace has no such automation */
export async function findAutomation(em: EntityManager, workspaceId: string, id: string): Promise<Automation> {
  const automation = isId(id) ? await em.findOne(Automation, { id, workspaceId }) : null
  if (!automation) throw new ApiError(AUTOMATION_NOT_FOUND)
  return automation
}

/** @throws {ApiError} `not-found`; `revision_conflict` */
export async function lockAutomation(
  em: EntityManager,
  workspaceId: string,
  id: string,
  expected: Revisions,
): Promise<Automation> {
  const automation = isId(id)
    ? await em.findOne(Automation, { id, workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    : null
  if (!automation) throw new ApiError(AUTOMATION_NOT_FOUND)
  assertUnchanged(expected, automation.revision)
  return automation
}

/** Sets the given rules. @returns whether one changed, so that a new version is needed */
function setLeaveRules(
  automation: Pick<Automation, 'exitOn' | 'goal'>,
  { exitOn, goal }: { exitOn?: readonly ExitRule[] | undefined; goal?: EventOrCondition | null | undefined },
  ids: StepIds,
): boolean {
  const before = [automation.exitOn, automation.goal ?? null]
  if (exitOn !== undefined) automation.exitOn = withStepIds([...exitOn], ids, 'exitOn')
  if (goal !== undefined) automation.goal = withStepIds(goal, ids, 'goal')
  return !isDeepStrictEqual(before, [automation.exitOn, automation.goal ?? null])
}

/** @throws {ApiError} `invalid` if the steps are too many or too deep, or two have the same name */
export function assertTree(steps: readonly StepInput[]): void {
  const placed = flattenSteps(steps)
  if (placed.length > MAX_STEPS) throw invalid(`steps must not contain more than ${MAX_STEPS} steps in all`, '/steps')
  if (branchDepth(placed) > MAX_BRANCH_DEPTH)
    throw invalid(`steps must not nest branches deeper than ${MAX_BRANCH_DEPTH} levels`, '/steps')
  const names = new Set<string>()
  for (const { step, path, pointer } of placed) {
    const key = step.name == null ? undefined : foldName(step.name)
    if (key === undefined) continue
    if (names.has(key)) throw invalid(`${path}.name must be unique in the automation`, `${pointer}/name`)
    names.add(key)
  }
}

/** Stores the current version of the automation: its steps, and separately the contents of its emails. */
async function writeVersion(em: EntityManager, automation: Automation, steps: readonly Step[]): Promise<void> {
  const { id, version, exitOn, goal = null } = automation
  const { stored, contents } = storeSteps(steps)
  const eventKeys = eventKeysOf({ exitOn, goal }, stored)
  em.create(AutomationVersion, { automationId: id, version, steps: stored, exitOn, goal, eventKeys })
  await em.flush()
  await storeContents(em, id, contents)
}

/** Reads the steps of a version. */
export async function stepsOf(em: EntityManager, { id, version }: Pick<Automation, 'id' | 'version'>): Promise<Step[]> {
  const { steps } = await em.findOneOrFail(AutomationVersion, { automationId: id, version })
  const read = async (hashes: string[]): Promise<EmailContent[]> =>
    hashes.length > 0 ? em.find(EmailContent, { automationId: id, hash: { $in: hashes } }) : []
  const own = await read(hashesOf(steps))
  const translated = await read(own.flatMap(({ translations }) => Object.values(translations)))
  const byHash = [...own, ...translated].map(
    ({ hash, subject, html = null, text = null, translations, source = null }) =>
      [hash, { subject, html, text, translations, source }] as const,
  )
  return restoreSteps(steps, new Map(byHash))
}
