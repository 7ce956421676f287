import { currentContents, findAutomation, flattenSteps, type StepInput } from '../automations/index.ts'
import { getCampaign } from '../campaigns/index.ts'
import type { ApiDependencies, Operation, Scope } from '../http/index.ts'
import { ApiError, invalid } from '../platform/api-error.ts'
import { newId } from '../platform/ids.ts'
import { planOfChange, startRehearsal, TOO_MANY_REHEARSALS } from '../rehearsal/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { ProposalKind } from './proposal.ts'

interface KindDefinition {
  /** The ID of the operation that an approval runs. */
  operation: string
  /** The scope for reading the target, and so its proposals. */
  readScope: Scope
  findTarget: (em: EntityManager, workspaceId: string, id: string) => Promise<{ name: string; revision: number }>
  /** Checks the content, and removes from it what an approval could publish although members do not see it. */
  fix?: (content: Record<string, unknown>) => void
  /** Returns the hashes of the emails that the target has, after the operation in its transaction. */
  emailHashes?: (em: EntityManager, id: string) => Promise<string[]>
  /** Starts a rehearsal of the content for all contacts. @returns its ID; `null` if too many are running, or no contact would enter */
  rehearse?: (request: RehearsalOfProposal) => Promise<string | null>
}

export const KINDS: Record<ProposalKind, KindDefinition> = {
  PUBLISH_AUTOMATION: {
    operation: 'publishAutomation',
    readScope: 'automations:read',
    findTarget: findAutomation,
    fix: fixPublication,
    emailHashes: currentContents,
    rehearse: rehearseChange,
  },
  SEND_CAMPAIGN: { operation: 'scheduleCampaign', readScope: 'campaigns:read', findTarget: getCampaign },
}

/** A proposal whose content is rehearsed. */
interface RehearsalOfProposal {
  dependencies: Pick<ApiDependencies, 'em'>
  workspaceId: string
  targetId: string
  content: Record<string, unknown>
  /** The steps with their contents, which the operation prepares. */
  prepared: unknown
  requestedBy: string
}

async function rehearseChange(request: RehearsalOfProposal): Promise<string | null> {
  const { dependencies, workspaceId, targetId, content, requestedBy } = request
  // No contact enters, so a rehearsal would mislead.
  if (content['status'] !== undefined && content['status'] !== 'ACTIVE') return null
  const { steps } = request.prepared as { steps?: StepInput[] }
  const plan = await planOfChange(dependencies, workspaceId, targetId, { ...content, steps })
  try {
    const id = newId()
    await startRehearsal(dependencies.em, workspaceId, { id, plan, requestedBy })
    return id
  } catch (error) {
    if (error instanceof ApiError && error.code === TOO_MANY_REHEARSALS.code) return null
    throw error
  }
}

/** The fields of an email step that are ignored if it has a template, unless that is deleted. */
const OWN_CONTENT = ['subject', 'previewText', 'html', 'text', 'design'] as const

/**
 * Requires the version of each template, so that the emails that a member approves are the ones that are published. If a template is
 * deleted before, the approval is refused. A proposal deletes no draft.
 */
function fixPublication(content: Record<string, unknown>): void {
  const { steps = [], draftRevision } = content
  if (Object.keys(content).length === 0) throw invalid('A proposal must change at least one field', '/content')
  if (draftRevision !== undefined)
    throw invalid('content.draftRevision must not be in a proposal: drafts belong to members', '/content/draftRevision')
  for (const { step, path, pointer } of flattenSteps(steps as StepInput[])) {
    if (step.type !== 'EMAIL' || step.templateId == null) continue
    if (step.templateVersion == null)
      throw invalid(`content.${path}.templateVersion is required in a proposal`, `/content${pointer}/templateVersion`)
    for (const field of OWN_CONTENT) delete step[field]
  }
}

/** The operations that approvals run, by the kind of the proposal. */
export type Targets = Record<ProposalKind, Operation>

export function targetsOf(operations: readonly Operation[]): Targets {
  const find = (kind: ProposalKind) => operations.find(({ id }) => id === KINDS[kind].operation)!
  return { PUBLISH_AUTOMATION: find('PUBLISH_AUTOMATION'), SEND_CAMPAIGN: find('SEND_CAMPAIGN') }
}
