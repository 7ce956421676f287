/**
 * The rules for joining lists. They are pure functions of what was read after the contact was locked.
 */

/** The most lists that a contact may be in: a page of a hundred contacts shows all of them. */
export const MAX_LISTS_OF_CONTACT = 1_000

/** The most confirmation emails that an address gets for one list in a day. */
export const MAX_CONFIRMATION_EMAILS_PER_DAY = 5

/** What is known about a contact and a list. */
export interface MembershipState {
  isMember: boolean
  /** Whether the contact left the list themselves. */
  hasOptedOut: boolean
  /** The pending confirmation request. */
  request: {
    id: string
    emailKey: string
    /** Whether a confirmation email of it went out, or is about to, within the last day. */
    wasAsked: boolean
  } | null
  /** How many lists the contact is in. */
  listCount: number
  /** How many confirmation emails the address got for this list in the last day, whichever contact had it. */
  asksToday: number
}

export interface JoinRequest {
  /** The contact's address, as it is compared. */
  emailKey: string
  /** Whether the contact has to confirm first. False if they confirmed elsewhere. */
  mustConfirm: boolean
  /** Whether the contact asked to rejoin, where they left the list themselves. */
  resubscribe: boolean
  /** The id of the request, if one is needed. */
  newRequestId: string
}

export type MembershipPlan =
  /** The contact is in the list already. */
  | { outcome: 'member' }
  /** The contact becomes a member. */
  | { outcome: 'added' }
  /** The contact is asked to confirm. */
  | { outcome: 'requested'; requestId: string }
  /** The contact was asked before, and has not confirmed. */
  | { outcome: 'pending' }
  /** The address was asked too often today to be asked again. */
  | { outcome: 'asked-often' }
  /** The contact left the list, and did not ask to rejoin. */
  | { outcome: 'opted-out' }
  /** The contact is in as many lists as they may be. */
  | { outcome: 'full' }

/** Decides what a request to put a contact into a list does. */
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
  // Links that went to another address must not confirm this one.
  return { outcome: 'requested', requestId: isSameAddress && pending ? pending.id : newRequestId }
}

/** A public list, as a contact sees it. */
export interface VisibleList {
  id: string
  isMember: boolean
}

/**
 * Decides which lists a contact joins and leaves by the preferences page. Joining needs a link that went to the contact's present
 * address; leaving does not.
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
