import type { Renderer } from '../templates/index.ts'
import type { Dependencies } from '../outbox/index.ts'

export interface ApiDependencies extends Dependencies {
  /** What is missing for full service, by name; empty when all is well. */
  checkReadiness(): Promise<string[]>
  /** What the process can't recover from by itself, in words; empty when all is well. */
  checkHealth(): string[]
  /** Whether the log goes to a person's terminal. */
  isLogWatched: boolean
  /** Tries the templates that are saved. */
  renderer: Renderer
  /** Whose `X-Forwarded-For` is believed: addresses and CIDR ranges. */
  trustedProxies: readonly string[]
}
