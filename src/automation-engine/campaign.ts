import { defineSignal } from '@temporalio/workflow'
import type { InstanceRef } from './contract.ts'

/** Input of the `campaign` workflow. Everything else is in the database. */
export interface CampaignInput extends InstanceRef {
  workspaceId: string
  campaignId: string
}

/** Next action of a campaign, according to the database: continue immediately, later, or after a change, or end. */
export interface CampaignStep {
  next: 'continue' | 'wait' | 'end'
  /** When to continue, in milliseconds since 1970; `null` waits for a change. */
  until?: number | null
}

/** The workflow ID of a campaign. Only one can run at a time. */
export const campaignWorkflowId = (campaignId: string): string => `campaign:${campaignId}`.toLowerCase()

/** The type of the workflow, which is started by its name. */
export type CampaignWorkflow = (input: CampaignInput) => Promise<void>

/** Sent when the campaign was scheduled, paused, resumed or cancelled. The workflow then checks what to do next. */
export const campaignChangedSignal = defineSignal('campaignChanged')
