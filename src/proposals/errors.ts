import { defineError } from '../platform/api-error.ts'

export const PROPOSAL_NOT_FOUND = defineError('not-found', 'proposal_not_found', 'Proposal not found')
export const PROPOSAL_DECIDED = defineError(
  'taken',
  'proposal_decided',
  'ada@example.com already approved this proposal at 2026-11-30T14:32:00.000Z',
)
export const PROPOSAL_EXPIRED = defineError(
  'taken',
  'proposal_expired',
  'This proposal has expired. Ask for a new one.',
)
/** The automation or the campaign has another revision than the one that the proposal is based on. */
export const PROPOSAL_OUTDATED = defineError(
  'taken',
  'proposal_outdated',
  'The automation or campaign was changed after this was proposed, so nothing was done. Ask for a new proposal.',
)
/** The content of an email is not the one that was proposed. */
export const EMAIL_CHANGED =
  'A template, snippet or design of its emails was changed after this was proposed, so nothing was done. Ask for a new proposal.'
export const TOO_MANY_PROPOSALS = defineError(
  'taken',
  'too_many_proposals',
  'At most 100 proposals can wait for a decision. Ask a member to approve or reject some.',
)
