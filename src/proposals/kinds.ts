import { findAutomation, flattenSteps, type StepInput } from '../automations/index.ts'
import { getCampaign } from '../campaigns/index.ts'
import type { Operation, Scope } from '../http/index.ts'
import { invalid } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { ProposalKind } from './proposal.ts'

interface KindDefinition {
  /** The ID of the operation that an approval runs. */
  operation: string
  /** The scope for reading the target, and so its proposals. */
  readScope: Scope
  findTarget: (em: EntityManager, workspaceId: string, id: string) => Promise<{ name: string; revision: number }>
  /** Checks what the operation would accept, but an approval would not fix. */
  check?: (content: Record<string, unknown>) => void
}

export const KINDS: Record<ProposalKind, KindDefinition> = {
  PUBLISH_AUTOMATION: {
    operation: 'publishAutomation',
    readScope: 'automations:read',
    findTarget: findAutomation,
    check: ({ steps = [] }) => assertFixedTemplates(steps as StepInput[]),
  },
  SEND_CAMPAIGN: { operation: 'scheduleCampaign', readScope: 'campaigns:read', findTarget: getCampaign },
}

/** Requires the version of each template, so that the emails that a member approves are the ones that are published. */
function assertFixedTemplates(steps: readonly StepInput[]): void {
  for (const { step, path, pointer } of flattenSteps(steps))
    if (step.type === 'EMAIL' && step.templateId != null && step.templateVersion == null)
      throw invalid(`content.${path}.templateVersion is required in a proposal`, `/content${pointer}/templateVersion`)
}

/** The operations that approvals run, by the kind of the proposal. */
export type Targets = Record<ProposalKind, Operation>

export function targetsOf(operations: readonly Operation[]): Targets {
  const find = (kind: ProposalKind) => operations.find(({ id }) => id === KINDS[kind].operation)!
  return { PUBLISH_AUTOMATION: find('PUBLISH_AUTOMATION'), SEND_CAMPAIGN: find('SEND_CAMPAIGN') }
}
