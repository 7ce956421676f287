import { resolveAllSegments, type ResolvedCondition, Segment, SEGMENT_NOT_FOUND } from '../segments/index.ts'
import { findExistingLists, LIST_NOT_FOUND } from '../lists/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { timeIn } from '../workspaces/index.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId, normalizeId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import type { EmailCategory } from '../automation-engine/index.ts'
import type { ContactSuppressedBy } from '../contacts/index.ts'
import type { Audience } from './campaign.ts'
import {
  countRecipients,
  hasRecipients,
  type Recipients,
  findZoneWithRecipient,
  zonesOfRecipients,
} from './recipients-queries.ts'

interface Named {
  listIds?: string[] | undefined
  segmentIds?: string[] | undefined
}

/** An audience as given in a request. Empty if nothing is given. */
export type RequestedAudience = Named & { exclude?: Named | undefined }

const named = ({ listIds = [], segmentIds = [] }: Named = {}) => ({
  listIds: [...new Set(listIds.map(normalizeId))],
  segmentIds: [...new Set(segmentIds.map(normalizeId))],
})

const spelled = (given: RequestedAudience | undefined): Audience => ({
  ...named(given),
  exclude: named(given?.exclude),
})

/**
 * Resolves an audience to its lists and conditions, and names the parts that do not exist.
 * @param options.lock locks the lists until the end of the transaction; a list that is being deleted counts as missing
 * @param options.at the instant to which relative dates refer, by default the time of the workspace
 */
export async function recipientsOf(
  em: EntityManager,
  workspaceId: string,
  { listIds, segmentIds, exclude }: Audience,
  { at, ...options }: { lock?: boolean; at?: Date } = {},
): Promise<Recipients & { missing: 'list' | 'segment' | null }> {
  const allLists = [...listIds, ...exclude.listIds]
  const allSegments = [...segmentIds, ...exclude.segmentIds]
  const known = allLists.filter(isId)
  const lists =
    known.length === 0 ? new Set<string>() : await findExistingLists(unitOf(em), workspaceId, known, options)
  const ids = allSegments.filter(isId)
  const segments = ids.length === 0 ? [] : await unitOf(em).find(Segment, { workspaceId, id: { $in: ids } }, FRESH_READ)
  const resolved = await resolveAllSegments(
    em,
    workspaceId,
    segments.map(({ condition }) => condition),
  )
  const conditions = new Map(segments.map(({ id }, n) => [id, resolved[n]!]))
  const conditionsOf = (wanted: readonly string[]): ResolvedCondition[] =>
    wanted.flatMap((id) => conditions.get(id) ?? [])
  return {
    at: at ?? (await timeIn(em, workspaceId)),
    missing: allLists.some((id) => !lists.has(id))
      ? 'list'
      : allSegments.some((id) => !conditions.has(id))
        ? 'segment'
        : null,
    listIds,
    conditions: conditionsOf(segmentIds),
    excludedListIds: exclude.listIds,
    excludedConditions: conditionsOf(exclude.segmentIds),
  }
}

async function knownRecipients(
  em: EntityManager,
  workspaceId: string,
  audience: Audience,
  options?: { lock: boolean },
): Promise<Recipients> {
  const { missing, ...recipients } = await recipientsOf(em, workspaceId, audience, options)
  if (missing === null) return recipients
  throw new ApiError(missing === 'list' ? LIST_NOT_FOUND : SEGMENT_NOT_FOUND, { param: '/audience' })
}

/** @throws {ApiError} `list_not_found`; `segment_not_found` */
export async function audienceOf(
  em: EntityManager,
  workspaceId: string,
  given: RequestedAudience | undefined,
  options?: { lock: boolean },
): Promise<Audience> {
  const audience = spelled(given)
  await knownRecipients(em, workspaceId, audience, options)
  return audience
}

/**
 * Returns whether an audience has no contacts at this moment. Locks its lists until the end of the transaction.
 * @throws {ApiError} `list_not_found`; `segment_not_found`
 */
export async function isAudienceEmpty(unit: EntityManager, workspaceId: string, audience: Audience): Promise<boolean> {
  const recipients = await knownRecipients(unit, workspaceId, audience, { lock: true })
  return !(await hasRecipients(unit, workspaceId, recipients))
}

/**
 * Counts the contacts who would get an email at this moment, and those of the audience who would not, by reason.
 * @throws {ApiError} `list_not_found`; `segment_not_found`
 */
export async function countAudience(
  em: EntityManager,
  workspaceId: string,
  {
    audience,
    category = 'marketing',
  }: { audience?: RequestedAudience | undefined; category?: EmailCategory | undefined },
): Promise<{ contactCount: number; suppressed: { reason: ContactSuppressedBy; count: number }[] }> {
  const of = await knownRecipients(em, workspaceId, spelled(audience))
  const { recipients, suppressed } = await countRecipients(em.fork(), workspaceId, of, category)
  return { contactCount: suppressed.reduce((left, { count }) => left - count, recipients), suppressed }
}

/**
 * Finds a time zone in which a contact of the audience would be mailed, as stored on the contact; `''` for contacts without one.
 * @param isMeant selects the zones to look for
 * @throws {ApiError} `list_not_found`; `segment_not_found`
 */
export async function findZone(
  em: EntityManager,
  workspaceId: string,
  { audience, category }: { audience: RequestedAudience; category: EmailCategory },
  isMeant: (zone: string) => boolean,
): Promise<string | undefined> {
  const recipients = await knownRecipients(em, workspaceId, spelled(audience))
  const zones = (await zonesOfRecipients(em.fork(), workspaceId, recipients)).filter(isMeant)
  return zones.length === 0 ? undefined : findZoneWithRecipient(em.fork(), workspaceId, recipients, { zones, category })
}
