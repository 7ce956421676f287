import { readPublicUrl, setPublicUrl } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** The error if mail should be delivered but no process has set the URL of its links: recipients could not unsubscribe. */
export const NO_PUBLIC_URL =
  'Mail should be delivered, but no public URL is set, so recipients could not unsubscribe. ' +
  "Set PUBLIC_URL, such as PUBLIC_URL='https://mail.example.com'; this instance remembers it."

/**
 * Agrees with the other processes of the instance on the URL of links in emails. A process with PUBLIC_URL sets it for all, as
 * with the sender. If mail is captured or the mail server is local, it may be this machine.
 *
 * @param settings.delivers whether this process should deliver mail; `toThisMachine`: whether its mail server is local
 * @throws {Error} that says what to set
 */
export async function agreeOnPublicUrl(
  em: EntityManager,
  log: Log,
  settings: { publicUrl: string | undefined; delivers: boolean; toThisMachine: boolean; port: number },
): Promise<string> {
  const unit = em.fork()
  const before = await readPublicUrl(unit)
  if (settings.publicUrl === undefined) {
    if (before !== null) return before
    const here = `http://localhost:${settings.port}`
    if (!settings.delivers) return here
    if (!settings.toThisMachine) throw new Error(NO_PUBLIC_URL)
    log.warn({}, `PUBLIC_URL is not set: links in emails lead to ${here}, which only works on this machine`)
    return here
  }
  if (settings.delivers && !settings.publicUrl.startsWith('https:')) log.warn({}, NOT_HTTPS)
  if (before !== settings.publicUrl) await setPublicUrl(unit, settings.publicUrl)
  return settings.publicUrl
}

/** Returns the public URL: the one in the configuration, the one that any process has set before, otherwise this machine. */
export const findPublicUrl = async (
  em: EntityManager,
  { PUBLIC_URL, PORT }: { PUBLIC_URL?: string | undefined; PORT: number },
): Promise<string> => PUBLIC_URL ?? (await readPublicUrl(em)) ?? `http://localhost:${PORT}`

const NOT_HTTPS =
  'PUBLIC_URL does not use https. Mail programs show no unsubscribe button without it (RFC 8058), and large mailbox providers ' +
  'reject bulk mail'
