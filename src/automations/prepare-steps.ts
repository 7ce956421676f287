import type { AutomationStatus } from '../automation-engine/index.ts'
import type { ApiDependencies } from '../http/index.ts'
import { invalid } from '../platform/api-error.ts'
import { isNeverPublic } from '../platform/public-request.ts'
import type { Absent } from '../rendering/index.ts'
import type { Trigger } from '../triggers/index.ts'
import type { Caller } from '../workspaces/index.ts'
import { findAutomation, getAutomation } from './automations.ts'
import { checkTemplates, MAX_WARNINGS } from './check-templates.ts'
import { flattenSteps } from './step-tree.ts'
import type { StepInput } from './steps/index.ts'
import { withDesigns } from './with-designs.ts'
import { ignoredContentWarnings, withTemplates } from './with-templates.ts'

/** The fields that a request changes. */
interface Change {
  status?: AutomationStatus | undefined
  trigger?: Trigger | undefined
  steps?: readonly StepInput[] | undefined
}

/**
 * Loads and checks the templates of steps, which takes a while. If the automation goes live, or is live, every variable that they
 * print must exist.
 *
 * @param id the automation that is changed, if it is not a new one
 */
export async function prepareSteps(
  { em, renderer, webhookAllowedHosts }: ApiDependencies,
  { workspace }: Caller,
  { status, trigger, steps: given }: Change,
  id?: string,
): Promise<{ steps: StepInput[] | undefined; warnings: string[] }> {
  if (given === undefined && status === undefined && trigger === undefined) return { steps: undefined, warnings: [] }
  const present = id === undefined ? undefined : await findAutomation(em.fork(), workspace.id, id)
  const isLive = (status ?? present?.status) === 'ACTIVE'
  for (const { step, path, pointer } of flattenSteps(given ?? []))
    if (step.type === 'WEBHOOK' && isNeverPublic(step.url, webhookAllowedHosts))
      throw invalid(
        `${path}.url must not be an address in a private network. The operator can allow it in WEBHOOK_ALLOWED_HOSTS.`,
        `${pointer}/url`,
      )
  const steps =
    given && (await withDesigns({ em, renderer }, workspace.id, await withTemplates(em, workspace.id, given)))
  const checked = steps ?? (isLive && present ? (await getAutomation(em, workspace.id, present.id)).steps : [])
  const absent = isLive ? absentIn(trigger ?? present?.trigger) : undefined
  const warnings = await checkTemplates(renderer, checked, workspace.id, absent)
  return { steps, warnings: [...ignoredContentWarnings(steps ?? []), ...warnings].slice(0, MAX_WARNINGS) }
}

/** The variables that the emails of an automation do not have. */
const absentIn = (trigger: Trigger | undefined): Absent => [
  'data',
  ...(trigger === 'EVENT' ? [] : (['event'] as const)),
  ...(trigger === 'LIST_REQUESTED' ? [] : (['confirmUrl'] as const)),
]
