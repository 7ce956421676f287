import { type InvitationMail, invitationUrl, mailInvitation } from '../accounts/index.ts'
import { type InstanceMailDependencies, sendInstanceMail, type SendNotice } from '../instance/index.ts'
import { domainOf } from '../platform/email-address.ts'
import { newId } from '../platform/ids.ts'

/** Attempts after which an email is not sent any more: about a day. The owner can copy the link. */
const MAX_ATTEMPTS = 300

/** Creates the function that emails the link of an invitation to the invited person. */
export const createInvitationMail =
  ({ publicUrl, ...mail }: InstanceMailDependencies & { publicUrl: string }): SendNotice =>
  async ({ invitationId, attempts }) => {
    if (invitationId === null) throw new Error('An INVITATION without its id')
    const sending = { workspaceMode: 'live', turn: invitationId, attempts, maxAttempts: MAX_ATTEMPTS } as const
    const outcome = await sendInstanceMail(mail, sending, async () => {
      const invitation = await mailInvitation(mail.em, invitationId)
      return (
        invitation && {
          to: invitation.email,
          messageId: `<${newId()}@${domainOf(mail.mailFrom) ?? 'localhost'}>`,
          subject: `Join ${invitation.workspaceName} on Dripline`,
          text: textOf(invitation, invitationUrl(publicUrl, invitation.token)),
        }
      )
    })
    return outcome !== 'LATER'
  }

const textOf = ({ workspaceName, invitedBy }: InvitationMail, url: string): string =>
  [
    `${invitedBy ?? 'An owner'} invites you to work in ${workspaceName} on Dripline.`,
    '',
    'Open this link within seven days to join. The link works once:',
    url,
    '',
    'If you do not know the sender, ignore this email.',
    '',
  ].join('\n')
