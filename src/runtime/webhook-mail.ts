import { createOwnerMail, type InstanceMailDependencies, type SendNotice } from '../instance/index.ts'
import type { Log } from '../outbox/index.ts'
import { forTerminal } from '../platform/terminal.ts'
import { type DisabledWebhook, findDisabled } from '../webhooks/index.ts'

/** Creates the function that tells owners that Dripline disabled a webhook, unless it is enabled again. */
export const createWebhookMail = ({
  publicUrl,
  ...dependencies
}: InstanceMailDependencies & { log: Log; publicUrl: string }): SendNotice =>
  createOwnerMail(dependencies, async (em, { webhookId }) => {
    const webhook = await findDisabled(em, webhookId!)
    if (!webhook) return undefined
    const { workspaceMode, disabledAt } = webhook
    return {
      workspaceMode,
      event: `${webhookId}.${disabledAt.getTime()}`,
      ...textsOf(webhook, webhookId!, publicUrl),
    }
  })

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
