import { defineSignal } from '@temporalio/workflow'
import type { OfInstance } from './contract.ts'

/** What the `retry` workflow is started with. */
export interface RetryInput extends OfInstance {
  workspaceId: string
  messageId: string
}

/** What became of the message: the workflow's result. `null` where there was nothing to try again any more. */
export interface RetryResult {
  status: string | null
}

/** The workflow id of a message that is tried again: one at a time. */
export const retryWorkflowId = (messageId: string): string => `retry:${messageId}`.toLowerCase()

/** The workflow's type, which is started by its name. */
export type RetryWorkflow = (input: RetryInput) => Promise<RetryResult>

/** Somebody has asked for it, perhaps once more while it was being tried: it is looked again before the workflow ends. */
export const askedSignal = defineSignal('asked')
