import { type MembershipPlan, type MembershipState, planMembership } from '../lists/index.ts'
import type { Happening } from '../triggers/index.ts'
import { type ContactLimit, MAX_TAGS_OF_CONTACT } from './contact-limits.ts'
import { happeningsOf } from './happenings.ts'

/** What a caller wants a contact to be. */
export interface ContactWrite {
  /** The id that the contact gets if it is new. */
  id: string
  email: string
  emailKey: string
  /** `null` leaves an existing contact's as it is. */
  externalId: string | null
  /** `undefined` leaves an existing contact's as it is. */
  firstName: string | null | undefined
  /** Keys to set. */
  metadata: Record<string, unknown>
  /** Keys to remove. */
  removedKeys: string[]
  /** A list of the workspace to join; `null` for none. */
  listId: string | null
  /** Whether the contact confirmed elsewhere that they want to be in it: then they are not asked. */
  confirmed?: boolean
  /** Tags to get, no two with the same key. */
  tags: { key: string; name: string }[]
  /** Whether it starts no automation. */
  quiet?: boolean
}

/** What is stored of the contact, read after its row was locked. */
export interface UpsertState {
  id: string
  isCreated: boolean
  email: string
  isUnconfirmed: boolean
  tags: ReadonlySet<string>
  /** Whether its address is suppressed, for any reason. */
  isSuppressed: boolean
  /** Of the list that it is to join; `null` without one. */
  membership: MembershipState | null
}

export interface UpsertContext {
  /** Whether the list requires confirmation. */
  doubleOptIn: boolean
  /** Whether it is written by an import: a file is not the contact's own request. */
  ofFile: boolean
  /** Whether it may start automations. */
  triggers: boolean
  newRequestId: string
}

export interface UpsertPlan {
  isUnconfirmed: boolean
  /** Whether what may be sent to the contact changes: messages that were prepared before must not be claimed. */
  bumpsConsents: boolean
  membership: MembershipPlan | null
  newTags: { key: string; name: string }[]
  happenings: Happening[]
}

/** Whether joining its list requires that the contact confirms it. */
const mustConfirm = (write: ContactWrite, doubleOptIn: boolean): boolean =>
  write.listId !== null && doubleOptIn && write.confirmed !== true

/** Decides what writing a contact does. @returns which limit it exceeds, if it does: then nothing is written */
export function planUpsert(
  state: UpsertState,
  write: ContactWrite,
  { doubleOptIn, ofFile, triggers, newRequestId }: UpsertContext,
): UpsertPlan | { exceeds: ContactLimit } {
  // An import puts a contact who wants no mail into no list, asks them nothing, and starts nothing.
  const isLeftAlone = ofFile && state.isSuppressed
  const hasToConfirm = mustConfirm(write, doubleOptIn)
  const membership =
    isLeftAlone || state.membership === null
      ? null
      : planMembership(state.membership, {
          emailKey: write.emailKey,
          mustConfirm: hasToConfirm,
          // A contact who left the list and signs up again is asked, and is in it when they confirm. A file does not ask them.
          resubscribe: hasToConfirm && !ofFile,
          newRequestId,
        })
  if (membership?.outcome === 'full') return { exceeds: 'list_members_most' }
  const newTags = write.tags.filter(({ key }) => !state.tags.has(key))
  if (newTags.length > 0 && state.tags.size + newTags.length > MAX_TAGS_OF_CONTACT)
    return { exceeds: 'contact_tags_most' }

  const isAdded = membership?.outcome === 'added'
  // Who puts a contact into a list that asks nothing, or says that they confirmed elsewhere, confirms the contact.
  const isUnconfirmed = state.isCreated
    ? hasToConfirm && !isLeftAlone
    : state.isUnconfirmed && write.confirmed !== true && !isAdded
  const wasUnconfirmed = !state.isCreated && state.isUnconfirmed
  const listId = write.listId?.toLowerCase()
  const isQuiet = !triggers || write.quiet === true || isLeftAlone
  return {
    isUnconfirmed,
    bumpsConsents: !state.isCreated && (state.email !== write.email || (wasUnconfirmed && !isUnconfirmed)),
    membership,
    newTags,
    happenings: isQuiet
      ? []
      : happeningsOf({
          contactId: state.id,
          isCreated: state.isCreated,
          wasUnconfirmed,
          isUnconfirmed,
          listAdded: isAdded ? listId : undefined,
          listRequested: membership?.outcome === 'requested' ? listId : undefined,
          newTags: newTags.map(({ key }) => key),
          tags: state.tags,
        }),
  }
}
