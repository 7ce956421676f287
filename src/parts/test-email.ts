import { randomUUID } from 'node:crypto'
import type { SendTestEmail } from '../http/index.ts'
import { NO_SENDER, readMailMode, readMailSender } from '../installation/index.ts'
import { domainOf } from '../platform/email-address.ts'
import type { MailTransport } from '../transports/index.ts'
import type { Context } from './context.ts'

/** Makes what sends somebody an email to look at. It is none of the ledger's: nobody is promised anything. */
export function createTestEmail({ orm, config }: Context, smtp: MailTransport | undefined): SendTestEmail {
  return async ({ to, subject, html, text }, isLive) => {
    const captured = { status: 'CAPTURED', error: null } as const
    if (!smtp || !isLive || (await readMailMode(orm.em.fork())) === 'capture') return captured
    const from = config.MAIL_FROM ?? (await readMailSender(orm.em.fork()))
    if (from === null) return { status: 'FAILED', error: NO_SENDER }
    const messageId = `<${randomUUID()}@${domainOf(from) ?? 'localhost'}>`
    const permit = await smtp.permit(to, AbortSignal.timeout(PATIENCE_MS))
    const breakOff = AbortSignal.timeout(PATIENCE_MS)
    const delivery = await permit.deliver(
      { from, to, messageId, subject, html, text },
      { begin: () => Promise.resolve(true), breakOff },
    )
    if (delivery.kind === 'taken') return { status: 'SENT', error: null }
    const error = 'reason' in delivery ? delivery.reason : 'It was given up'
    return { status: delivery.kind === 'unknown' ? 'UNCONFIRMED' : 'FAILED', error }
  }
}

/** How long somebody who looks waits for it, in milliseconds. */
const PATIENCE_MS = 20_000
