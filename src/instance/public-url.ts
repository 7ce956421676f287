import { readPublicUrl, setPublicUrl } from './queries.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Log } from '../outbox/index.ts'

/** The error if mail should be delivered but no process has set the URL of its links: recipients could not unsubscribe. */
const NO_PUBLIC_URL =
  'Mail should be delivered, but no public URL is set, so recipients could not unsubscribe. ' +
  "Set PUBLIC_URL, such as PUBLIC_URL='https://mail.example.com'; this instance remembers it."

/** The error if links use http and the mail leaves this machine. */
export const PUBLIC_URL_NOT_HTTPS =
  'Mail should be delivered, but the public URL does not use https. Gmail, Yahoo and Outlook require one-click unsubscribe for ' +
  'bulk email, which works only over https (RFC 8058). ' +
  "Set PUBLIC_URL to an https URL, such as PUBLIC_URL='https://mail.example.com'."

/**
 * Agrees with the other processes of the instance on the URL of links in emails. A process with PUBLIC_URL sets it for all, as
 * with the sender. If mail is captured or the mail server is on this machine, it may be this machine. It must use https unless all
 * mail servers are local.
 *
 * @param settings.delivers whether this process should deliver mail; `toThisMachine`: whether its mail server is on this machine;
 * `isLocal`: see `isLocal`
 * @throws {Error} that says what to set
 */
export async function agreeOnPublicUrl(
  em: EntityManager,
  log: Log,
  settings: {
    publicUrl: string | undefined
    delivers: boolean
    toThisMachine: boolean
    isLocal: boolean
    port: number
  },
): Promise<string> {
  const unit = em.fork()
  const before = await readPublicUrl(unit)
  const url = settings.publicUrl ?? before
  if (url === null) {
    const here = `http://localhost:${settings.port}`
    if (!settings.delivers) return here
    if (!settings.toThisMachine) throw new Error(NO_PUBLIC_URL)
    log.warn({}, `PUBLIC_URL is not set: links in emails lead to ${here}, which only works on this machine`)
    return here
  }
  if (settings.delivers && !url.startsWith('https:')) {
    if (!settings.isLocal) throw new Error(PUBLIC_URL_NOT_HTTPS)
    log.warn({}, NOT_HTTPS)
  }
  if (before !== url) await setPublicUrl(unit, url)
  return url
}

/** Returns the public URL: the one in the configuration, the one that any process has set before, otherwise this machine. */
export const findPublicUrl = async (
  em: EntityManager,
  { PUBLIC_URL, PORT }: { PUBLIC_URL?: string | undefined; PORT: number },
): Promise<string> => PUBLIC_URL ?? (await readPublicUrl(em)) ?? `http://localhost:${PORT}`

const NOT_HTTPS =
  'PUBLIC_URL does not use https. Mail programs show no unsubscribe button without it (RFC 8058), and large mailbox providers ' +
  'reject bulk mail'
