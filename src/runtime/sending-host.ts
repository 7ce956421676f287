import ipaddr from 'ipaddr.js'
import type { Dns } from '../platform/dns.ts'
import { addressOfServer, isOnThisMachine, readGreeting, type SmtpServer } from '../smtp/index.ts'

/** Name of the host that sends, as receivers see it, and a recommendation if they distrust it. */
export interface SendingHost {
  words: string
  advice?: string
}

/**
 * Checks the name and the reverse DNS of the host that sends to recipients. Receivers reject mail from hosts whose address has no
 * name, or whose name has another address. Only a mail server of your own can be checked: its greeting has the name that it sends
 * with, unless it is configured otherwise.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5321#section-4.1.1.1 for the name, which should be a full domain name
 * @see https://support.google.com/a/answer/81126 for a requirement of PTR records
 */
export async function checkSendingHost(dns: Dns, server: SmtpServer, timeoutMs: number): Promise<SendingHost> {
  const place = addressOfServer(server)
  if (!isOnThisMachine(server) && !isPrivate(server.options.host ?? ''))
    return { words: `does not apply: ${place} sends the mail, and its operator sets the HELO name and the reverse DNS` }
  const name = (await readGreeting(server, timeoutMs))?.toLowerCase()
  if (name === undefined) return { words: `of ${place} is unknown: it sends no greeting`, advice: 'Check SMTP_URL.' }
  if (!name.includes('.') || ipaddr.isValid(name.replace(/[[\]]/g, '')))
    return { words: `calls itself ${name}, which is not a full host name`, advice: `${NAME}. ${IF_RELAYED}` }
  try {
    return await checkName(dns, name)
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException
    return {
      words: `calls itself ${name}, which cannot be looked up now (${code})`,
      advice: 'Run the check again later.',
    }
  }
}

const NAME = 'Set the host name of the mail server to one that its address has in the DNS (Postfix: myhostname)'
const IF_RELAYED = 'If it passes all mail to a provider, ignore this.'

async function checkName(dns: Dns, name: string): Promise<SendingHost> {
  const addresses = await dns.addresses(name)
  if (addresses.length === 0)
    return { words: `calls itself ${name}, which has no address in the DNS`, advice: `${NAME}. ${IF_RELAYED}` }
  for (const address of addresses) {
    const hosts = (await dns.hosts(address)).map((host) => host.toLowerCase())
    if (hosts.includes(name)) continue
    const found = hosts.length === 0 ? 'no name' : `the name ${hosts[0]}`
    return {
      words: `calls itself ${name}, whose address ${address} has ${found} in the reverse DNS`,
      advice: `Ask the provider of the address for a PTR record with ${name}. ${IF_RELAYED}`,
    }
  }
  return { words: `calls itself ${name}, and the reverse DNS of ${addresses.join(' and ')} has the same name` }
}

/** Checks whether a server is in the private network, and therefore probably one of your own. */
const isPrivate = (host: string): boolean =>
  ipaddr.isValid(host) ? ipaddr.parse(host).range() !== 'unicast' : !host.includes('.')
