import { defineSignal } from '@temporalio/workflow'
import type { OfInstance } from './contract.ts'

/** What the `campaign` workflow is started with: all else is in the ledger. */
export interface CampaignInput extends OfInstance {
  workspaceId: string
  campaignId: string
}

/** What comes next of a campaign, as the ledger says: on at once, later, when somebody changes it, or nothing. */
export interface CampaignStep {
  next: 'go-on' | 'wait' | 'end'
  /** Until when to wait, in milliseconds since 1970; `null`: until it is changed. */
  until?: number | null
}

/** The workflow id of a campaign: one at a time. */
export const campaignWorkflowId = (campaignId: string): string => `campaign:${campaignId}`.toLowerCase()

/** The workflow's type, which is started by its name. */
export type CampaignWorkflow = (input: CampaignInput) => Promise<void>

/** It was scheduled, paused, resumed or cancelled: it is looked again what comes next. */
export const campaignChangedSignal = defineSignal('campaignChanged')
