import { type MembershipPlan, type MembershipState, planMembership } from '../lists/index.ts'
import type { Happening } from '../triggers/index.ts'
import { happeningsOf } from './happenings.ts'

/** What is stored of a contact who is to join a list, read after the contact's row was locked. */
export interface JoinState {
  contactId: string
  emailKey: string
  isUnconfirmed: boolean
  tags: ReadonlySet<string>
  membership: MembershipState
}

export interface JoinOptions {
  listId: string
  doubleOptIn: boolean
  /** Whether the contacts asked to rejoin, where they left the list themselves. */
  resubscribe: boolean
  /** Whether the contacts confirmed elsewhere that they want to be in it. */
  confirmed: boolean
  newRequestId: string
}

export interface JoinPlan {
  membership: MembershipPlan
  /** Whether the contact is confirmed by it. */
  confirms: boolean
  happenings: Happening[]
}

/** Decides what putting a contact into a list does. */
export function planJoin(
  { contactId, emailKey, isUnconfirmed, tags, membership: state }: JoinState,
  { listId, doubleOptIn, resubscribe, confirmed, newRequestId }: JoinOptions,
): JoinPlan {
  const mustConfirm = doubleOptIn && !confirmed
  const membership = planMembership(state, { emailKey, mustConfirm, resubscribe, newRequestId })
  const { outcome } = membership
  const isRefused = outcome === 'opted-out' || outcome === 'full'
  const confirms = isUnconfirmed && (outcome === 'added' || (confirmed && !isRefused))
  return {
    membership,
    confirms,
    happenings: happeningsOf({
      contactId,
      isCreated: false,
      wasUnconfirmed: isUnconfirmed,
      isUnconfirmed: isUnconfirmed && !confirms,
      listAdded: outcome === 'added' ? listId : undefined,
      listRequested: outcome === 'requested' ? listId : undefined,
      tags,
    }),
  }
}
