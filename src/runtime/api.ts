import { createImageReader } from '../media/index.ts'
import type { AddressInfo } from 'node:net'
import { createSessionAuthentication, requireRecentSignIn } from '../accounts/index.ts'
import { writeEntry } from '../audit/index.ts'
import { createApi } from '../http/index.ts'
import { readMailMode, readPublicUrl } from '../instance/index.ts'
import { createOidc, type Oidc } from '../platform/oidc.ts'
import type { Config } from '../platform/config.ts'
import { createDns } from '../platform/dns.ts'
import { createSecrets } from '../platform/secrets.ts'
import { createPasswords } from '../platform/passwords.ts'
import { createRequestLog } from '../request-log/index.ts'
import { createRenderer } from '../rendering/index.ts'
import { createSmtpTransport, type MailTransport, readSmtpUrl } from '../smtp/index.ts'
import { createKeyAuthentication } from '../workspaces/index.ts'
import type { Context } from './context.ts'
import { createHttpServer } from './http-server.ts'
import { API } from './operations.ts'
import { createReadiness } from './readiness.ts'
import { listen, type RunningService } from './running-service.ts'
import { createServiceStatus } from './service-status.ts'
import { startSubmissionServer } from './submission-server.ts'
import { createTestEmail } from './test-email.ts'

/** Starts the API. @throws {Error} naming `PORT` if it is in use */
export async function startApi(context: Context): Promise<RunningService & { port: number }> {
  const { config, dependencies, health } = context
  const renderer = createRenderer()
  health.watch(() => renderer.problem())
  const smtp = ownTransport(config)
  const checkReadiness = createReadiness(context)
  const authenticateKey = createKeyAuthentication(dependencies.em)
  const images = createImageReader()
  const requestLog = createRequestLog(dependencies.em, dependencies.log)
  const app = createApi(
    {
      ...dependencies,
      renderer,
      lookAtService: createServiceStatus(context, checkReadiness, smtp),
      sendTestEmail: createTestEmail(context, smtp),
      deliversMail: async () => (await readMailMode(dependencies.em.fork())) === 'smtp',
      secrets: createSecrets(config.SECRETS_KEY),
      dns: createDns(config.dnsServers),
      passwords: createPasswords(),
      oidc: oidcOf(config),
      authenticateKey,
      authenticateSession: createSessionAuthentication(dependencies.em),
      writeAuditEntry: writeEntry,
      recordRequest: requestLog.record,
      requireRecentSignIn,
      maxRequestsPerWorkspace: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE * 0.6)),
      isLogWatched: process.stdout.isTTY,
      checkReadiness,
      checkHealth: () => health.problems(),
      webhookAllowedHosts: config.webhookAllowedHosts,
      images,
      maxMediaBytes: config.MEDIA_MAX_MB * 1024 * 1024,
      sendRate: config.SEND_RATE ?? null,
      trustedProxies: config.trustedProxies,
      publicUrl: config.PUBLIC_URL,
      findPublicUrl: async () => config.PUBLIC_URL ?? (await readPublicUrl(dependencies.em.fork())),
    },
    API,
  )
  const submissions = await startSubmissionServer(context, authenticateKey)
  const handle = app.callback()
  const server = createHttpServer((request, response) => void handle(request, response))
  await listen(server, 'PORT', config.PORT, config.HOST)
  const stopped = new Promise<void>((resolve) => server.once('close', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    ended: stopped,
    async stop() {
      // Requests in progress are completed, and idle connections are closed.
      server.close()
      await submissions?.close()
      server.closeIdleConnections()
      const hurry = setTimeout(() => server.closeAllConnections(), 10_000)
      await stopped
      clearTimeout(hurry)
      await requestLog.flush()
      await renderer.close()
      await images.close()
      await smtp?.close()
    },
  }
}

/** @throws {Error} if only one of the two is set */
function oidcOf({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME }: Config): Oidc | undefined {
  if (OIDC_ISSUER === undefined && OIDC_CLIENT_ID === undefined) return undefined
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined)
    throw new Error('OIDC_ISSUER and OIDC_CLIENT_ID must be set together, or not at all')
  return createOidc({
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    name: OIDC_NAME,
  })
}

/** A transport for test emails and checks: one connection, separate from the worker's. */
const ownTransport = ({ SMTP_URL, MAIL_CAPTURE }: Config): MailTransport | undefined =>
  SMTP_URL === undefined || MAIL_CAPTURE
    ? undefined
    : createSmtpTransport({ server: readSmtpUrl(SMTP_URL), maxConnections: 1 })
