/**
 * The effect of an approval:
 * - PUBLISH_AUTOMATION: changes the steps, fields and status of an automation, like `POST /automations/{id}/publish`
 * - SEND_CAMPAIGN: sends or schedules a campaign, like `POST /campaigns/{id}/schedule`
 */
export const PROPOSAL_KINDS = ['PUBLISH_AUTOMATION', 'SEND_CAMPAIGN'] as const
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

export type StoredStatus = 'PENDING' | 'APPROVED' | 'REJECTED'

/** EXPIRED: no member decided in time. */
export const PROPOSAL_STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'] as const
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number]

export const statusOf = ({ status, expiresAt }: { status: StoredStatus; expiresAt: Date }): ProposalStatus =>
  status === 'PENDING' && expiresAt <= new Date() ? 'EXPIRED' : status
