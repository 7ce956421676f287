import { LockMode } from '@mikro-orm/core'
import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId } from '../platform/ids.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import { Proposal } from './entities.ts'
import { PROPOSAL_DECIDED, PROPOSAL_EXPIRED, PROPOSAL_NOT_FOUND, TOO_MANY_PROPOSALS } from './errors.ts'
import { KINDS } from './kinds.ts'
import { type ProposalKind, type ProposalStatus, statusOf } from './proposal.ts'

/** Days after which a proposal can no longer be approved. */
const LIFETIME_DAYS = 7
const MAX_PENDING = 100

export interface NewProposal {
  kind: ProposalKind
  targetId: string
  content: Record<string, unknown>
  emailHashes: string[] | null
  reason: string
  proposedBy: string
}

/**
 * Stores a proposal, based on the current revision of its target, in the transaction of the request.
 *
 * Race: concurrent requests count before one of them stores its proposal, and exceed the limit. Guard: the caller holds
 * `lockWorkspace`. Test: "are limited to 100 that wait for a decision".
 *
 * @throws {ApiError} the error of a target that does not exist; `revision_conflict`; `too_many_proposals`
 */
export async function createProposal(
  em: EntityManager,
  workspaceId: string,
  { kind, targetId, ...given }: NewProposal,
  expected: Revisions,
  id: string,
): Promise<Proposal> {
  const unit = unitOf(em)
  const { name, revision } = await KINDS[kind].findTarget(unit, workspaceId, targetId)
  assertUnchanged(expected, revision)
  if ((await unit.count(Proposal, { workspaceId, ...withStatus('PENDING') })) >= MAX_PENDING)
    throw new ApiError(TOO_MANY_PROPOSALS)
  const expiresAt = new Date(Date.now() + LIFETIME_DAYS * 86_400_000)
  const proposal = unit.create(Proposal, {
    ...{ id, workspaceId, kind, targetId, targetName: name, revision, expiresAt },
    ...given,
  })
  await unit.flush()
  return proposal
}

const withStatus = (status: ProposalStatus) => {
  const now = new Date()
  if (status === 'PENDING') return { status, expiresAt: { $gt: now } }
  if (status === 'EXPIRED') return { status: 'PENDING' as const, expiresAt: { $lte: now } }
  return { status }
}

/** Lists proposals without their content, newest first. */
export function listProposals(
  em: EntityManager,
  workspaceId: string,
  {
    kinds,
    status,
    ...range
  }: { kinds: readonly ProposalKind[]; status?: ProposalStatus | undefined; limit: number; offset: number },
) {
  return unitOf(em).findAndCount(
    Proposal,
    { workspaceId, kind: { $in: [...kinds] }, ...(status && withStatus(status)) },
    { ...range, orderBy: { createdAt: 'desc', id: 'desc' }, exclude: ['content'] },
  )
}

/** @throws {ApiError} `proposal_not_found` */
export async function getProposal(em: EntityManager, workspaceId: string, id: string): Promise<Proposal> {
  const proposal = isId(id) ? await unitOf(em).findOne(Proposal, { id, workspaceId }, FRESH_READ) : null
  if (!proposal) throw new ApiError(PROPOSAL_NOT_FOUND)
  return proposal
}

/** Returns whether the target was changed or deleted since the proposal. */
export async function isOutdated(
  em: EntityManager,
  { kind, workspaceId, targetId, revision }: Proposal,
): Promise<boolean> {
  try {
    return (await KINDS[kind].findTarget(unitOf(em), workspaceId, targetId)).revision !== revision
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'not-found') return true
    throw error
  }
}

/**
 * Decides a proposal, in the transaction of what an approval does.
 *
 * Two members decide concurrently: the row lock lets one of them wait and then see the decision of the other. Test: "is decided once".
 *
 * @throws {ApiError} `proposal_not_found`; `proposal_decided`; `proposal_expired`
 */
export async function decideProposal(
  unit: EntityManager,
  workspaceId: string,
  id: string,
  decision: { status: 'APPROVED' | 'REJECTED'; decidedBy: string },
): Promise<Proposal> {
  const proposal = isId(id)
    ? await unit.findOne(Proposal, { id, workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
    : null
  if (!proposal) throw new ApiError(PROPOSAL_NOT_FOUND)
  const status = statusOf(proposal)
  if (status === 'EXPIRED') throw new ApiError(PROPOSAL_EXPIRED)
  if (status !== 'PENDING') throw alreadyDecided(proposal)
  Object.assign(proposal, decision, { decidedAt: new Date() })
  await unit.flush()
  return proposal
}

function alreadyDecided({ status, decidedBy, decidedAt }: Proposal): ApiError {
  const verb = status === 'APPROVED' ? 'approved' : 'rejected'
  const message = `${decidedBy ?? ''} already ${verb} this proposal at ${decidedAt?.toISOString() ?? ''}`
  return new ApiError(PROPOSAL_DECIDED, { message })
}
