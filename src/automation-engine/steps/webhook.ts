import { byActivity } from './by-activity.ts'
import type { EngineStepType } from './step-type.ts'

export interface WebhookOutline {
  id: string
  type: 'WEBHOOK'
}

export const WEBHOOK_METHODS = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number]

export interface StoredWebhook extends WebhookOutline {
  url: string
  method: WebhookMethod
  headers: Record<string, string>
  /** A JSON value whose strings are Liquid templates; `null` sends no body. */
  body: unknown
  /** The name under which conditions and templates find the response: `steps.NAME`. */
  saveAs: string | null
}

/** Sends an HTTP request. A failed one is repeated after a durable timer. */
export const webhook: EngineStepType<WebhookOutline, StoredWebhook> = byActivity('WEBHOOK')
