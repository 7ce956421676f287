import { findOwnersAddress } from '../accounts/index.ts'
import { Automation } from '../automations/index.ts'
import { Campaign } from '../campaigns/index.ts'
import { type InstanceMailDependencies, sendInstanceMail } from '../instance/index.ts'
import type { Delivery, Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { domainOf } from '../platform/email-address.ts'
import { forTerminal } from '../platform/terminal.ts'
import type { SendNotice } from '../webhooks/index.ts'
import { Workspace } from '../workspaces/index.ts'

/** Attempts after which an email is not sent any more: about three days. */
const MAX_ATTEMPTS = 900

/**
 * Creates the function that tells owners that Dripline paused an automation or a campaign. An email is sent at least once: it is
 * repeated if the worker dies before it is recorded as sent. All repetitions have the same Message-ID.
 */
export const createPauseMail =
  ({ em, log, publicUrl, ...mail }: InstanceMailDependencies & { log: Log; publicUrl: string }): SendNotice =>
  async (delivery) => {
    const { workspaceId, accountId, automationId, campaignId, attempts } = delivery
    if (workspaceId === null || accountId === null) throw new Error('A NOTICE without its ids')
    const fields = { automationId, campaignId, accountId }
    // A member resumed it in the meantime, or the member is not an owner any more.
    const paused = await findPaused(em.fork(), delivery)
    const to = await findOwnersAddress(em.fork(), { workspaceId, accountId })
    if (!paused || to === undefined) return true
    const workspace = await em.fork().findOneOrFail(Workspace, workspaceId)
    const sending = { workspaceMode: workspace.mode, turn: workspaceId, attempts, maxAttempts: MAX_ATTEMPTS }
    const outcome = await sendInstanceMail({ em, ...mail }, sending, () => ({
      to,
      messageId: `<${paused.id}.${accountId}.${paused.revision}@${domainOf(mail.mailFrom) ?? 'localhost'}>`,
      ...textsOf(paused, workspace.name, `${publicUrl}/w/${workspaceId}/${paused.path}`),
    }))
    if (outcome === 'SENT') log.info(fields, 'Sent an email to an owner about a pause')
    if (outcome === 'CAPTURED') log.info(fields, 'Captured the email to an owner about a pause')
    if (outcome === 'REFUSED') log.warn(fields, 'The mail server did not accept an email to an owner about a pause')
    return outcome !== 'LATER'
  }

interface Paused {
  id: string
  kind: 'automation' | 'campaign'
  name: string
  reason: string
  revision: number
  /** Its page in the dashboard, below the workspace. */
  path: string
}

/** Reads an automation or a campaign that Dripline paused; `undefined` if it continues or is deleted. */
async function findPaused(em: EntityManager, { automationId, campaignId }: Delivery): Promise<Paused | undefined> {
  const [kind, found] = automationId
    ? (['automation', await em.findOne(Automation, { id: automationId, status: 'PAUSED' })] as const)
    : (['campaign', await em.findOne(Campaign, { id: campaignId!, status: 'PAUSED' })] as const)
  if (found?.pauseReason == null) return undefined
  const { id, name, pauseReason: reason, revision } = found
  return { id, kind, name, reason, revision, path: `${kind}s/${id}` }
}

/** A name in one line, without control characters. */
const inLine = (name: string): string => forTerminal(name).replaceAll('\n', ' ')

function textsOf(
  { kind, name, reason }: Paused,
  workspaceName: string,
  url: string,
): { subject: string; text: string } {
  const lines = [
    `Dripline paused the ${kind} ${inLine(name)} of the workspace ${inLine(workspaceName)}:`,
    '',
    `${reason}.`,
    '',
    'Nothing is sent until a member resumes it. Look at its report and its contacts first:',
    url,
    '',
    'You receive this email because you are an owner of the workspace.',
    '',
  ]
  return { subject: `Dripline paused the ${kind} ${inLine(name)}`, text: lines.join('\n') }
}
