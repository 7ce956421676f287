import { createHash } from 'node:crypto'
import type { EntryRules } from '../automations/index.ts'
import type { EntryRule } from '../triggers/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { readPath } from '../platform/json-path.ts'
import { type Condition, contactMatches } from '../segments/index.ts'
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
  at: Date
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
  { workspaceId, automationId, contactId, eventData, dedupKey, at }: EntryRequest,
): Promise<Admission> {
  if (concurrencyKey === undefined) return { refusedBy: 'KEY' }
  if (filter) {
    const condition = filter as unknown as Condition
    if (!(await contactMatches(em, workspaceId, contactId, condition, { at, eventData })))
      return { refusedBy: 'FILTER' }
  }
  if (reentry === 'ALWAYS') return { concurrencyKey }
  const last = await lastEntry(em, { automationId, contactId, concurrencyKey, dedupKey })
  return last && !last.isActive && !mayReenter(reentry, last.enrolledAt, at)
    ? { refusedBy: 'REENTRY' }
    : { concurrencyKey }
}

/** Whether a contact may enter again after an enrollment that has ended. */
export const mayReenter = (reentry: EntryRules['reentry'], lastEnrolledAt: Date, at: Date): boolean => {
  if (reentry === undefined || reentry === 'ALWAYS') return true
  return reentry !== 'ONCE' && at.getTime() >= lastEnrolledAt.getTime() + reentry.afterMinutes * 60_000
}

/**
 * Returns the key by which a contact can be in an automation several times: a hash, because the value can be personal. Empty for
 * an automation without one; `undefined` if the event has no such value, or one that is no text, number or boolean.
 */
export function concurrencyKeyOf(concurrency: EntryRules['concurrency'], eventData: unknown): string | undefined {
  if (concurrency === undefined || concurrency === 'ONE') return ''
  return hashOfKey(readPath(eventData, concurrency.key.replace(/^event\.data\./, '')))
}

/** @returns `undefined` if the value cannot be a key */
export function hashOfKey(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = String(value)
  if (text === '' || text.length > MAX_KEY_LENGTH) return undefined
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
