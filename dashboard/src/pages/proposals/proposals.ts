import { IconBan, IconCheck, IconClock, IconX } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { StatusStyle } from '../../components/StatusBadge.tsx'
import { isOneOf } from '../../lib/is-one-of.ts'

export type Proposal = Schemas['Proposal']
export type ProposalSummary = Schemas['ProposalSummary']
export type ProposalStatus = ProposalSummary['status']

const STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'] as const
export const isProposalStatus = (value: unknown): value is ProposalStatus => isOneOf(STATUSES, value)

export const PROPOSAL_STATUS: Record<ProposalStatus, StatusStyle> = {
  PENDING: { label: 'Waiting', icon: IconClock, tone: 'warn' },
  APPROVED: { label: 'Approved', icon: IconCheck, tone: 'ok' },
  REJECTED: { label: 'Rejected', icon: IconX, tone: 'mute' },
  EXPIRED: { label: 'Expired', icon: IconBan, tone: 'mute' },
}

/** A proposal that waits, and whose target was changed. */
export const OUTDATED: StatusStyle = { label: 'Outdated', icon: IconBan, tone: 'mute' }

/** The title of a proposal: "Change “Welcome”". */
export const titleOf = ({ kind, targetName }: ProposalSummary): string =>
  `${kind === 'SEND_CAMPAIGN' ? 'Send' : 'Change'} “${targetName}”`
