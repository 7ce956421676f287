import { upsertContacts as write, type ContactWrite, type WrittenContact } from '../db/queries/upsert-contacts.ts'
import { DELIVERY_LEASE_SECONDS } from '../db/queries/trigger-events.ts'
import { emailKey } from '../domain/email-address.ts'
import { newId } from '../domain/ids.ts'
import { splitMetadata } from '../domain/metadata.ts'
import { deliverAtOnce } from './deliver-trigger-events.ts'
import type { Dependencies } from './dependencies.ts'

/** What a caller gives of a contact. Absent fields stay as they are; a `null` in metadata removes that key. */
export interface ContactInput {
  email: string
  firstName?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
}

/** Creates a contact, or updates the one with this email. A sign-up that automations wait for is delivered at once. */
export async function upsertContact(
  dependencies: Dependencies,
  workspaceId: string,
  input: ContactInput,
): Promise<WrittenContact> {
  const em = dependencies.em.fork()
  const [contact] = await write(em, workspaceId, [toWrite(input)], DELIVERY_LEASE_SECONDS)
  if (!contact) throw new Error('The upsert returned no row')
  if (contact.signUp) await deliverAtOnce(dependencies, contact.signUp)
  return contact
}

export interface BulkResult {
  created: number
  updated: number
}

/**
 * Creates or updates many contacts, in one statement. Of the same email twice, the later one wins.
 * Their sign-ups are written with them, and delivered by the relay.
 */
export async function upsertManyContacts(
  { em }: Dependencies,
  workspaceId: string,
  inputs: readonly ContactInput[],
): Promise<BulkResult> {
  const byKey = new Map(inputs.map((input) => [emailKey(input.email), toWrite(input)]))
  const written = await write(em.fork(), workspaceId, [...byKey.values()], 0)
  const created = written.filter((contact) => contact.created).length
  return { created, updated: written.length - created }
}

function toWrite({ email, firstName, metadata = {} }: ContactInput): ContactWrite {
  const { set, removedKeys } = splitMetadata(metadata)
  return { id: newId(), eventId: newId(), email, emailKey: emailKey(email), firstName, metadata: set, removedKeys }
}
