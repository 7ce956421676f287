/** The rules for joining lists. They are pure functions of the state that was read after the contact was locked. */

/** The maximum number of lists of a contact. A page of a hundred contacts shows all of them. */
export const MAX_LISTS_OF_CONTACT = 1_000

/** The maximum number of confirmation emails to an address for one list in a day. */
export const MAX_CONFIRMATION_EMAILS_PER_DAY = 5

/** The stored state of a contact and a list. */
export interface MembershipState {
  isMember: boolean
  /** Whether the contact left the list themselves. */
  hasOptedOut: boolean
  /** The pending confirmation request. */
  request: {
    id: string
    emailKey: string
    /** Whether a confirmation email for it was sent, or is about to be, within the last day. */
    wasAsked: boolean
  } | null
  /** The number of lists that the contact is in. */
  listCount: number
  /** The number of confirmation emails to the address for this list in the last day, regardless of the contact. */
  asksToday: number
}

export interface JoinRequest {
  /** The contact's normalized address. */
  emailKey: string
  /** Whether the contact has to confirm first. False if they confirmed elsewhere. */
  mustConfirm: boolean
  /** Whether a contact who left the list asked to rejoin. */
  resubscribe: boolean
  /** The ID of the request, if one is needed. */
  newRequestId: string
}

export type MembershipPlan =
  /** The contact is already in the list. */
  | { outcome: 'member' }
  /** The contact becomes a member. */
  | { outcome: 'added' }
  /** The contact gets a confirmation email. */
  | { outcome: 'requested'; requestId: string }
  /** The contact got a confirmation email before, and has not confirmed yet. */
  | { outcome: 'pending' }
  /** The address has reached the daily limit of confirmation emails. */
  | { outcome: 'asked-often' }
  /** The contact left the list, and did not ask to rejoin. */
  | { outcome: 'opted-out' }
  /** The contact is in the maximum number of lists. */
  | { outcome: 'full' }

/** Decides the outcome of a request to add a contact to a list. */
export function planMembership(state: MembershipState, request: JoinRequest): MembershipPlan {
  if (state.isMember) return { outcome: 'member' }
  if (state.hasOptedOut && !request.resubscribe) return { outcome: 'opted-out' }
  if (request.mustConfirm) return planConfirmation(state, request)
  if (state.listCount >= MAX_LISTS_OF_CONTACT) return { outcome: 'full' }
  return { outcome: 'added' }
}

/** Decides whether a contact gets a confirmation email. An opt-out stays until they have confirmed. */
function planConfirmation(
  { request: pending, asksToday }: MembershipState,
  { emailKey, newRequestId }: JoinRequest,
): MembershipPlan {
  const isSameAddress = pending?.emailKey === emailKey
  if (isSameAddress && pending?.wasAsked) return { outcome: 'pending' }
  if (asksToday >= MAX_CONFIRMATION_EMAILS_PER_DAY) return { outcome: isSameAddress ? 'pending' : 'asked-often' }
  // Links that were sent to another address must not confirm this one.
  return { outcome: 'requested', requestId: isSameAddress && pending ? pending.id : newRequestId }
}

/** A public list, as a contact sees it. */
export interface VisibleList {
  id: string
  isMember: boolean
}

/**
 * Decides which lists a contact joins and leaves through the preferences page. Joining needs a link that was sent to the
 * contact's current address. Leaving does not.
 */
export function planPreferences(
  lists: readonly VisibleList[],
  wanted: readonly string[],
  mayJoin: boolean,
): { join: string[]; leave: string[] } {
  const isWanted = new Set(wanted)
  const idsOf = (changes: (list: VisibleList) => boolean) => lists.filter(changes).map(({ id }) => id)
  return {
    join: mayJoin ? idsOf(({ id, isMember }) => isWanted.has(id) && !isMember) : [],
    leave: idsOf(({ id, isMember }) => !isWanted.has(id) && isMember),
  }
}
