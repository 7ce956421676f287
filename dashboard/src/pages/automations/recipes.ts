import type { Schemas } from '../../api/client.ts'
import abandonedCart from '../../../../examples/abandoned-cart.json'
import birthday from '../../../../examples/birthday.json'
import failedPayment from '../../../../examples/failed-payment.json'
import postPurchase from '../../../../examples/post-purchase.json'
import trial from '../../../../examples/trial.json'
import welcome from '../../../../examples/welcome.json'
import winBack from '../../../../examples/win-back.json'
import { designOfText } from '../../editor/design-of-text.ts'
import { omit } from '../../lib/omit.ts'
import { type AutomationDraft, parseDraft } from '../builder/draft.ts'
import { branchesOf } from '../builder/step-tree.ts'
import { newId, type Step } from '../builder/steps.ts'

/** An automation to start from. */
export interface Recipe {
  /** The request that creates it. */
  body: Schemas['AutomationInput']
  description: string
  /** Its content, as the builder shows it. */
  draft: AutomationDraft
}

const BLANK_BODY = { name: 'New automation', trigger: 'SIGNUP' as const, steps: [] }
const BLANK_DESCRIPTION = 'Choose a trigger and build from an empty canvas.'

function recipeOf(body: { name: string; description: string; steps: readonly object[] }): Recipe {
  // Members write the texts on the canvas.
  const designed = mapSteps(body, (step) =>
    'text' in step && typeof step.text === 'string' ? { ...omit(step, 'text'), design: designOfText(step.text) } : step,
  )
  // Steps get their IDs when they are created.
  const withIds = mapSteps({ triggerConfig: {}, ...designed }, (step) => ({ id: newId(), ...step }))
  return { body: designed as Recipe['body'], description: body.description, draft: parseDraft({ sequence: withIds })! }
}

const mapSteps = <Of>(of: Of, map: (step: object) => object): Of =>
  JSON.parse(JSON.stringify(of), (_, value: unknown) => (isStep(value) ? map(value) : value)) as Of

const isStep = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

export const RECIPES: readonly Recipe[] = [
  welcome,
  trial,
  abandonedCart,
  winBack,
  birthday,
  failedPayment,
  postPurchase,
].map(recipeOf)

/** An automation without steps. */
export const BLANK: Recipe = { ...recipeOf({ ...BLANK_BODY, description: BLANK_DESCRIPTION }), body: BLANK_BODY }

/** The steps of all branches. */
const allSteps = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => [step, ...branchesOf(step).flatMap(({ steps: inner }) => allSteps(inner))])

export const emailCount = ({ draft: { steps } }: Recipe): number =>
  allSteps(steps).filter(({ type }) => type === 'EMAIL').length

/** Minutes of waiting on the longest path. */
export const longestWait = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => {
    const own = step.type === 'WAIT' ? step.delayMinutes : step.type === 'WAIT_FOR_EVENT' ? step.timeoutMinutes : 0
    return sum + own + Math.max(0, ...branchesOf(step).map(({ steps: inner }) => longestWait(inner)))
  }, 0)

/** The events and contact fields that the recipe uses. */
export function requirementsOf({ body, draft }: Recipe): string[] {
  const json = JSON.stringify(body)
  const events = [...json.matchAll(/"(?:eventName|event)":"(?<name>[^"]+)"/g)]
  const fields = [...json.matchAll(/"(?:contact\.metadata\.|metadata":")(?<name>[^"]+)"/g)]
  const key = typeof draft.entry.concurrency === 'object' ? [draft.entry.concurrency.key] : []
  return [...new Set([...[...events, ...fields].flatMap(({ groups }) => groups?.['name'] ?? []), ...key])]
}
