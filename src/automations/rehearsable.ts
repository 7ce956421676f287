import type { StoredStep } from '../automation-engine/index.ts'
import { ApiError, invalid } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { idOfValues, isId } from '../platform/ids.ts'
import type { EmailContent } from '../rendering/index.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'
import { assertActs, assertTree, type AutomationInput, findAutomation, stepsOf } from './automations.ts'
import { assertSegmentsFit } from './check-conditions.ts'
import { AutomationVersion } from './entities.ts'
import { VERSION_NOT_FOUND } from './errors.ts'
import { identifySteps } from './identify-steps.ts'
import { stepIdsOf, withStepIds } from './message-references.ts'
import type { EntryRules, EventOrCondition, ExitRule } from './rules.ts'
import { flattenSteps } from './step-tree.ts'
import { type Step, type StepInput, storeSteps } from './steps/index.ts'

/** An automation as a rehearsal runs it: a version, or one with changes that are not published. */
export interface Rehearsable {
  id: string
  /** `null` with changes that are not published. */
  version: number | null
  /** Whether the automation has ever been active. */
  wasActive: boolean
  trigger: Trigger
  triggerConfig: TriggerConfig
  entry: EntryRules
  exitOn: readonly ExitRule[]
  goal: EventOrCondition | null
  steps: readonly StoredStep[]
  /** The contents of its emails by step ID, with those in other languages by locale. */
  emails: ReadonlyMap<string, EmailContent & { translations: Record<string, EmailContent> }>
}

/** Changes to an automation that are not published. */
interface UnpublishedChange {
  steps?: readonly StepInput[] | undefined
  entry?: EntryRules | undefined
  exitOn?: readonly ExitRule[] | undefined
  goal?: EventOrCondition | null | undefined
}

/**
 * Reads an automation to rehearse it.
 *
 * @param version by default the current one
 * @throws {ApiError} `automation_not_found`; `version_not_found`
 */
export async function readRehearsable(
  em: EntityManager,
  workspaceId: string,
  id: string,
  version?: number,
): Promise<Rehearsable> {
  const unit = unitOf(em)
  const automation = await findAutomation(unit, workspaceId, id)
  const { trigger, triggerConfig, entry } = automation
  const wasActive = automation.status === 'ACTIVE' || automation.activeVersion !== null
  const of = { automationId: id, version: version ?? automation.version }
  const found = await unit.findOne(AutomationVersion, of)
  if (!found) throw new ApiError(VERSION_NOT_FOUND)
  const steps = await stepsOf(unit, { id, version: of.version })
  const { exitOn, goal = null } = found
  return { id, version: of.version, wasActive, trigger, triggerConfig, entry, exitOn, goal, ...storedAs(steps) }
}

/**
 * Returns an automation with changes, as if they were published. New steps keep their IDs, too, so that the caller finds them in the
 * result.
 *
 * @throws {ApiError} `invalid`
 */
export async function withChange(
  em: EntityManager,
  workspaceId: string,
  present: Rehearsable,
  change: UnpublishedChange,
): Promise<Rehearsable> {
  const unit = unitOf(em)
  const given = change.steps
  if (given !== undefined) assertTree(given)
  await assertSegmentsFit(unit, workspaceId, change)
  const known = await stepsOf(unit, { id: present.id, version: present.version! })
  const { steps, ids } =
    given === undefined
      ? { steps: known, ids: stepIdsOf(known.map((step) => ({ step }))) }
      : identifySteps(given, givenStepsOf(given))
  return {
    ...present,
    version: null,
    entry: change.entry === undefined ? present.entry : withStepIds(change.entry, ids, 'entry'),
    exitOn: change.exitOn === undefined ? present.exitOn : withStepIds([...change.exitOn], ids, 'exitOn'),
    goal: change.goal === undefined ? present.goal : withStepIds(change.goal, ids, 'goal'),
    ...storedAs(steps),
  }
}

const givenStepsOf = (steps: readonly StepInput[]) =>
  flattenSteps(steps).flatMap(({ step: { id, type } }) => (id !== undefined && isId(id) ? [{ id, type }] : []))

/** Returns the ID of a step: the one in the request if it is a UUID, and otherwise one that is always the same for its automation. */
export const stepIdIn = (automationId: string, given: string): string =>
  isId(given) ? given : idOfValues(automationId, given)

/**
 * Returns the automation of a request, without a database: the segments and templates to which it refers are not checked. The IDs of
 * steps are those of `stepIdIn`.
 *
 * @throws {ApiError} `invalid`; `automation_never_acts`
 */
export function asRehearsable(
  id: string,
  { trigger, triggerConfig = {}, status = 'DRAFT', entry, exitOn, goal, steps: given = [] }: AutomationInput,
): Rehearsable {
  assertTree(given)
  assertActs({ status, trigger, triggerConfig }, given)
  assertDistinctIds(given)
  const { steps, ids } = identifySteps(given, [], ({ step, path }) => stepIdIn(id, step.id ?? path))
  return {
    ...{ id, version: null, wasActive: false, trigger, triggerConfig },
    entry: withStepIds(entry ?? {}, ids, 'entry'),
    exitOn: withStepIds([...(exitOn ?? [])], ids, 'exitOn'),
    goal: withStepIds(goal ?? null, ids, 'goal'),
    ...storedAs(steps),
  }
}

function assertDistinctIds(steps: readonly StepInput[]): void {
  const seen = new Set<string>()
  for (const { step, path, pointer } of flattenSteps(steps)) {
    if (step.id === undefined) continue
    if (seen.has(step.id)) throw invalid(`${path}.id must be unique in the automation`, `${pointer}/id`)
    seen.add(step.id)
  }
}

function storedAs(steps: readonly Step[]): Pick<Rehearsable, 'steps' | 'emails'> {
  const emails = steps.flatMap((step) => {
    if (step.type !== 'EMAIL') return []
    const { id, subject, html, text, translations } = step
    return [[id, { subject, html, text, translations }] as const]
  })
  return { steps: storeSteps(steps).stored, emails: new Map(emails) }
}
