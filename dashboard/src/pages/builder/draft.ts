import type { Schemas } from '../../api/client.ts'
import type { Loose } from '../../components/conditions/condition.ts'
import { type Trigger, TRIGGERS } from '../automations/triggers.ts'
import { insertSteps, mapStep, moveStep, type Place, removeStep, indexTree, shiftStep } from './step-tree.ts'
import { readSteps, type Step, type StepFields } from './steps.ts'

type Automation = Schemas['Automation']

/** A reason to leave: an event of the contact, or a condition on the contact. */
export type LeaveRule = { eventName: string; filter?: Loose | null } | { condition: Loose }
export type ExitRule = LeaveRule | { event: 'unsubscribed' }

export interface EntryRules {
  filter?: Loose | null
  reentry?: 'ALWAYS' | 'ONCE' | { afterMinutes: number }
  concurrency?: 'ONE' | { key: string }
}

/** The editable content of an automation, complete or not. */
export interface AutomationDraft {
  name: string
  trigger: Trigger
  triggerConfig: Record<string, unknown>
  onSendFailure: Automation['onSendFailure']
  entry: EntryRules
  exitOn: readonly ExitRule[]
  goal: LeaveRule | null
  steps: readonly Step[]
}

export const draftOf = ({
  name,
  trigger,
  triggerConfig,
  onSendFailure,
  entry,
  exitOn,
  goal,
  steps,
}: Automation): AutomationDraft => ({
  name,
  trigger,
  triggerConfig,
  onSendFailure,
  entry,
  exitOn: exitOn as unknown as ExitRule[],
  goal: goal as LeaveRule | null,
  steps: readSteps(steps) ?? [],
})

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a stored draft. @returns `undefined` if another client stored it in another form */
export function parseDraft(content: unknown): AutomationDraft | undefined {
  const { sequence } = (content ?? {}) as { sequence?: Record<string, unknown> }
  if (!isRecord(sequence)) return undefined
  // Drafts stored by earlier versions lack these fields.
  const { name, trigger, triggerConfig, onSendFailure = 'CONTINUE', entry = {}, exitOn = [], goal = null } = sequence
  const steps = readSteps(sequence['steps'])
  const isOurs =
    typeof name === 'string' &&
    Object.hasOwn(TRIGGERS, String(trigger)) &&
    isRecord(triggerConfig) &&
    isRecord(entry) &&
    Array.isArray(exitOn) &&
    [...(exitOn as unknown[]), ...(goal === null ? [] : [goal])].every(isLeaveRule)
  if (!isOurs || !steps) return undefined
  return { ...sequence, name, trigger, triggerConfig, onSendFailure, entry, exitOn, goal, steps } as AutomationDraft
}

const isLeaveRule = (rule: unknown): boolean =>
  isRecord(rule) &&
  (typeof rule['eventName'] === 'string' || isRecord(rule['condition']) || rule['event'] === 'unsubscribed')

/** A change to a draft. */
type Change =
  | { do: 'insert'; steps: readonly Step[]; place: Place }
  | { do: 'remove'; id: string }
  | { do: 'move'; id: string; to: Place }
  | { do: 'shift'; id: string; by: 1 | -1 }
  /** @param group distinguishes undo steps within the same fields, such as two branches */
  | { do: 'edit'; id: string; fields: StepFields; group?: string }
  | { do: 'set'; fields: Partial<Omit<AutomationDraft, 'steps'>> }

function applyChange(sequence: AutomationDraft, change: Change): AutomationDraft {
  const steps = changeSteps(sequence.steps, change)
  if (change.do === 'set') return { ...sequence, ...change.fields }
  return steps === sequence.steps ? sequence : { ...sequence, steps }
}

function changeSteps(steps: readonly Step[], change: Change): readonly Step[] {
  switch (change.do) {
    case 'insert':
      return insertSteps(steps, change.place, change.steps)
    case 'remove': {
      const found = indexTree(steps).find(change.id)
      return found ? removeStep(steps, found.place) : steps
    }
    case 'move':
      return moveStep(steps, change.id, change.to)
    case 'shift':
      return shiftStep(steps, change.id, change.by)
    case 'edit':
      return mapStep(steps, change.id, (step) => ({ ...step, ...change.fields }) as Step)
    case 'set':
      return steps
  }
}

/** The edited draft with its undo history. */
export interface EditState {
  /** The content as it was loaded. */
  loaded: AutomationDraft
  /** Whether there are unpublished changes. */
  hasDraft: boolean
  now: AutomationDraft
  before: readonly AutomationDraft[]
  after: readonly AutomationDraft[]
  /** Groups consecutive changes of one field into one undo step. */
  last: string | undefined
}

export const initialState = ({ sequence, isDraft }: { sequence: AutomationDraft; isDraft: boolean }): EditState => ({
  loaded: sequence,
  hasDraft: isDraft,
  now: sequence,
  before: [],
  after: [],
  last: undefined,
})

const MAX_UNDO_STEPS = 200

const undoGroupOf = (change: Change): string | undefined =>
  change.do === 'edit'
    ? `${change.id} ${Object.keys(change.fields).join()} ${change.group ?? ''}`
    : change.do === 'set'
      ? Object.keys(change.fields).join()
      : undefined

/** Defines what can still be undone when the draft is replaced: nothing, the earlier steps, or those and the current draft. */
export type UndoHistory = 'none' | 'as before' | 'to mine'

export type EditAction =
  | { do: 'change'; change: Change }
  | { do: 'undo' }
  | { do: 'redo' }
  | { do: 'begin'; sequence: AutomationDraft; isDraft: boolean; history: UndoHistory }

export function editReducer(edited: EditState, act: EditAction): EditState {
  const { now, before, after } = edited
  // Also after undoing all changes: the stored draft differs from that.
  const changed = (state: Omit<EditState, 'loaded' | 'hasDraft'>) => ({
    ...state,
    loaded: edited.loaded,
    hasDraft: true,
  })
  switch (act.do) {
    case 'begin': {
      const { history } = act
      const begun = initialState(act)
      if (history === 'none') return begun
      return {
        ...begun,
        before: history === 'to mine' ? [...before, now].slice(-MAX_UNDO_STEPS) : before,
      }
    }
    case 'undo': {
      const last = before.at(-1)
      return last
        ? changed({ now: last, before: before.slice(0, -1), after: [now, ...after], last: undefined })
        : edited
    }
    case 'redo': {
      const [next, ...rest] = after
      return next ? changed({ now: next, before: [...before, now], after: rest, last: undefined }) : edited
    }
    case 'change': {
      const next = applyChange(now, act.change)
      if (next === now) return edited
      const last = undoGroupOf(act.change)
      const goesOn = last !== undefined && last === edited.last
      return changed({ now: next, before: goesOn ? before : [...before, now].slice(-MAX_UNDO_STEPS), after: [], last })
    }
  }
}
