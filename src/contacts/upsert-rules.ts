import { type MembershipPlan, type MembershipState, planMembership } from '../lists/index.ts'
import type { TriggerOccurrence } from '../triggers/index.ts'
import { type ContactLimit, MAX_TAGS_OF_CONTACT } from './contact-limits.ts'
import { triggerOccurrencesOf } from './happenings.ts'

/** The requested state of a contact. */
export interface ContactWrite {
  /** The ID of the contact if it is new. */
  id: string
  email: string
  emailKey: string
  /** `null` keeps the stored one. */
  externalId: string | null
  /** `undefined` keeps the stored one. */
  firstName: string | null | undefined
  /** Keys to set. */
  metadata: Record<string, unknown>
  /** Keys to remove. */
  removedKeys: string[]
  /** A list of the workspace to join; `null` for none. */
  listId: string | null
  /** Whether the contact confirmed elsewhere that they want to join, and needs no confirmation email. */
  confirmed?: boolean
  /** Tags to add, distinct by key. */
  tags: { key: string; name: string }[]
  /** Whether it starts no automations. */
  quiet?: boolean
}

/** The stored state of the contact, read after its row was locked. */
export interface UpsertState {
  id: string
  isCreated: boolean
  email: string
  isUnconfirmed: boolean
  tags: ReadonlySet<string>
  /** Whether its address is suppressed, for any reason. */
  isSuppressed: boolean
  /** The membership in the list to join; `null` if there is none. */
  membership: MembershipState | null
}

export interface UpsertContext {
  /** Whether the list requires confirmation. */
  doubleOptIn: boolean
  /** Whether this is an import, which is not a request of the contact. */
  ofFile: boolean
  /** Whether it may start automations. */
  triggers: boolean
  newRequestId: string
}

export interface UpsertPlan {
  isUnconfirmed: boolean
  /** Whether what may be sent to the contact changes, so that messages that were already prepared must not be claimed. */
  bumpsConsents: boolean
  membership: MembershipPlan | null
  newTags: { key: string; name: string }[]
  happenings: TriggerOccurrence[]
  /** Events that would have started automations without `triggers: false`. */
  muted: TriggerOccurrence[]
}

/** Whether the contact must confirm before joining the list. */
const mustConfirm = (write: ContactWrite, doubleOptIn: boolean): boolean =>
  write.listId !== null && doubleOptIn && write.confirmed !== true

/** Decides what writing a contact does. @returns the limit that it exceeds, if any, in which case nothing is written */
export function planUpsert(
  state: UpsertState,
  write: ContactWrite,
  { doubleOptIn, ofFile, triggers, newRequestId }: UpsertContext,
): UpsertPlan | { exceeds: ContactLimit } {
  // An import adds a suppressed contact to no list, sends no confirmation email, and starts nothing.
  const isLeftAlone = ofFile && state.isSuppressed
  const hasToConfirm = mustConfirm(write, doubleOptIn)
  const membership =
    isLeftAlone || state.membership === null
      ? null
      : planMembership(state.membership, {
          emailKey: write.emailKey,
          mustConfirm: hasToConfirm,
          // A contact who left the list and signs up again must confirm. An import does not ask them to.
          resubscribe: hasToConfirm && !ofFile,
          newRequestId,
        })
  if (membership?.outcome === 'full') return { exceeds: 'list_members_most' }
  const newTags = write.tags.filter(({ key }) => !state.tags.has(key))
  if (newTags.length > 0 && state.tags.size + newTags.length > MAX_TAGS_OF_CONTACT)
    return { exceeds: 'contact_tags_most' }

  const isAdded = membership?.outcome === 'added'
  // Joining a list without double opt-in, or a confirmation elsewhere, confirms the contact.
  const isUnconfirmed = state.isCreated
    ? hasToConfirm && !isLeftAlone
    : state.isUnconfirmed && write.confirmed !== true && !isAdded
  const wasUnconfirmed = !state.isCreated && state.isUnconfirmed
  const listId = write.listId?.toLowerCase()
  const isQuiet = write.quiet === true || isLeftAlone
  const occurrences = triggerOccurrencesOf({
    contactId: state.id,
    isCreated: state.isCreated,
    wasUnconfirmed,
    isUnconfirmed,
    listAdded: isAdded ? listId : undefined,
    listRequested: membership?.outcome === 'requested' ? listId : undefined,
    newTags: newTags.map(({ key }) => key),
    tags: state.tags,
  })
  return {
    isUnconfirmed,
    bumpsConsents: !state.isCreated && (state.email !== write.email || (wasUnconfirmed && !isUnconfirmed)),
    membership,
    newTags,
    happenings: triggers && !isQuiet ? occurrences : [],
    // The report of an import shows that it starts nothing.
    muted: triggers || isQuiet || ofFile ? [] : occurrences,
  }
}
