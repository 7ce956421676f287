import { isId } from '../platform/ids.ts'
import { lacksOf, type StepInput } from './steps/index.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'

/**
 * Why an automation would never do anything, and what to do about it: such a one may not be ACTIVE, because nobody would
 * ever learn why. A DRAFT may be incomplete. `undefined` where it can act.
 */
export function whyNeverActs(
  { trigger, triggerConfig }: { trigger: Trigger; triggerConfig: TriggerConfig },
  steps: readonly StepInput[],
): string | undefined {
  const reason = whyNeverStarts(trigger, triggerConfig)
  if (reason) return reason
  if (steps.length === 0) return 'it has no steps: give it at least one in steps'
  for (const [index, step] of steps.entries()) {
    const lack = lacksOf(step)
    if (lack !== undefined) return `steps[${index}] ${lack}`
  }
  return undefined
}

function whyNeverStarts(trigger: Trigger, { listId, tagName, eventName }: TriggerConfig): string | undefined {
  switch (trigger) {
    case 'SIGNUP':
      return undefined
    case 'EVENT':
      return eventName === undefined ? lacks(trigger, 'eventName', 'the name of the event') : undefined
    case 'TAG_ADDED':
      return tagName === undefined ? lacks(trigger, 'tagName', "the tag's name") : undefined
    case 'LIST_ADDED':
      if (listId === undefined) return lacks(trigger, 'listId', "the list's id")
      return isId(listId) ? undefined : 'triggerConfig.listId is no id: give it the id of a list'
  }
}

const lacks = (trigger: Trigger, key: string, what: string): string =>
  `with the trigger ${trigger} it starts nobody without triggerConfig.${key}: give it ${what}`
