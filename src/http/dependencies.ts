import type { Renderer } from '../rendering/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Dns } from '../platform/dns.ts'
import type { ImageReader } from '../platform/image.ts'
import type { Oidc } from '../platform/oidc.ts'
import type { Passwords } from '../platform/passwords.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { WriteAuditEntry } from './audit-request.ts'
import type { RecordRequest } from './finished-request.ts'
import type { SendTestEmail, ServiceStatus } from './service-status.ts'
import type { AuthenticateKey, AuthenticateSession } from './visitor.ts'

export interface ApiDependencies extends Dependencies {
  authenticateKey: AuthenticateKey
  authenticateSession: AuthenticateSession
  writeAuditEntry: WriteAuditEntry
  /** Adds a request to the request log of its workspace, without waiting for it. */
  recordRequest: RecordRequest
  /** Requires that a session started recently. @throws {ApiError} `sign_in_again` */
  requireRecentSignIn: (em: EntityManager, sessionId: string) => Promise<void>
  /** Requests of one workspace that may hold a database connection at the same time. */
  maxRequestsPerWorkspace: number
  /** Names the servers that cannot be reached; empty when all is well. */
  checkReadiness(): Promise<string[]>
  /** Problems that the process cannot recover from by itself; empty when all is well. */
  checkHealth(): string[]
  /** True if the log goes to a terminal. */
  isLogWatched: boolean
  /** Checks the state of Postgres, Temporal and the mail server. */
  lookAtService: () => Promise<ServiceStatus>
  passwords: Passwords
  /** The provider for single sign-on; `undefined` if none is configured. */
  oidc: Oidc | undefined
  /** The public URL of the service (PUBLIC_URL); `undefined` to take it from each request. */
  publicUrl: string | undefined
  /** Returns the public URL: of the configuration, or the one that a process has set before; `null` if none has. */
  findPublicUrl: () => Promise<string | null>
  /** Renders templates to check them before they are saved. */
  renderer: Renderer
  sendTestEmail: SendTestEmail
  /** Returns whether the instance delivers its mail rather than capturing it. */
  deliversMail: () => Promise<boolean>
  /** Encrypts secrets that must not be stored in plain text. */
  secrets: Secrets
  dns: Dns
  /** Names and addresses in private networks that webhooks may reach, and that image previews may load from. */
  webhookAllowedHosts: readonly string[]
  /** Converts images that members upload, and those of previews. */
  images: ImageReader
  /** Maximum bytes of the files in the media library of a workspace. */
  maxMediaBytes: number
  /** Emails per second that the instance sends (SEND_RATE); `null` without a limit. */
  sendRate: number | null
  /** Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
}
