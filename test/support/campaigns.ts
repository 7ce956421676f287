import assert from 'node:assert/strict'
import { eventually } from './eventually.ts'
import type { Service } from './service.ts'

export interface CampaignRead {
  status: string
  startedAt: string
  pauseReason: string | null
  stats: Partial<Record<string, number>>
}

export const readCampaign = async (service: Service, id: string): Promise<CampaignRead> =>
  (await service.call('GET', `campaigns/${id}`)).body.data as CampaignRead

/** Waits until a campaign has a status. */
export const campaignIs = (service: Service, id: string, status: string): Promise<CampaignRead> =>
  eventually(`the campaign is ${status}`, async () => {
    const campaign = await readCampaign(service, id)
    return campaign.status === status ? campaign : undefined
  })

/** Creates a campaign to lists over HTTP, as a DRAFT. @returns its ID */
export async function aDraftCampaign(service: Service, listIds: string[], fields: object = {}): Promise<string> {
  const campaign = { name: 'News', subject: 'News', text: 'Hello', audience: { listIds }, ...fields }
  const { body } = await service.call('POST', 'campaigns', campaign)
  return (body.data as { id: string }).id
}

/** Creates a campaign to lists over HTTP, and starts sending it. @returns its ID */
export async function aCampaign(service: Service, listIds: string[], fields: object = {}): Promise<string> {
  const id = await aDraftCampaign(service, listIds, fields)
  const { status, body: answer } = await service.call('POST', `campaigns/${id}/schedule`, {})
  assert.equal(status, 202, JSON.stringify(answer))
  return id
}
