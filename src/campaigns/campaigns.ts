import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId, newId } from '../platform/ids.ts'
import { MAX_NAME_LENGTH } from '../http/index.ts'
import { CONFLICT, ApiError } from '../platform/api-error.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import { audienceOf } from './audience.ts'
import type { CampaignStatus } from './campaign.ts'
import { copyContents, writeContents } from './contents-queries.ts'
import { Campaign } from './entities.ts'
import { type CampaignInput, CONTENT_MISSING, type Prepared } from './prepare.ts'
import { hasOpen } from './queries.ts'
import { CAMPAIGN_NOT_FOUND, CAMPAIGN_STATUS_WRONG } from './errors.ts'

/** @throws {ApiError} `campaign_not_found` */
export async function getCampaign(em: EntityManager, workspaceId: string, id: string): Promise<Campaign> {
  const campaign = isId(id) ? await unitOf(em).findOne(Campaign, { id, workspaceId }, FRESH_READ) : null
  if (!campaign) throw new ApiError(CAMPAIGN_NOT_FOUND)
  return campaign
}

/**
 * Locks a campaign against changes until the transaction ends.
 * @throws {ApiError} `campaign_not_found`; `revision_conflict` if it has none of the expected revisions
 */
export async function lockCampaign(
  unit: EntityManager,
  workspaceId: string,
  id: string,
  expected?: Revisions,
): Promise<Campaign> {
  const campaign = isId(id)
    ? await unit.findOne(Campaign, { id, workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
    : null
  if (!campaign) throw new ApiError(CAMPAIGN_NOT_FOUND)
  assertUnchanged(expected, campaign.revision)
  return campaign
}

/** Creates a campaign, as a DRAFT. @throws {ApiError} `list_not_found`; `segment_not_found` */
export function createCampaign(
  em: EntityManager,
  workspaceId: string,
  { name = '', category, audience, throttlePerHour }: CampaignInput,
  { said, contents }: Prepared,
  id = newId(),
): Promise<Campaign> {
  return unitOf(em).transactional(async (unit) => {
    const campaign = unit.create(Campaign, {
      id,
      workspaceId,
      name,
      status: 'DRAFT',
      ...(category !== undefined && { category }),
      audience: await audienceOf(unit, workspaceId, audience),
      throttlePerHour: throttlePerHour ?? null,
      ...(said ?? CONTENT_MISSING),
    })
    await unit.flush()
    if (contents) await writeContents(unit, id, contents)
    return campaign
  })
}

/**
 * Creates a DRAFT with the content, audience and limits of a campaign in any status, without its schedule and results.
 * @throws {ApiError} `campaign_not_found`
 */
export function duplicateCampaign(
  em: EntityManager,
  workspaceId: string,
  id: string,
  copyId: string,
): Promise<Campaign> {
  return unitOf(em).transactional(async (unit) => {
    const original = await lockCampaign(unit, workspaceId, id)
    const { category, templateId, templateVersion, source, abTest, audience, throttlePerHour } = original
    const copy = unit.create(Campaign, {
      ...{ id: copyId, workspaceId, status: 'DRAFT' },
      ...{ category, templateId, templateVersion, source, abTest, audience, throttlePerHour },
      // A code point may have two units: the limit counts code points.
      name: [...`Copy of ${original.name}`].slice(0, MAX_NAME_LENGTH).join(''),
    })
    await unit.flush()
    await copyContents(unit, { from: id, to: copyId })
    return copy
  })
}

/** Creates the error for an operation that the campaign's status does not allow. */
export const wrongStatusError = (status: CampaignStatus, what: string): ApiError =>
  new ApiError(CAMPAIGN_STATUS_WRONG, { message: `The campaign is ${status}: ${what}` })

/** Changes a DRAFT. @throws {ApiError} `campaign_not_found`; `campaign_status_wrong`; `revision_conflict`; `conflict` */
export function updateCampaign(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { name, category, audience, throttlePerHour }: CampaignInput,
  { said, contents, revision }: Prepared,
  expected: Revisions,
): Promise<Campaign> {
  return unitOf(em).transactional(async (unit) => {
    const campaign = await lockCampaign(unit, workspaceId, id, expected)
    if (campaign.status !== 'DRAFT') throw wrongStatusError(campaign.status, 'only a DRAFT can be changed')
    // The content was compiled from an earlier revision.
    if (revision !== undefined && revision !== campaign.revision) throw new ApiError(CONFLICT)
    if (name !== undefined) campaign.name = name
    if (category !== undefined) campaign.category = category
    if (audience !== undefined) campaign.audience = await audienceOf(unit, workspaceId, audience)
    if (throttlePerHour !== undefined) campaign.throttlePerHour = throttlePerHour
    if (said) Object.assign(campaign, said)
    if (contents) await writeContents(unit, id, contents)
    return saveWithNewRevision(unit, campaign)
  })
}

/** Increments the revision, and saves the campaign. */
export async function saveWithNewRevision(unit: EntityManager, campaign: Campaign): Promise<Campaign> {
  campaign.revision += 1
  campaign.updatedAt = new Date()
  await unit.flush()
  return campaign
}

/**
 * Deletes a campaign that no longer sends anything. Messages that it sent stay with their contacts. @throws {ApiError}
 * `campaign_status_wrong`
 */
export async function deleteCampaign(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  await unitOf(em).transactional(async (unit) => {
    const { status } = await lockCampaign(unit, workspaceId, id)
    if (status === 'SCHEDULED' || status === 'SENDING' || status === 'PAUSED')
      throw wrongStatusError(status, 'cancel it first')
    // After the deletion, no process would finalize these messages.
    if (await hasOpen(unit, id))
      throw wrongStatusError(status, 'its remaining messages are being dismissed. Try again in a moment')
    await unit.nativeDelete(Campaign, { id })
  })
}
