import { type MembershipPlan, type MembershipState, planMembership } from '../lists/index.ts'
import type { TriggerOccurrence } from '../triggers/index.ts'
import { triggerOccurrencesOf } from './happenings.ts'

/** The state of a contact who is about to join a list, read after the contact's row was locked. */
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
  /** Whether contacts who left the list asked to rejoin. */
  resubscribe: boolean
  /** Whether the contacts confirmed elsewhere that they want to join. */
  confirmed: boolean
  newRequestId: string
}

export interface JoinPlan {
  membership: MembershipPlan
  /** Whether joining confirms the contact. */
  confirms: boolean
  happenings: TriggerOccurrence[]
}

/** Decides the outcome of adding a contact to a list. */
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
    happenings: triggerOccurrencesOf({
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
