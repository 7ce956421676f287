import type { Renderer } from '../rendering/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { Oidc } from '../platform/oidc.ts'
import type { Passwords } from '../platform/passwords.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { WriteAuditEntry } from './audit-request.ts'
import type { SendTestEmail, ServiceStatus } from './service-status.ts'
import type { AuthenticateKey, AuthenticateSession } from './visitor.ts'

export interface ApiDependencies extends Dependencies {
  authenticateKey: AuthenticateKey
  authenticateSession: AuthenticateSession
  writeAuditEntry: WriteAuditEntry
  /** Requests of one workspace that may hold a database connection at the same time. */
  maxRequestsPerWorkspace: number
  /** What is missing for full service, by name; empty when all is well. */
  checkReadiness(): Promise<string[]>
  /** What the process can't recover from by itself, in words; empty when all is well. */
  checkHealth(): string[]
  /** Whether the log goes to a person's terminal. */
  isLogWatched: boolean
  /** How all that the service works with is. */
  lookAtService: () => Promise<ServiceStatus>
  passwords: Passwords
  /** By which other service people may sign in, too; `undefined`: by none. */
  oidc: Oidc | undefined
  /** Where browsers reach the service (PUBLIC_URL); `undefined`: where their requests say. */
  publicUrl: string | undefined
  /** Tries the templates that are saved. */
  renderer: Renderer
  sendTestEmail: SendTestEmail
  /** Keeps what must not lie in the database as it is. */
  secrets: Secrets
  /** Asks the DNS for the texts of a name, and for who takes its mail. */
  dns: Record<'texts' | 'exchanges', (name: string) => Promise<string[]>>
  /** Whose `X-Forwarded-For` is believed: addresses and CIDR ranges. */
  trustedProxies: readonly string[]
}
