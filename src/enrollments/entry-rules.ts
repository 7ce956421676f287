import { createHmac, type KeyObject } from 'node:crypto'
import type { EntryRules } from '../automations/index.ts'
import { readLinkSecret } from '../instance/index.ts'
import type { EntryRule } from '../triggers/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { readPath } from '../platform/json-path.ts'
import { type Condition, contactMatches } from '../segments/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { lastEntry } from './entry-queries.ts'

/** Maximum length of a concurrency key's value, in characters. */
export const MAX_KEY_LENGTH = 1_000

/** Whether a contact may enter an automation: with the concurrency key of the enrollment, or the rule that keeps them out. */
export type Admission = { concurrencyKey: string } | { refusedBy: EntryRule }

export interface EntryRequest {
  workspaceId: string
  automationId: string
  contactId: string
  /** The data of the event that would start the enrollment. */
  eventData?: unknown
  /** The deduplication key of the entry. An earlier enrollment with the same key is this one. */
  dedupKey: string
}

/**
 * Decides whether a contact may enter. A contact who is in the automation already is not affected by the rule for entering again.
 *
 * @param concurrencyKey see `concurrencyKeyOf`; `undefined` if the event has no usable key
 */
export async function decideEntry(
  em: EntityManager,
  { filter, reentry = 'ALWAYS' }: EntryRules,
  concurrencyKey: string | undefined,
  { workspaceId, automationId, contactId, eventData, dedupKey }: EntryRequest,
): Promise<Admission> {
  if (concurrencyKey === undefined) return { refusedBy: 'KEY' }
  if (filter) {
    const at = await timeIn(em, workspaceId)
    const condition = filter as unknown as Condition
    if (!(await contactMatches(em, workspaceId, contactId, condition, { at, eventData })))
      return { refusedBy: 'FILTER' }
  }
  if (reentry === 'ALWAYS') return { concurrencyKey }
  const last = await lastEntry(em, { automationId, contactId, concurrencyKey, dedupKey })
  return last && !last.isActive && !mayReenter(reentry, last.enrolledAt, new Date())
    ? { refusedBy: 'REENTRY' }
    : { concurrencyKey }
}

/** Returns whether a contact can be in the automation several times. */
export const hasConcurrencyKey = ({ concurrency }: EntryRules): boolean =>
  concurrency !== undefined && concurrency !== 'ONE'

/** Whether a contact may enter again after an enrollment that has ended. */
export const mayReenter = (reentry: EntryRules['reentry'], lastEnrolledAt: Date, at: Date): boolean => {
  if (reentry === undefined || reentry === 'ALWAYS') return true
  return reentry !== 'ONCE' && at.getTime() >= lastEnrolledAt.getTime() + reentry.afterMinutes * 60_000
}

/**
 * Returns the key by which a contact can be in an automation several times: a hash, because the value can be personal. Empty for
 * an automation without one; `undefined` if the event has no such value, or one that is not a text, number or boolean.
 */
export async function concurrencyKeyOf(
  em: EntityManager,
  concurrency: EntryRules['concurrency'],
  eventData: unknown,
): Promise<string | undefined> {
  if (concurrency === undefined || concurrency === 'ONE') return ''
  return hashOfKey(em, valueAt(eventData, concurrency.key))
}

const valueAt = (eventData: unknown, keyPath: string): unknown =>
  readPath(eventData, keyPath.replace(/^event\.data\./, ''))

/** The concurrency key of an enrollment, and where events have it. */
export interface KeyedEnrollment {
  concurrencyKey: string
  /** Such as `event.data.orderId`; `null` without a key. */
  keyPath: string | null
}

/**
 * Returns whether an event reaches an enrollment. With a concurrency key, it gets the events with its key, and those whose field
 * is missing or null.
 */
export async function isReachedBy(
  em: EntityManager,
  { concurrencyKey, keyPath }: KeyedEnrollment,
  eventData: unknown,
): Promise<boolean> {
  if (keyPath === null) return true
  const value = valueAt(eventData, keyPath)
  return value === undefined || value === null || (await hashOfKey(em, value)) === concurrencyKey
}

/**
 * Hashes the value of a concurrency key with the secret of the instance, because the hash is part of workflow IDs in Temporal, and
 * values such as addresses can be guessed.
 *
 * @returns `undefined` if the value cannot be a key
 */
export async function hashOfKey(em: EntityManager, value: unknown): Promise<string | undefined> {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = String(value)
  if (text === '' || text.length > MAX_KEY_LENGTH) return undefined
  const secret = await secretOf(em)
  return createHmac('sha256', secret).update(`concurrency key ${text}`).digest('hex').slice(0, 32)
}

/** The secrets by database, because tests have several in one process. They never change. */
const secrets = new WeakMap<object, Promise<KeyObject>>()

function secretOf(em: EntityManager): Promise<KeyObject> {
  const database = em.getDriver()
  const secret = secrets.get(database) ?? readLinkSecret(em)
  secrets.set(database, secret)
  secret.catch(() => secrets.delete(database))
  return secret
}
