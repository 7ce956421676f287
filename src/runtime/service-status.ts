import type { ServiceStatus } from '../http/index.ts'
import { readMailMode, readMailSender } from '../instance/index.ts'
import type { Config } from '../platform/config.ts'
import { addressOfServer, type MailTransport, readSmtpUrl } from '../smtp/index.ts'
import type { Context } from './context.ts'
import { shareCheck } from './readiness.ts'
import { countWorkers } from './count-workers.ts'

/** The time for which a status is reused, in milliseconds: it queries three servers. */
const CACHE_MS = 10_000
/** The time within which each server must respond, in milliseconds. */
const TIMEOUT_MS = 3_000

/** Checks the services that Dripline depends on. @param smtp the mail transport of this process, if any */
export function createServiceStatus(
  context: Context,
  checkReadiness: () => Promise<string[]>,
  smtp: MailTransport | undefined,
): () => Promise<ServiceStatus> {
  return shareCheck(async () => {
    const { config } = context
    const missing = await checkReadiness()
    const postgres = { isReachable: !missing.includes('Postgres') }
    const isReachable = !missing.includes('Temporal')
    const [workers, mail] = await Promise.all([
      isReachable ? countWorkers(context.temporal, config, TIMEOUT_MS).catch(() => null) : Promise.resolve(null),
      lookAtMail(context, smtp, postgres.isReachable),
    ])
    const namespace = config.TEMPORAL_NAMESPACE
    const uiUrl = config.TEMPORAL_UI_URL?.replace(/\/+$/, '') ?? null
    return { postgres, temporal: { isReachable, namespace, uiUrl, workers }, mail }
  }, CACHE_MS)
}

async function lookAtMail(
  { orm, config }: Context,
  smtp: MailTransport | undefined,
  isLedgerThere: boolean,
): Promise<ServiceStatus['mail']> {
  const em = orm.em.fork()
  const [said, agreed] = isLedgerThere
    ? await Promise.all([readMailMode(em), readMailSender(orm.em.fork())]).catch(() => [null, null])
    : [null, null]
  const mode = said ?? (smtp ? 'smtp' : 'capture')
  // Captured mail needs no server.
  const failure = mode === 'smtp' && smtp ? ((await smtp.tryConnection()) ?? null) : null
  return { mode, sender: config.MAIL_FROM ?? agreed, server: serverOf(config), failure }
}

const serverOf = ({ SMTP_URL }: Config): string | null =>
  SMTP_URL === undefined ? null : addressOfServer(readSmtpUrl(SMTP_URL))
