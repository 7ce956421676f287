import type { Actor } from '../audit/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import {
  storedChangesOf,
  type StoredChange,
  type UnsubscribeMessage,
  unsubscribeMessagesOf,
} from './history-queries.ts'

/** The changes that a history has at most. */
export const MAX_CONSENT_CHANGES = 100

export const CONSENT_ACTORS = ['CONTACT', 'MEMBER', 'API_KEY', 'OPERATOR', 'IMPORT'] as const
type ConsentActor = (typeof CONSENT_ACTORS)[number]

const ACTOR_OF_AUDIT_LOG: Readonly<Record<Actor, ConsentActor>> = {
  person: 'MEMBER',
  key: 'API_KEY',
  'command line': 'OPERATOR',
}

/** A change of a contact's consent: what is stored of it, who made it, and the message that led to it. */
export type ConsentChange = Omit<StoredChange, 'change' | 'actor'> & {
  /** `UNSUBSCRIBED` is the use of an unsubscribe link of which no other change is stored: there was an earlier one, or a later one. */
  change: StoredChange['change'] | 'UNSUBSCRIBED'
  /** `null` if it is unknown. */
  by: ConsentActor | null
  message: UnsubscribeMessage | null
}

/** Returns the changes of a contact's consent that are still stored, newest first. */
export async function consentHistory(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
): Promise<ConsentChange[]> {
  const changes = await storedChangesOf(em, workspaceId, contactId, MAX_CONSENT_CHANGES)
  const messages = await unsubscribeMessagesOf(em, contactId, MAX_CONSENT_CHANGES)
  // A message and the changes that its link made have the same time, which is that of their transaction.
  const messageAt = (at: Date) => messages.find(({ unsubscribedAt }) => unsubscribedAt.getTime() === at.getTime())
  const known = changes.map(({ actor, ...change }) => {
    const message = messageAt(change.at)
    return { ...change, by: byOf({ ...change, actor }, message), message: message ?? null }
  })
  const isKnown = new Set(known.map(({ message }) => message?.id))
  const past = messages
    .filter(({ id }) => !isKnown.has(id))
    .map((message) => ({ ...NO_DETAILS, at: message.unsubscribedAt, message }))
  return [...known, ...past].toSorted((a, b) => b.at.getTime() - a.at.getTime()).slice(0, MAX_CONSENT_CHANGES)
}

const NO_DETAILS = {
  change: 'UNSUBSCRIBED',
  by: 'CONTACT',
  reason: null,
  note: null,
  listId: null,
  listName: null,
} as const

function byOf({ change, reason, actor }: StoredChange, message: UnsubscribeMessage | undefined): ConsentChange['by'] {
  if (message || change === 'LEFT_LIST') return 'CONTACT'
  if (actor) return ACTOR_OF_AUDIT_LOG[actor]
  return reason === 'IMPORTED' ? 'IMPORT' : null
}
