import { isDeepStrictEqual } from 'node:util'
import {
  auditEntryOf,
  type CheckedRequest,
  nameOf,
  ok,
  type Operation,
  operation,
  type OperationResponse,
  parse,
  single,
} from '../http/index.ts'
import { ApiError, type ErrorDefinition } from '../platform/api-error.ts'
import { REVISION_CONFLICT } from '../platform/revisions.ts'
import type { Proposal } from './entities.ts'
import { EMAIL_CHANGED, PROPOSAL_DECIDED, PROPOSAL_EXPIRED, PROPOSAL_NOT_FOUND, PROPOSAL_OUTDATED } from './errors.ts'
import { KINDS, type Targets } from './kinds.ts'
import { statusOf } from './proposal.ts'
import { decideProposal, getProposal } from './proposals.ts'
import { presentProposal, proposalResponse } from './responses.ts'

type Approval = CheckedRequest<Record<string, string>, object, object>

/**
 * Approves a proposal: runs the operation that a member would otherwise call, as this member, with the content and on the revision
 * that were proposed, in the transaction of the decision.
 */
export function approveOperation(targets: Targets): Operation {
  const requestOf = ({ kind, targetId, content }: Proposal, { caller, visitor }: Approval) => ({
    ...{ caller, visitor, params: { id: targetId }, query: {} },
    body: parse(targets[kind].body!, content),
  })
  const errorsOf = (status: 400 | 404 | 409): (ErrorDefinition | string)[] => [
    ...new Set(Object.values(targets).flatMap(({ errors }) => errors?.[status] ?? [])),
  ]
  return operation({
    id: 'approveProposal',
    method: 'POST',
    path: '/proposals/{id}/approve',
    tag: 'Proposals',
    summary: 'Approve a proposal',
    description:
      'Publishes the automation or sends the campaign, exactly as proposed. If the automation or campaign, or a snippet in the proposed emails, was changed since, nothing is done.',
    role: 'editor',
    responses: { 200: { description: 'The proposal.', schema: single(proposalResponse) } },
    errors: {
      400: errorsOf(400),
      404: [PROPOSAL_NOT_FOUND, ...errorsOf(404)],
      409: [PROPOSAL_DECIDED, PROPOSAL_EXPIRED, PROPOSAL_OUTDATED, ...errorsOf(409)],
    },
    async prepare(request, dependencies) {
      const proposal = await getProposal(dependencies.em, request.caller.workspace.id, request.params.id)
      if (statusOf(proposal) !== 'PENDING') return undefined
      return targets[proposal.kind].prepare?.(requestOf(proposal, request), dependencies)
    },
    async handle(request, dependencies) {
      const { caller, params, call, prepared } = request
      const { em } = dependencies
      const decision = { status: 'APPROVED', decidedBy: nameOf(caller) } as const
      const proposal = await decideProposal(em, caller.workspace.id, params.id, decision)
      const target = targets[proposal.kind]
      const ifMatch = [String(proposal.revision)]
      await ofProposed(target.handle({ ...requestOf(proposal, request), prepared, call, ifMatch }, dependencies))
      const hashes = await KINDS[proposal.kind].emailHashes?.(em, proposal.targetId)
      if (!isDeepStrictEqual(hashes ?? null, proposal.emailHashes))
        throw new ApiError(PROPOSAL_OUTDATED, { message: EMAIL_CHANGED })
      const { requestId } = call
      const entry = { operation: target.id, caller, targetId: proposal.targetId, requestId: requestId! }
      await dependencies.writeAuditEntry(em, auditEntryOf(entry))
      return ok(presentProposal(proposal, false))
    },
  })
}

/** @throws {ApiError} `proposal_outdated` instead of `revision_conflict` */
async function ofProposed(running: Promise<OperationResponse> | OperationResponse): Promise<void> {
  try {
    await running
  } catch (error) {
    if (error instanceof ApiError && error.code === REVISION_CONFLICT.code) throw new ApiError(PROPOSAL_OUTDATED)
    throw error
  }
}
