import {
  CONTACT_NOT_FOUND,
  type ContactName,
  type JoinedList,
  type NamedContact,
  readName,
  writeNamedContact,
  writeNamedContacts,
} from '../contacts/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { ApiError, type ErrorDefinition } from '../platform/api-error.ts'
import { type Call, whenDurable } from '../platform/call.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { assertEventsBearable, assertQueueNotFull, type EventSource } from '../triggers/index.ts'
import { eventKey, type FiredEvent, toFired } from './fire-event.ts'
import { storeEvent, storeEvents } from './store-events.ts'

/** A custom event, and the contact that had it. */
export interface EventInput {
  name: string
  data?: unknown
  contact: NamedContact
}

/** The fields of a request that name a contact. */
export interface Naming {
  contactId?: string | undefined
  externalId?: string | undefined
  email?: string | undefined
  contact?: NamedContact['fields']
  createContact?: boolean | undefined
}

/** Converts the fields of a request: exactly one of them names the contact. */
export const toNamedContact = ({ contact, createContact = true, ...naming }: Naming): NamedContact => ({
  name: toName(naming),
  fields: contact,
  creates: naming.email !== undefined && createContact,
})

function toName({ contactId, externalId, email }: Naming): ContactName {
  if (email !== undefined) return { email: email.trim() }
  if (externalId !== undefined) return { externalId }
  return readName(contactId!) ?? { id: contactId! }
}

export interface RecordedEvent extends FiredEvent {
  isCreated: boolean
  joined: JoinedList[]
}

/**
 * Stores a custom event with what it says about its contact, in one transaction: creates or updates the contact, adds it to lists, and
 * stores the event. Then delivers what all of them start.
 *
 * @throws {ApiError} `not-found` for the contact or a list; beyond a limit of the contact
 */
export async function recordEvent(
  dependencies: Dependencies,
  workspaceId: string,
  { name, data, contact: named, lists, source }: EventInput & { lists: readonly string[]; source: EventSource },
  call: Call,
): Promise<RecordedEvent> {
  await assertQueueNotFull(dependencies, workspaceId)
  const { id, requestId } = call
  const { event, deliveries, isCreated, joined } = await inTransaction(dependencies.em, async (unit) => {
    const written = await writeNamedContact(unit, { workspaceId, requestId }, named, [...new Set(lists)])
    if ('error' in written.contact) throw missing(written.contact.error, named)
    const { id: contactId, isCreated } = written.contact
    const custom = { id, workspaceId, contactId, key: eventKey(name), name, data, source, requestId }
    const event = await storeEvent(unit, custom)
    // The contact was erased concurrently.
    if (!event) throw missing(CONTACT_NOT_FOUND, named)
    const deliveries = [...written.deliveries, ...event.deliveries]
    return { event, deliveries, isCreated, joined: written.joined }
  })
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, deliveries))
  return { ...toFired(name, event), isCreated, joined }
}

function missing(error: ErrorDefinition, { name }: NamedContact): ApiError {
  if (error !== CONTACT_NOT_FOUND) return new ApiError(error, { param: '/contact' })
  return new ApiError(error, {
    param: 'email' in name ? '/email' : 'externalId' in name ? '/externalId' : '/contactId',
  })
}

export interface BulkRecorded {
  stored: number
  contactsCreated: number
  errors: { index: number; error: string }[]
}

/**
 * Stores many custom events in one transaction. An event whose contact does not exist or cannot be written does not affect the others.
 * The relay delivers what they start.
 *
 * @param inputs each with the index for its error
 */
export async function recordEvents(
  { em }: Pick<Dependencies, 'em'>,
  workspaceId: string,
  inputs: readonly { index: number; input: EventInput }[],
  { requestId }: Pick<Call, 'requestId'>,
): Promise<BulkRecorded> {
  return inTransaction(em, async (unit) => {
    const keys = inputs.map(({ input }) => eventKey(input.name))
    await assertEventsBearable(unit, workspaceId, keys)
    const contacts = await writeNamedContacts(
      unit,
      { workspaceId, requestId },
      inputs.map(({ input }) => input.contact),
    )
    const errors: BulkRecorded['errors'] = []
    const created = new Set<string>()
    const events = inputs.flatMap(({ index, input: { name, data } }, n) => {
      const contact = contacts[n]!
      if ('error' in contact) {
        errors.push({ index, error: contact.error.message })
        return []
      }
      if (contact.isCreated) created.add(contact.id)
      const event = {
        id: newId(),
        contactId: contact.id,
        key: keys[n]!,
        name,
        data,
        requestId,
        source: 'BULK' as const,
      }
      return [{ index, event }]
    })
    const { written } = await storeEvents(
      unit,
      { workspaceId, isBulk: true },
      events.map(({ event }) => event),
    )
    // These contacts were erased concurrently.
    const lost = events.filter((_event, n) => written[n] === undefined)
    for (const { index } of lost) errors.push({ index, error: CONTACT_NOT_FOUND.message })
    return { stored: events.length - lost.length, contactsCreated: created.size, errors }
  })
}
