import type { TriggerOccurrence } from '../triggers/index.ts'

/** The changes of a contact that can trigger automations. */
export interface ContactChanges {
  contactId: string
  isCreated: boolean
  /** Whether the contact was created by a request to join a double opt-in list, and has been unconfirmed until now. */
  wasUnconfirmed: boolean
  isUnconfirmed: boolean
  /** A list that the contact joined. */
  listAdded?: string | undefined
  /** A list that the contact is asked to confirm. */
  listRequested?: string | undefined
  /** The keys of tags that the contact did not have. */
  newTags?: readonly string[]
  /** The keys of the tags that the contact had. */
  tags?: Iterable<string>
}

/**
 * Returns the triggers that fire. For an unconfirmed contact, only the request to confirm fires. When they confirm, the
 * triggers of the sign-up and of their tags fire.
 */
export function triggerOccurrencesOf(changes: ContactChanges): TriggerOccurrence[] {
  const { contactId, isCreated, wasUnconfirmed, isUnconfirmed, listAdded, listRequested, newTags = [] } = changes
  const isConfirmed = wasUnconfirmed && !isUnconfirmed
  const happenings: TriggerOccurrence[] = []
  if (!isUnconfirmed && (isCreated || isConfirmed)) happenings.push({ contactId, type: 'SIGNUP', key: '' })
  if (listAdded !== undefined) happenings.push({ contactId, type: 'LIST_ADDED', key: listAdded })
  if (listRequested !== undefined) happenings.push({ contactId, type: 'LIST_REQUESTED', key: listRequested })
  if (isUnconfirmed) return happenings
  const tags = new Set([...(isConfirmed ? (changes.tags ?? []) : []), ...newTags])
  for (const key of tags) happenings.push({ contactId, type: 'TAG_ADDED', key })
  return happenings
}
