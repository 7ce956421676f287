import type { Schemas } from '../../api/client.ts'
import { type Trigger, TRIGGERS } from '../automations/triggers.ts'

type Automation = Schemas['Automation']

export interface EmailStep {
  id: string
  type: 'EMAIL'
  category: 'marketing' | 'transactional'
  /** The template of the email. With a template, it has no content of its own. */
  templateId: string | null
  templateVersion: number | null
  subject: string
  html: string | null
  text: string | null
}

export interface WaitStep {
  id: string
  type: 'WAIT'
  delayMinutes: number
}

export type Step = EmailStep | WaitStep

/** The editable content of an automation, complete or not. */
export interface AutomationDraft {
  name: string
  trigger: Trigger
  triggerConfig: Record<string, unknown>
  onSendFailure: Automation['onSendFailure']
  steps: readonly Step[]
}

export const draftOf = ({ name, trigger, triggerConfig, onSendFailure, steps }: Automation): AutomationDraft => ({
  name,
  trigger,
  triggerConfig: triggerConfig,
  onSendFailure,
  steps: steps.map((step) =>
    step.type === 'EMAIL'
      ? {
          id: step.id,
          type: step.type,
          category: step.category,
          templateId: step.templateId,
          templateVersion: step.templateVersion,
          subject: step.subject,
          html: step.html,
          text: step.text,
        }
      : { id: step.id, type: step.type, delayMinutes: step.delayMinutes },
  ),
})

/** Parses a stored draft. @returns `undefined` if another client stored it in another form */
export function parseDraft(content: unknown): AutomationDraft | undefined {
  const { sequence } = (content ?? {}) as { sequence?: Partial<AutomationDraft> }
  const isOurs =
    typeof sequence?.name === 'string' &&
    Object.hasOwn(TRIGGERS, sequence.trigger ?? '') &&
    typeof sequence.triggerConfig === 'object' &&
    (sequence.triggerConfig as unknown) !== null &&
    Array.isArray(sequence.steps) &&
    sequence.steps.every(isStep)
  if (!isOurs) return undefined
  // Drafts stored by earlier versions lack these fields.
  const whole = (step: Step): Step =>
    step.type === 'EMAIL' ? { ...step, category: step.category ?? 'marketing', ...templateOf(step) } : step
  return { ...(sequence as AutomationDraft), steps: sequence.steps!.map(whole) }
}

const templateOf = ({ templateId, templateVersion }: Partial<EmailStep>) => ({
  templateId: templateId ?? null,
  templateVersion: templateVersion ?? null,
})

function isStep(given: unknown): boolean {
  const { id, type, subject, html, text, delayMinutes } = (given ?? {}) as Record<string, unknown>
  const isText = (value: unknown) => value === null || typeof value === 'string'
  if (typeof id !== 'string') return false
  if (type === 'WAIT') return typeof delayMinutes === 'number'
  return type === 'EMAIL' && typeof subject === 'string' && isText(html) && isText(text)
}

const newId = () => crypto.randomUUID()

export const newStep = (type: Step['type']): Step =>
  type === 'EMAIL'
    ? {
        id: newId(),
        type,
        category: 'marketing',
        templateId: null,
        templateVersion: null,
        subject: '',
        html: null,
        text: '',
      }
    : { id: newId(), type, delayMinutes: 1_440 }

/** The editable fields of a step. */
export type StepFields = Partial<Omit<EmailStep, 'id' | 'type'>> & Partial<Omit<WaitStep, 'id' | 'type'>>

/** A change to a draft. Positions are zero-based. */
export type Change =
  | { do: 'add'; step: Step; at: number }
  | { do: 'copy'; id: string; as: string }
  | { do: 'remove'; id: string }
  | { do: 'move'; id: string; to: number }
  | { do: 'edit'; id: string; fields: StepFields }
  | { do: 'set'; fields: Partial<Omit<AutomationDraft, 'steps'>> }

export function applyChange(sequence: AutomationDraft, change: Change): AutomationDraft {
  const { steps } = sequence
  const place = 'id' in change ? steps.findIndex(({ id }) => id === change.id) : -1
  if ('id' in change && place === -1) return sequence
  switch (change.do) {
    case 'add':
      return { ...sequence, steps: steps.toSpliced(change.at, 0, change.step) }
    case 'copy':
      return { ...sequence, steps: steps.toSpliced(place + 1, 0, { ...steps[place]!, id: change.as }) }
    case 'remove':
      return { ...sequence, steps: steps.toSpliced(place, 1) }
    case 'move': {
      const to = Math.max(0, Math.min(change.to, steps.length - 1))
      return to === place ? sequence : { ...sequence, steps: steps.toSpliced(place, 1).toSpliced(to, 0, steps[place]!) }
    }
    case 'edit':
      return { ...sequence, steps: steps.with(place, { ...steps[place]!, ...change.fields }) }
    case 'set':
      return { ...sequence, ...change.fields }
  }
}

/** The edited draft with its undo history. */
export interface EditState {
  now: AutomationDraft
  before: readonly AutomationDraft[]
  after: readonly AutomationDraft[]
  /** Groups consecutive changes of one field into one undo step. */
  last: string | undefined
}

export const initialState = (now: AutomationDraft): EditState => ({ now, before: [], after: [], last: undefined })

const MAX_UNDO_STEPS = 200

const undoGroupOf = (change: Change): string | undefined =>
  change.do === 'edit'
    ? `${change.id} ${Object.keys(change.fields).join()}`
    : change.do === 'set'
      ? Object.keys(change.fields).join()
      : undefined

/** Defines what can still be undone when the draft is replaced: nothing, the earlier steps, or those and the current draft. */
export type UndoHistory = 'none' | 'as before' | 'to mine'

export type EditAction =
  | { do: 'change'; change: Change }
  | { do: 'undo' }
  | { do: 'redo' }
  | { do: 'begin'; sequence: AutomationDraft; history: UndoHistory }

export function editReducer(edited: EditState, act: EditAction): EditState {
  const { now, before, after } = edited
  switch (act.do) {
    case 'begin': {
      const { sequence, history } = act
      if (history === 'none') return initialState(sequence)
      return {
        ...initialState(sequence),
        before: history === 'to mine' ? [...before, now].slice(-MAX_UNDO_STEPS) : before,
      }
    }
    case 'undo': {
      const last = before.at(-1)
      return last ? { now: last, before: before.slice(0, -1), after: [now, ...after], last: undefined } : edited
    }
    case 'redo': {
      const [next, ...rest] = after
      return next ? { now: next, before: [...before, now], after: rest, last: undefined } : edited
    }
    case 'change': {
      const next = applyChange(now, act.change)
      if (next === now) return edited
      const last = undoGroupOf(act.change)
      const goesOn = last !== undefined && last === edited.last
      return { now: next, before: goesOn ? before : [...before, now].slice(-MAX_UNDO_STEPS), after: [], last }
    }
  }
}

/** The longest wait: ten years. */
export const MAX_WAIT_DAYS = 3_660

/** Returns why a step cannot be published. */
export function problemOf(step: Step): string | undefined {
  if (step.type === 'WAIT') {
    if (step.delayMinutes > MAX_WAIT_DAYS * 1_440)
      return `The wait can’t be longer than ${MAX_WAIT_DAYS.toLocaleString('en')} days`
    return !(step.delayMinutes >= 1) ? 'The wait must be at least 1 minute' : undefined
  }
  if (step.templateId !== null) return undefined
  if (step.subject.trim() === '') return 'Add a subject'
  if ((step.html ?? '').trim() === '' && (step.text ?? '').trim() === '') return 'Add content'
  return undefined
}
