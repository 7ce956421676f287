import type { Schemas } from '../../api/client.ts'
import { indexTree } from '../builder/step-tree.ts'
import { STEP_TYPES } from '../builder/step-types.ts'
import { readSteps, type Step } from '../builder/steps.ts'

type Automation = Pick<Schemas['Automation'], 'steps'>

/** Finds a step of an automation, also in a branch. */
export const stepOf = (automation: Automation | undefined, id: string): Step | undefined =>
  indexTree(readSteps(automation?.steps ?? []) ?? []).find(id)?.step

/** Describes what an enrollment does when its wait ends, such as "Sends “Half of your trial”". */
export function effectOfNextStep(automation: Automation | undefined, nextStepId: string | null): string {
  if (nextStepId === null) return 'Ends the automation for the contact'
  const step = stepOf(automation, nextStepId)
  // The steps of other versions are not loaded.
  if (!step) return 'Continues with the next step'
  if (step.type === 'EMAIL') return `Sends “${step.subject || 'No subject'}”`
  const label = step.name ?? STEP_TYPES[step.type].label
  return step.type === 'WAIT_FOR_EVENT' || step.type === 'WAIT_UNTIL' ? `Ends “${label}”` : `Continues with “${label}”`
}
