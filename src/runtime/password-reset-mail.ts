import { createPasswordReset, discardPasswordReset, passwordResetUrl } from '../accounts/index.ts'
import { type InstanceMailDependencies, sendInstanceMail, type SendNotice } from '../instance/index.ts'
import type { Log } from '../outbox/index.ts'
import { domainOf } from '../platform/email-address.ts'
import { newId } from '../platform/ids.ts'

/** Attempts after which an email is not sent any more: about an hour. The person may request another one. */
const MAX_ATTEMPTS = 20

/** Creates the function that emails a link that resets a password. Each attempt has its own link. */
export const createPasswordResetMail =
  ({ log, publicUrl, ...mail }: InstanceMailDependencies & { log: Log; publicUrl: string }): SendNotice =>
  async ({ accountId, attempts }) => {
    if (accountId === null) throw new Error('A password reset without its account')
    const sending = { workspaceMode: 'live', turn: accountId, attempts, maxAttempts: MAX_ATTEMPTS } as const
    let token: string | undefined
    let outcome: Awaited<ReturnType<typeof sendInstanceMail>> | undefined
    try {
      outcome = await sendInstanceMail(mail, sending, async () => {
        const reset = await createPasswordReset(mail.em, accountId)
        if (!reset) return undefined
        token = reset.token
        return {
          to: reset.email,
          messageId: `<${newId()}@${domainOf(mail.mailFrom) ?? 'localhost'}>`,
          subject: 'Reset your Dripline password',
          text: textOf(passwordResetUrl(publicUrl, reset.token)),
        }
      })
    } finally {
      if (token !== undefined && outcome !== 'SENT') await discardPasswordReset(mail.em, accountId, token)
    }
    if (outcome === 'SENT') log.info({ accountId }, 'Sent an email that resets a password')
    if (outcome === 'REFUSED') log.warn({ accountId }, 'The mail server did not accept an email that resets a password')
    return outcome !== 'LATER'
  }

const textOf = (url: string): string =>
  [
    'Someone requested a new password for your Dripline account.',
    '',
    'Open this link within an hour to set it. The link works once:',
    url,
    '',
    'A new password signs out all browsers and removes your passkeys.',
    '',
    'If you did not request it, ignore this email. Your password stays the same.',
    '',
  ].join('\n')
