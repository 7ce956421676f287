import { isId } from '../platform/ids.ts'
import type { EmailStep, WaitStep } from '../sequences/index.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'

type Unidentified<Step> = Omit<Step, 'id' | 'html' | 'text'>
interface Bodies {
  html?: string | null | undefined
  text?: string | null | undefined
}

/**
 * Why an automation would never do anything, and what to do about it: such a one may not be ACTIVE, because nobody would
 * ever learn why. A DRAFT may be incomplete. `undefined` where it can act.
 */
export function whyNeverActs(
  { trigger, triggerConfig }: { trigger: Trigger; triggerConfig: TriggerConfig },
  steps: readonly ((Unidentified<EmailStep> & Bodies) | Unidentified<WaitStep>)[],
): string | undefined {
  const reason = whyNeverStarts(trigger, triggerConfig)
  if (reason) return reason
  if (steps.length === 0) return 'it has no steps: give it at least one in steps'
  const empty = steps.findIndex((step) => step.type === 'EMAIL' && !step.html && !step.text)
  return empty < 0 ? undefined : `steps[${empty}] is an email without a body: give it html, text or both`
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
