import type { InstanceRef } from './contract.ts'

/** Identifies a transactional email for its activities. */
export interface TransactionalEmailRef extends InstanceRef {
  workspaceId: string
  /** The ID of the email, and of its message. */
  emailId: string
}

/** Input of the `transactionalEmail` workflow. */
export interface TransactionalEmailInput extends TransactionalEmailRef {
  /** When to send it, in milliseconds since 1970. */
  sendAt: number
}

/** Result of the workflow: the message's outcome. `null` if there was nothing left to send. */
export interface TransactionalEmailResult {
  status: string | null
}

/** The workflow ID of a transactional email. Only one can run at a time. */
export const transactionalEmailWorkflowId = (emailId: string): string => `email:${emailId}`.toLowerCase()

/**
 * The turn of a workspace's transactional emails, in the sending queue and for connections: they do not wait for the workspace's
 * campaigns.
 */
export const emailTurnOf = (workspaceId: string): string => `${workspaceId} emails`

/** The type of the workflow, which is started by its name. */
export type TransactionalEmailWorkflow = (input: TransactionalEmailInput) => Promise<TransactionalEmailResult>
