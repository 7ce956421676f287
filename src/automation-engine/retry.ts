import { defineSignal } from '@temporalio/workflow'
import type { InstanceRef } from './contract.ts'

/** Input of the `retry` workflow. */
export interface RetryInput extends InstanceRef {
  workspaceId: string
  messageId: string
}

/** Result of the workflow: the message's outcome. `null` if there was nothing left to retry. */
export interface RetryResult {
  status: string | null
}

/** The workflow ID of a message's retry. Only one can run at a time. */
export const retryWorkflowId = (messageId: string): string => `retry:${messageId}`.toLowerCase()

/** The type of the workflow, which is started by its name. */
export type RetryWorkflow = (input: RetryInput) => Promise<RetryResult>

/** Signals that a retry was requested, possibly again during a retry. The workflow checks for requests before it ends. */
export const retryRequestedSignal = defineSignal('retryRequested')
