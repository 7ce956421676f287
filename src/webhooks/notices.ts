import { findOwnersAddress } from '../accounts/index.ts'
import { type InstanceMailDependencies, sendInstanceMail } from '../instance/index.ts'
import type { Delivery, Log } from '../outbox/index.ts'
import { domainOf } from '../platform/email-address.ts'
import { forTerminal } from '../platform/terminal.ts'
import { type DisabledWebhook, findDisabled } from './queries.ts'

/** Sends the email of a NOTICE. @returns `false` if it must be tried again */
export type SendNotice = (delivery: Delivery) => Promise<boolean>

export interface NoticeDependencies extends InstanceMailDependencies {
  log: Log
  publicUrl: string
}

/** Attempts after which an email is not sent any more: about three days. */
const MAX_ATTEMPTS = 900

/**
 * Creates the function that tells owners that Dripline disabled a webhook. An email is sent at least once: it is repeated if the
 * worker dies before it is recorded as sent. All repetitions have the same Message-ID.
 */
export const createNotices =
  ({ em, log, smtp, mailFrom, publicUrl }: NoticeDependencies): SendNotice =>
  async ({ webhookId, workspaceId, accountId, attempts }) => {
    if (webhookId === null || workspaceId === null || accountId === null) throw new Error('A NOTICE without its ids')
    const fields = { webhookId, workspaceId, accountId }
    // The webhook is enabled again, or the member is not an owner any more.
    const webhook = await findDisabled(em.fork(), webhookId)
    const to = await findOwnersAddress(em.fork(), { workspaceId, accountId })
    if (!webhook || to === undefined) return true
    const sending = { workspaceMode: webhook.workspaceMode, turn: workspaceId, attempts, maxAttempts: MAX_ATTEMPTS }
    const at = webhook.disabledAt.getTime()
    const outcome = await sendInstanceMail({ em, smtp, mailFrom }, sending, () => ({
      to,
      messageId: `<${webhookId}.${accountId}.${at}@${domainOf(mailFrom) ?? 'localhost'}>`,
      ...textsOf(webhook, webhookId, publicUrl),
    }))
    if (outcome === 'CAPTURED') log.info(fields, 'Captured the email to an owner about a disabled webhook')
    if (outcome === 'SENT') log.info(fields, 'Sent an email to an owner about a disabled webhook')
    if (outcome === 'REFUSED')
      log.warn(fields, 'The mail server did not accept an email to an owner about a disabled webhook')
    return outcome !== 'LATER'
  }

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

const REASONS = {
  GONE: 'its server responded with 410, which means that it wants no more requests',
  FAILING: 'every request to it failed for three days or longer',
}

function textsOf(
  { url, reason, disabledAt, workspaceId, workspaceName }: DisabledWebhook,
  id: string,
  publicUrl: string,
): { subject: string; text: string } {
  const name = forTerminal(workspaceName).replaceAll('\n', ' ')
  // The query and the password of a URL may be secret.
  const { origin, pathname } = new URL(url)
  const lines = [
    `Dripline disabled a webhook of the workspace ${name}, because ${REASONS[reason]}.`,
    '',
    `URL: ${origin}${pathname}`,
    `Disabled: ${TIME.format(disabledAt)} UTC`,
    '',
    'Until you enable the webhook, no events are recorded for it. Its pending deliveries wait.',
    '',
    'Check the server, then enable the webhook:',
    `${publicUrl}/w/${workspaceId}/webhooks?id=${id}`,
    '',
    'You receive this email because you are an owner of the workspace.',
    '',
  ]
  return { subject: `Dripline disabled a webhook of ${name}`, text: lines.join('\n') }
}
