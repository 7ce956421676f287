import { emailOfAccount } from '../accounts/index.ts'
import { type InstanceMailDependencies, sendInstanceMail, type SendNotice } from '../instance/index.ts'
import { domainOf } from '../platform/email-address.ts'
import { idOfValues } from '../platform/ids.ts'

/** Attempts after which an email is not sent any more: about a day. */
const MAX_ATTEMPTS = 300

/** Creates the function that tells a person that their password was reset: another person may read their email. */
export const createResetDoneMail =
  ({ publicUrl, ...mail }: InstanceMailDependencies & { publicUrl: string }): SendNotice =>
  async ({ id, accountId, attempts }) => {
    if (accountId === null) throw new Error('A RESET_DONE without its account')
    const sending = { workspaceMode: 'live', turn: accountId, attempts, maxAttempts: MAX_ATTEMPTS } as const
    const outcome = await sendInstanceMail(mail, sending, async () => {
      const to = await emailOfAccount(mail.em.fork(), accountId)
      return to === undefined
        ? undefined
        : {
            to,
            messageId: `<${idOfValues('reset done', id)}@${domainOf(mail.mailFrom) ?? 'localhost'}>`,
            subject: 'Your Dripline password was reset',
            text: textOf(publicUrl),
          }
    })
    return outcome !== 'LATER'
  }

const textOf = (publicUrl: string): string =>
  [
    'The password of your Dripline account was reset with a link from an email.',
    'All browsers were signed out, and your passkeys were removed.',
    '',
    'If it was not you, another person can read your email. Secure your mailbox, then reset the password again:',
    publicUrl,
    '',
  ].join('\n')
