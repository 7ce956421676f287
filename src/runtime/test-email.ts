import { randomUUID } from 'node:crypto'
import type { SendTestEmail } from '../http/index.ts'
import { NO_SENDER, readMailMode, readMailSender } from '../instance/index.ts'
import { fromOf } from '../messages/index.ts'
import { createSecrets, NoSecretsKey } from '../platform/secrets.ts'
import { type DkimKey, dkimOf, readSender, refusalOf } from '../senders/index.ts'
import { domainOf } from '../platform/email-address.ts'
import type { MailTransport } from '../smtp/index.ts'
import type { Context } from './context.ts'

/** Creates the function that sends a test email. It has no row in the messages table and is never retried. */
export function createTestEmail({ orm, config }: Context, smtp: MailTransport | undefined): SendTestEmail {
  const secrets = createSecrets(config.SECRETS_KEY)
  return async ({ to, subject, html, text }, { id, isLive }) => {
    const captured = { status: 'CAPTURED', error: null } as const
    if (!smtp || !isLive || (await readMailMode(orm.em.fork())) === 'capture') return captured
    const mailFrom = config.MAIL_FROM ?? (await readMailSender(orm.em.fork()))
    if (mailFrom === null) return { status: 'FAILED', error: NO_SENDER }
    const sender = await readSender(orm.em.fork(), id)
    const refusal = sender && refusalOf(sender, { requiresProof: config.REQUIRE_VERIFIED_DOMAINS })
    if (refusal) return { status: 'FAILED', error: refusal }
    const from = fromOf({ mailFrom }, { sender })
    let dkim: DkimKey | undefined
    try {
      dkim = sender ? dkimOf(secrets, sender) : undefined
    } catch (error) {
      if (error instanceof NoSecretsKey) return { status: 'FAILED', error: error.message }
      throw error
    }
    const messageId = `<${randomUUID()}@${domainOf(from) ?? 'localhost'}>`
    const permit = await smtp.permit(to, AbortSignal.timeout(TIMEOUT_MS))
    const breakOff = AbortSignal.timeout(TIMEOUT_MS)
    const delivery = await permit.deliver(
      { from, replyTo: sender?.replyTo ?? undefined, to, messageId, subject, html, text, dkim },
      { begin: () => Promise.resolve(true), breakOff },
    )
    if (delivery.kind === 'taken') return { status: 'SENT', error: null }
    const error = 'reason' in delivery ? delivery.reason : 'The attempt was aborted'
    return { status: delivery.kind === 'unknown' ? 'UNCONFIRMED' : 'FAILED', error }
  }
}

/** The time that the person waits for the result, in milliseconds. */
const TIMEOUT_MS = 20_000
