import {
  branchStart,
  type MachineState,
  type StepType,
  type StoredStep,
  successorOf,
} from '../automation-engine/index.ts'
import { planVersion, readVersions } from '../automations/index.ts'
import { lastInVersion, type OutdatedPosition, outdatedPositions } from '../enrollments/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import { emailsAhead } from './emails-ahead.ts'
import { moveTo } from './move-to.ts'

/** Counts of the enrollments that are at one step of an older version, by what a move would do to them. */
interface StepPreview {
  version: number
  /** `null` after the last step. */
  stepId: string | null
  stepName: string | null
  stepType: StepType | null
  inside: number
  stays: number
  rescheduled: number
  dueNow: number
  removed: number
  /** The step at which those at a removed step continue; `null` if they complete. */
  continuesAt: string | null
}

export interface Preview {
  version: number
  inside: number
  /** The most emails that they can still get in their versions. */
  emailsAhead: number
  steps: StepPreview[]
}

/**
 * Counts what a publication would do to the enrollments that are active now.
 *
 * @param change the steps and rules to publish; without them, the present ones
 * @throws {ApiError} `not-found`; `invalid`
 */
export async function previewPublication(
  em: EntityManager,
  workspaceId: string,
  automationId: string,
  change: Parameters<typeof planVersion>[3],
): Promise<Preview> {
  const plan = await planVersion(em, workspaceId, automationId, change)
  const now = Date.now()
  const versions = new Map<number, readonly StoredStep[]>()
  const found = new Map<string, StepPreview>()
  const preview: Preview = { version: plan.version, inside: 0, emailsAhead: 0, steps: [] }
  for (let afterId: string | null = null; ;) {
    const page: OutdatedPosition[] = await outdatedPositions(
      em,
      { automationId, version: plan.version },
      afterId,
      pageSizes.previewedMove,
    )
    const unknown = new Set(page.map(({ version }) => version).filter((version) => !versions.has(version)))
    for (const [version, { steps: stored }] of await readVersions(em, automationId, [...unknown]))
      versions.set(version, stored)
    for (const position of page) {
      const before = versions.get(position.version) ?? []
      const state = stateOf(before, position, now)
      preview.inside += 1
      preview.emailsAhead += emailsAhead(before, state)
      addTo(found, { before, after: plan.steps, version: position.version, state, now })
    }
    if (page.length < pageSizes.previewedMove) break
    afterId = page.at(-1)!.id
  }
  const placeOf = ({ version, stepId }: StepPreview) =>
    versions.get(version)?.findIndex(({ id }) => id === stepId) ?? -1
  preview.steps = [...found.values()].toSorted((a, b) => a.version - b.version || placeOf(a) - placeOf(b))
  return preview
}

function addTo(
  found: Map<string, StepPreview>,
  {
    before,
    after,
    version,
    state,
    now,
  }: {
    before: readonly StoredStep[]
    after: readonly StoredStep[]
    version: number
    state: MachineState
    now: number
  },
): void {
  const { stepId } = state
  const step = before.find(({ id }) => id === stepId)
  const key = `${version} ${stepId}`
  const counts = found.get(key) ?? {
    ...{ version, stepId: step?.id ?? null, stepName: step?.name ?? null, stepType: step?.type ?? null },
    ...{ inside: 0, stays: 0, rescheduled: 0, dueNow: 0, removed: 0, continuesAt: null },
  }
  found.set(key, counts)
  counts.inside += 1
  if (!step) return void (counts.stays += 1)
  const move = moveTo(before, after, state, { removedSteps: 'CONTINUE', now })
  switch (move.kind) {
    case 'stays':
      counts.stays += 1
      return
    case 'waits':
      counts[move.state.wakeAt! <= now ? 'dueNow' : 'rescheduled'] += 1
      return
    case 'reruns':
      counts[isDueNow(step, after, state, now) ? 'dueNow' : 'rescheduled'] += 1
      return
    case 'continues':
      counts.removed += 1
      counts.continuesAt = move.state.stepId
      return
    case 'ends':
      counts.removed += 1
  }
}

/** Returns whether a shorter WAIT_FOR_EVENT ends at once. The new end of a WAIT_UNTIL can depend on the contact. */
function isDueNow(step: StoredStep, after: readonly StoredStep[], { wakeAt }: MachineState, now: number): boolean {
  const kept = after.find(({ id }) => id === step.id)
  if (step.type !== 'WAIT_FOR_EVENT' || kept?.type !== 'WAIT_FOR_EVENT' || wakeAt === null) return false
  return wakeAt + (kept.timeoutMinutes - step.timeoutMinutes) * 60_000 <= now
}

/** Returns the state of a sequence, as far as the database knows it: which of the waits before its next step it is in. */
function stateOf(
  steps: readonly StoredStep[],
  { nextStepId, wakesAt, movedTo, passed: results }: OutdatedPosition,
  now: number,
): MachineState {
  const at = (stepId: string | null, waitingFor: MachineState['waitingFor'], wakeAt: number | null): MachineState => ({
    ...{ stepId, waitingFor, wakeAt, paused: false, changed: false },
  })
  const done = lastInVersion(steps, movedTo, results)
  const last = steps.findIndex(({ id }) => id === done?.stepId)
  const began = movedTo ? steps.findIndex(({ id }) => id === movedTo.stepId) : 0
  const waits = waitsFrom(steps, last === -1 ? began : positionAfter(steps, last, done?.branch))
  let end = wakesAt.getTime()
  let present: MachineState | undefined
  for (const wait of waits.toReversed()) {
    if (end > now) present = at(wait.id, 'time', end)
    end -= wait.delayMinutes * 60_000
  }
  const passed = steps[last === -1 && movedTo ? began : last]
  if (passed?.type === 'WAIT_UNTIL' && end > now) present = at(passed.id, 'time', end)
  if (present) return present
  const next = steps.find(({ id }) => id === nextStepId)
  const isWaiting = next?.type === 'WAIT_FOR_EVENT' && wakesAt.getTime() > now
  return isWaiting
    ? at(nextStepId, 'retry', wakesAt.getTime())
    : at(nextStepId, next?.type === 'EMAIL' ? 'email' : 'step', null)
}

const positionAfter = (steps: readonly StoredStep[], last: number, branch: string | undefined): number =>
  branch === undefined ? successorOf(steps, last) : branchStart(steps, last, branch)

/** The WAIT steps from a position on, until another step. */
function waitsFrom(steps: readonly StoredStep[], from: number) {
  const waits: Extract<StoredStep, { type: 'WAIT' }>[] = []
  let position = from
  for (let step = steps[position]; step?.type === 'WAIT'; step = steps[position]) {
    waits.push(step)
    position = successorOf(steps, position)
  }
  return waits
}
