import { isId } from '../platform/ids.ts'
import { flattenSteps, type PlacedInput } from './step-tree.ts'
import { missingFieldOf, type StepInput } from './steps/index.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'

/** A missing part of an automation, and the field for it. */
export interface MissingPart {
  why: string
  param: string
}

/**
 * Returns why an automation would never send an email, and how to correct it. Such an automation must not be ACTIVE, because
 * nothing would ever report it. A DRAFT may be incomplete.
 *
 * @returns the reason, with a JSON pointer to the field; `undefined` if the automation can send
 */
export function findMissingPart(
  { trigger, triggerConfig }: { trigger: Trigger; triggerConfig: TriggerConfig },
  steps: readonly StepInput[],
): MissingPart | undefined {
  const never = whyNeverStarts(trigger, triggerConfig)
  if (never) return never
  if (steps.length === 0) return { why: 'it has no steps, and needs at least one', param: '/steps' }
  const placed = flattenSteps(steps)
  for (const { step, path, pointer } of placed) {
    const lack = missingFieldOf(step)
    if (lack !== undefined) return { why: `${path} ${lack}`, param: pointer }
  }
  return trigger === 'LIST_REQUESTED' ? whyNeverConfirms(placed) : undefined
}

function whyNeverStarts(
  trigger: Trigger,
  { listId, tagName, eventName, segmentId, field }: TriggerConfig,
): MissingPart | undefined {
  switch (trigger) {
    case 'SIGNUP':
      return undefined
    case 'EVENT':
      return eventName === undefined ? lacks(trigger, 'eventName', 'the name of the event') : undefined
    case 'TAG_ADDED':
      return tagName === undefined ? lacks(trigger, 'tagName', "the tag's name") : undefined
    case 'DATE':
      return field === undefined ? lacks(trigger, 'field', 'the field with the date') : undefined
    case 'SEGMENT_ENTERED':
      return segmentId === undefined ? lacks(trigger, 'segmentId', "the segment's ID") : undefined
    case 'LIST_ADDED':
    case 'LIST_REQUESTED':
      if (listId === undefined) return lacks(trigger, 'listId', "the list's ID")
      return isId(listId)
        ? undefined
        : { why: 'triggerConfig.listId is not a valid ID', param: '/triggerConfig/listId' }
  }
}

/** Checks an automation that sends confirmation emails: it may send nothing else, and the emails need the link. */
function whyNeverConfirms(steps: readonly PlacedInput[]): MissingPart | undefined {
  let asks = false
  for (const { step, path, pointer } of steps) {
    if (step.type !== 'EMAIL') continue
    if (step.category !== 'transactional') {
      const why = `${path} goes to contacts who have not confirmed yet, and needs "category": "transactional"`
      return { why, param: `${pointer}/category` }
    }
    const { subject, made, compiled } = step
    // The html of a step with a design or a template is not sent.
    const { html, text } = compiled ?? step
    const asksIn = (...said: (string | null | undefined)[]) => said.some((part) => part?.includes('confirmUrl'))
    const isAsking = asksIn(subject, html, text, made?.content.html, made?.content.text)
    const silent = Object.entries(made?.translations ?? {}).find(([, { html: in_, text: as }]) => !asksIn(in_, as))
    if (isAsking && silent) {
      const why = `${path} has no {{ confirmUrl }} in its translation ${silent[0]}`
      return { why, param: pointer }
    }
    asks ||= isAsking
  }
  return asks
    ? undefined
    : { why: 'none of its emails has {{ confirmUrl }}, so no contact could confirm', param: '/steps' }
}

const lacks = (trigger: Trigger, key: string, what: string): MissingPart => ({
  why: `the trigger ${trigger} requires triggerConfig.${key}, ${what}`,
  param: `/triggerConfig/${key}`,
})
