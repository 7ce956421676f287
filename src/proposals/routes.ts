import { array, object, string } from 'yup'
import { AUTOMATION_NOT_FOUND } from '../automations/index.ts'
import { CAMPAIGN_NOT_FOUND } from '../campaigns/index.ts'
import {
  type ApiDependencies,
  assertScope,
  atMost,
  type Caller,
  created,
  filledText,
  freeObject,
  listOf,
  nameOf,
  ok,
  type Operation,
  operation,
  pageQuery,
  pageResponse,
  parse,
  rangeOf,
  single,
} from '../http/index.ts'
import { newCall } from '../platform/call.ts'
import { unitOf } from '../platform/db/sql.ts'
import { approveOperation } from './approve-route.ts'
import { PROPOSAL_DECIDED, PROPOSAL_EXPIRED, PROPOSAL_NOT_FOUND, TOO_MANY_PROPOSALS } from './errors.ts'
import { KINDS, type Targets, targetsOf } from './kinds.ts'
import { PROPOSAL_KINDS, PROPOSAL_STATUSES, type ProposalKind } from './proposal.ts'
import { createProposal, decideProposal, getProposal, isOutdated, listProposals } from './proposals.ts'
import { lockWorkspace } from './queries.ts'
import { presentProposal, presentProposalSummary, proposalResponse, proposalSummaryResponse } from './responses.ts'

const MAX_REASON_LENGTH = 2_000

const proposalInput = (content: string, example: object) =>
  object({
    content: freeObject().required().meta({ description: content, example }),
    reason: filledText().test(atMost(MAX_REASON_LENGTH)).required().meta({
      description: 'Why this should be done, for the member who decides.',
      example: 'Most contacts open the first email on day 2.',
    }),
  })

const proposalsQuery = pageQuery({
  status: string().oneOf(PROPOSAL_STATUSES).meta({ description: 'Only proposals in this status.', example: 'PENDING' }),
})

/** Requires the scope to read proposals of a kind. @throws {ApiError} `scope_missing` */
const assertMayRead = (caller: Caller, kind: ProposalKind): void => assertScope(caller, KINDS[kind].readScope)

/** Defines the operation that proposes a change of one kind. */
const propose = (
  targets: Targets,
  kind: ProposalKind,
  definition: Pick<Operation, 'id' | 'summary' | 'description'> & { path: `/${string}/{id}/proposals` },
  body: ReturnType<typeof proposalInput>,
): Operation =>
  operation({
    ...definition,
    method: 'POST',
    tag: 'Proposals',
    scope: 'drafts:write',
    body,
    // The content has its limit here, and again when it is approved.
    ...(targets[kind].bodyLimit && { bodyLimit: targets[kind].bodyLimit }),
    ifMatch: true,
    responses: { 201: { description: 'The proposal.', schema: single(proposalResponse) } },
    errors: {
      400: targets[kind].errors?.[400] ?? [],
      404: [...new Set([AUTOMATION_NOT_FOUND, CAMPAIGN_NOT_FOUND, ...(targets[kind].errors?.[404] ?? [])])],
      409: [TOO_MANY_PROPOSALS, ...(targets[kind].errors?.[409] ?? [])],
    },
    async prepare(request, dependencies) {
      assertMayRead(request.caller, kind)
      const content = parse(targets[kind].body!, request.body.content)
      KINDS[kind].fix?.(content)
      await KINDS[kind].findTarget(dependencies.em.fork(), request.caller.workspace.id, request.params.id)
      const approved = { ...request, query: {}, body: content }
      const prepared = await targets[kind].prepare?.(approved, dependencies)
      return { approved, prepared }
    },
    async handle({ caller, params, body, prepared: { approved, prepared }, call, ifMatch }, dependencies) {
      const content = approved.body
      // Trials of the same publication would deadlock.
      await lockWorkspace(unitOf(dependencies.em), caller.workspace.id)
      const emailHashes = await tryOut(dependencies, async (trial) => {
        await targets[kind].handle({ ...approved, prepared, call: newCall(), ifMatch: undefined }, trial)
        return (await KINDS[kind].emailHashes?.(trial.em, params.id)) ?? null
      })
      const workspaceId = caller.workspace.id
      const [targetId, proposedBy] = [params.id, nameOf(caller)]
      const of = { dependencies, workspaceId, targetId, content, prepared, requestedBy: proposedBy }
      const given = { kind, targetId, content, emailHashes, reason: body.reason, proposedBy }
      const proposal = await createProposal(dependencies.em, workspaceId, given, ifMatch, call.id)
      // Afterwards, so that a proposal that is refused starts none.
      proposal.rehearsalId = (await KINDS[kind].rehearse?.(of)) ?? null
      await unitOf(dependencies.em).flush()
      return created(presentProposal(proposal, false))
    },
  })

const UNDO = new Error('Undoes a trial')

/**
 * Runs what an approval would do, and rolls it back, so that what could not be approved now is refused. The process must
 * not remember what it reads there: another version gets the same number.
 */
async function tryOut<Result>(
  dependencies: ApiDependencies,
  run: (trial: ApiDependencies) => Promise<Result>,
): Promise<Result> {
  const results: Result[] = []
  const trial = unitOf(dependencies.em).transactional(async (unit) => {
    results.push(await run({ ...dependencies, em: unit }))
    throw UNDO
  })
  await trial.catch((error: unknown) => {
    if (error !== UNDO) throw error
  })
  return results[0]!
}

/** @param operations those that approvals run */
export function proposalOperations(operations: readonly Operation[]): Operation[] {
  const targets = targetsOf(operations)
  return [
    propose(
      targets,
      'PUBLISH_AUTOMATION',
      {
        id: 'proposeAutomationChange',
        path: '/automations/{id}/proposals',
        summary: 'Propose to publish or activate an automation',
        description:
          'Stores the content for a member, who approves or rejects it in the dashboard. Nothing changes until then. A step with a template needs its version, and draftRevision is not allowed. The scope `automations:read` is needed too.',
      },
      proposalInput('The body of POST /automations/{id}/publish.', {
        steps: [{ type: 'EMAIL', subject: 'Hello', text: 'Hi' }],
      }),
    ),
    propose(
      targets,
      'SEND_CAMPAIGN',
      {
        id: 'proposeCampaignSending',
        path: '/campaigns/{id}/proposals',
        summary: 'Propose to send or schedule a campaign',
        description:
          'Stores the time for a member, who approves or rejects it in the dashboard. Nothing is sent until then. The scope `campaigns:read` is needed too.',
      },
      proposalInput('The body of POST /campaigns/{id}/schedule. `{}` sends on approval.', {}),
    ),

    operation({
      id: 'listProposals',
      method: 'GET',
      path: '/proposals',
      tag: 'Proposals',
      summary: 'List proposals',
      description: 'Newest first, of automations and campaigns, as far as the scopes allow. They are kept for 90 days.',
      scope: 'automations:read',
      orScope: 'campaigns:read',
      query: proposalsQuery,
      responses: {
        200: { description: 'A page of proposals.', schema: listOf(array().of(proposalSummaryResponse).required()) },
      },
      async handle({ caller, query }, { em }) {
        const kinds = PROPOSAL_KINDS.filter((kind) => caller.scopes.includes(KINDS[kind].readScope))
        const page = { kinds, status: query.status, ...rangeOf(query) }
        const [proposals, total] = await listProposals(em, caller.workspace.id, page)
        return pageResponse(proposals.map(presentProposalSummary), query, total)
      },
    }),

    operation({
      id: 'getProposal',
      method: 'GET',
      path: '/proposals/{id}',
      tag: 'Proposals',
      summary: 'Get a proposal',
      description: 'Returns the proposal with the content that an approval publishes or sends.',
      scope: 'automations:read',
      orScope: 'campaigns:read',
      responses: { 200: { description: 'The proposal.', schema: single(proposalResponse) } },
      errors: { 404: [PROPOSAL_NOT_FOUND] },
      async handle({ caller, params }, { em }) {
        const proposal = await getProposal(em, caller.workspace.id, params.id)
        assertMayRead(caller, proposal.kind)
        return ok(presentProposal(proposal, await isOutdated(em, proposal)))
      },
    }),

    approveOperation(targets),

    operation({
      id: 'rejectProposal',
      method: 'POST',
      path: '/proposals/{id}/reject',
      tag: 'Proposals',
      summary: 'Reject a proposal',
      description: 'Nothing is changed or sent.',
      role: 'editor',
      responses: { 200: { description: 'The proposal.', schema: single(proposalResponse) } },
      errors: { 404: [PROPOSAL_NOT_FOUND], 409: [PROPOSAL_DECIDED, PROPOSAL_EXPIRED] },
      async handle({ caller, params }, { em }) {
        const decision = { status: 'REJECTED', decidedBy: nameOf(caller) } as const
        const proposal = await decideProposal(em, caller.workspace.id, params.id, decision)
        return ok(presentProposal(proposal, await isOutdated(em, proposal)))
      },
    }),
  ]
}
