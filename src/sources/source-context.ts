import type { EventSource } from '../triggers/index.ts'

/** The context of the calls of one request. */
export interface SourceContext {
  workspaceId: string
  source: EventSource
  /** Whether the relay delivers what the calls start, in the bulk lane. */
  isBulk: boolean
  /** Whether the caller may see the ID of another contact that has an address or an external ID. */
  tellsWhose: boolean
}
