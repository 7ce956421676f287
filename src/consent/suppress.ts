import {
  addressIdOf,
  incrementConsentVersion,
  incrementConsentVersions,
  deleteSuppression,
  insertSuppression,
  insertSuppressions,
  lockAddress,
  lockContactsByKey,
  type SuppressionReason,
  type SuppressionRow,
} from '../contacts/index.ts'
import { leaveByOptOut } from '../enrollments/index.ts'
import { deleteRequests } from '../lists/index.ts'
import { countSending, waitForSenders } from '../messages/index.ts'
import { untilDone } from '../platform/db/until-done.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { Call } from '../platform/call.ts'
import { whenDurable } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId, newId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { SUPPRESSION_NOT_FOUND } from './errors.ts'

export interface SuppressionInput {
  email: string
  reason: SuppressionReason
  note?: string | null | undefined
}

/**
 * Suppresses an address. After the commit, no email to it can be claimed, even if the email was already prepared. Enrollments of
 * its contact continue without these emails, unless they have the exit rule `unsubscribed`. Idempotent.
 *
 * @param unit a transaction
 * @returns the suppression, the contact that has the address, and the deliveries to Temporal that are due
 */
export async function suppressAddress(
  unit: EntityManager,
  workspaceId: string,
  { email, reason, note = null }: SuppressionInput,
): Promise<{ suppression: SuppressionRow; contactId?: string; due: Delivery[] }> {
  const address = email.trim()
  const key = emailKey(address)
  const [contact] = await lockContactsByKey(unit, workspaceId, [key])
  await lockAddress(unit, { workspaceId, key })
  const write = { id: newId(), email: address, key, reason, note }
  const { suppression, isNew } = await insertSuppression(unit, workspaceId, write)
  if (!contact) return { suppression, due: [] }
  // Pending confirmation requests get no reminder.
  await deleteRequests(unit, [contact.id])
  if (isNew) await incrementConsentVersion(unit, [contact.id])
  return {
    suppression,
    contactId: contact.id,
    due: OPT_OUTS.includes(reason) ? await leaveByOptOut(unit, [{ contactId: contact.id, listId: null }]) : [],
  }
}

/** The reasons by which a contact opts out of marketing. A bounce is none. */
const OPT_OUTS: readonly SuppressionReason[] = ['UNSUBSCRIBED', 'IMPORTED', 'COMPLAINED']

/** Contacts that were suppressed together, and the keys of addresses that had no contact. */
export interface SuppressedMany {
  contactIds: readonly string[]
  /** The IDs that stand for the addresses: see `addressIdOf`. */
  addressIds: readonly string[]
  keysWithoutContact: readonly string[]
}

/**
 * Suppresses many addresses, for imports. Ends enrollments like `suppressAddress`, but leaves cancelling their
 * workflows to the bulk lane of the relay: otherwise the request of a chunk would wait for hundreds of calls to Temporal.
 *
 * @param unit a transaction
 * @param inputs distinct by address and reason
 * @returns how many were not yet suppressed for that reason, and the input of `afterSuppressingMany`
 */
export async function suppressMany(
  unit: EntityManager,
  workspaceId: string,
  inputs: readonly SuppressionInput[],
): Promise<{ suppressed: number; of: SuppressedMany }> {
  const items = inputs.map(({ email, reason, note = null }) => ({
    id: newId(),
    email,
    key: emailKey(email),
    reason,
    note,
  }))
  const contacts = await lockContactsByKey(
    unit,
    workspaceId,
    items.map(({ key }) => key),
  )
  const idOf = new Map(contacts.map(({ id, emailKey: key }) => [key, id]))
  const added = await insertSuppressions(unit, workspaceId, items)
  const contactIds = contacts.map(({ id }) => id)
  await deleteRequests(unit, contactIds)
  const optedOut = items.flatMap(({ id, key, reason }) => {
    const contactId = idOf.get(key)
    return added.has(id) && contactId !== undefined && OPT_OUTS.includes(reason) ? [{ contactId, listId: null }] : []
  })
  // All contacts, because a concurrent attempt may have read a request that was dropped.
  await incrementConsentVersion(unit, contactIds)
  await leaveByOptOut(unit, optedOut, { isBulk: true })
  const keysWithoutContact = items.flatMap(({ key }) => (idOf.has(key) ? [] : [key]))
  const addressIds = items.map(({ key }) => addressIdOf(workspaceId, key))
  return { suppressed: added.size, of: { contactIds, addressIds, keysWithoutContact } }
}

/** Suppresses an address for an API call, and delivers to Temporal after its commit. */
export async function suppressByCall(
  dependencies: Dependencies,
  workspaceId: string,
  input: SuppressionInput,
  call: Call,
): Promise<{ suppression: SuppressionRow; contactId?: string }> {
  const { due, ...suppressed } = await unitOf(dependencies.em).transactional((unit) =>
    suppressAddress(unit, workspaceId, input),
  )
  await whenDurable(dependencies, call, async () => {
    await afterSuppressing(dependencies, workspaceId, input, due)
  })
  return suppressed
}

/**
 * Finishes `suppressMany` after its commit, before the response. Race: a contact is created concurrently, and neither transaction
 * sees the other. Guard: increments the consent version again, so that no email that was prepared before can be claimed. Runs
 * outside a transaction, because it waits for other transactions.
 */
export async function afterSuppressingMany(
  em: EntityManager,
  workspaceId: string,
  { contactIds, addressIds, keysWithoutContact }: SuppressedMany,
): Promise<void> {
  const found =
    keysWithoutContact.length === 0
      ? []
      : await untilDone(() => incrementConsentVersions(em, workspaceId, keysWithoutContact))
  await untilDone(() => waitForSendersTo(em, [...contactIds, ...found, ...addressIds]))
}

/** Waits for claimed emails: each starts transmission within seconds, or not at all. */
async function waitForSendersTo(em: EntityManager, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length > 0) await waitForSenders(() => countSending(em, { contactIds }))
}

/** Finishes `suppressAddress` after its commit, and delivers to Temporal. */
export async function afterSuppressing(
  dependencies: Dependencies,
  workspaceId: string,
  { email }: Pick<SuppressionInput, 'email'>,
  due: readonly Delivery[],
): Promise<void> {
  const em = dependencies.em.fork()
  const key = emailKey(email.trim())
  const contactIds = await untilDone(() => incrementConsentVersions(em, workspaceId, [key]))
  await dependencies.deliverAtOnce(dependencies, due)
  await waitForSendersTo(em, [...contactIds, addressIdOf(workspaceId, key)])
}

/** Suppresses an address and finishes before it returns. */
export async function suppressAndWait(
  dependencies: Dependencies,
  workspaceId: string,
  email: string,
  reason: SuppressionReason,
): Promise<void> {
  const { due } = await unitOf(dependencies.em).transactional((unit) =>
    suppressAddress(unit, workspaceId, { email, reason }),
  )
  await afterSuppressing(dependencies, workspaceId, { email }, due)
}

/**
 * Deletes a suppression. The address is emailed again, unless another suppression remains. @throws {ApiError}
 * `suppression_not_found`
 */
export async function deleteSuppressionById(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  if (!isId(id) || !(await deleteSuppression(unitOf(em), workspaceId, id))) throw new ApiError(SUPPRESSION_NOT_FOUND)
}
