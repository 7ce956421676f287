import { isId } from '../platform/ids.ts'
import { lacksOf, type StepInput } from './steps/index.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'

/** What an automation lacks to act, and where. */
export interface NeverActs {
  why: string
  param: string
}

/**
 * Why an automation would never do anything, and what to do about it: such a one may not be ACTIVE, because nobody would
 * ever learn why. A DRAFT may be incomplete. `undefined` where it can act.
 *
 * @returns also where that is missing, as a JSON pointer
 */
export function whyNeverActs(
  { trigger, triggerConfig }: { trigger: Trigger; triggerConfig: TriggerConfig },
  steps: readonly StepInput[],
): NeverActs | undefined {
  const never = whyNeverStarts(trigger, triggerConfig)
  if (never) return never
  if (steps.length === 0) return { why: 'it has no steps: give it at least one in steps', param: '/steps' }
  for (const [index, step] of steps.entries()) {
    const lack = lacksOf(step)
    if (lack !== undefined) return { why: `steps[${index}] ${lack}`, param: `/steps/${index}` }
  }
  return trigger === 'LIST_REQUESTED' ? whyNobodyIsAsked(steps) : undefined
}

function whyNeverStarts(trigger: Trigger, { listId, tagName, eventName }: TriggerConfig): NeverActs | undefined {
  switch (trigger) {
    case 'SIGNUP':
      return undefined
    case 'EVENT':
      return eventName === undefined ? lacks(trigger, 'eventName', 'the name of the event') : undefined
    case 'TAG_ADDED':
      return tagName === undefined ? lacks(trigger, 'tagName', "the tag's name") : undefined
    case 'LIST_ADDED':
    case 'LIST_REQUESTED':
      if (listId === undefined) return lacks(trigger, 'listId', "the list's id")
      return isId(listId)
        ? undefined
        : { why: 'triggerConfig.listId is no id: give it the id of a list', param: '/triggerConfig/listId' }
  }
}

/** Of one that asks whether somebody wants to be in a list: she gets nothing but that, and can say so. */
function whyNobodyIsAsked(steps: readonly StepInput[]): NeverActs | undefined {
  let asks = false
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'EMAIL') continue
    if (step.category !== 'transactional') {
      const why = `steps[${index}] asks somebody who has not confirmed anything yet: give it "category": "transactional"`
      return { why, param: `/steps/${index}/category` }
    }
    const { subject, html, text, made } = step
    const asksIn = (...said: (string | null | undefined)[]) => said.some((part) => part?.includes('confirmUrl'))
    const isAsking = asksIn(subject, html, text, made?.content.html, made?.content.text)
    const silent = Object.entries(made?.translations ?? {}).find(([, { html: in_, text: as }]) => !asksIn(in_, as))
    if (isAsking && silent) {
      const why = `steps[${index}] does not ask in ${silent[0]}: give that translation {{ confirmUrl }}`
      return { why, param: `/steps/${index}` }
    }
    asks ||= isAsking
  }
  return asks ? undefined : { why: 'none of its emails has {{ confirmUrl }}: nobody could confirm', param: '/steps' }
}

const lacks = (trigger: Trigger, key: string, what: string): NeverActs => ({
  why: `with the trigger ${trigger} it starts nobody without triggerConfig.${key}: give it ${what}`,
  param: `/triggerConfig/${key}`,
})
