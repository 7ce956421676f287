import { readPublicUrl, setPublicUrl } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** Said where mail is to be delivered and nobody has ever said where its links lead: nobody could unsubscribe. */
export const NO_PUBLIC_URL =
  'Mail is to be delivered, and nobody has said where recipients reach this service: nobody could unsubscribe. ' +
  "Set PUBLIC_URL, such as PUBLIC_URL='https://mail.example.com'; this instance remembers it."

/**
 * Agrees with the other parts of the instance on where links in emails lead. Whoever sets PUBLIC_URL says it for all, as with
 * the sender. Where mail is captured, or its server is on this machine, it may be this machine.
 *
 * @param said.delivers whether this part is to deliver mail, and `toThisMachine` whether to a server on this machine
 * @throws {Error} that says what to set
 */
export async function agreeOnPublicUrl(
  em: EntityManager,
  log: Log,
  said: { publicUrl: string | undefined; delivers: boolean; toThisMachine: boolean; port: number },
): Promise<string> {
  const unit = em.fork()
  const before = await readPublicUrl(unit)
  if (said.publicUrl === undefined) {
    if (before !== null) return before
    const here = `http://localhost:${said.port}`
    if (!said.delivers) return here
    if (!said.toThisMachine) throw new Error(NO_PUBLIC_URL)
    log.warn({}, `PUBLIC_URL is not set: links in emails lead to ${here}, which only this machine reaches`)
    return here
  }
  if (said.delivers && !said.publicUrl.startsWith('https:')) log.warn({}, NOT_HTTPS)
  if (before !== said.publicUrl) await setPublicUrl(unit, said.publicUrl)
  return said.publicUrl
}

/** Where browsers reach the service: as it is said here, or was said before by whichever part, or else on this machine. */
export const findPublicUrl = async (
  em: EntityManager,
  { PUBLIC_URL, PORT }: { PUBLIC_URL?: string | undefined; PORT: number },
): Promise<string> => PUBLIC_URL ?? (await readPublicUrl(em)) ?? `http://localhost:${PORT}`

const NOT_HTTPS =
  'PUBLIC_URL is not https: mail programs show no button for unsubscribing then (RFC 8058), and large mailbox providers refuse ' +
  'bulk mail without it'
