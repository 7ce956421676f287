import { findOwnersAddress } from '../accounts/index.ts'
import type { Delivery, Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { domainOf } from '../platform/email-address.ts'
import { type InstanceMailDependencies, sendInstanceMail } from './instance-mail.ts'

/** Sends the email of a NOTICE. @returns `false` if it must be tried again */
export type SendNotice = (delivery: Delivery) => Promise<boolean>

/** An email to an owner. */
interface OwnerMail {
  workspaceMode: 'live' | 'test'
  /** Identifies the event that it is about. Repetitions of the email have the same Message-ID. */
  event: string
  subject: string
  text: string
}

/** Attempts after which an email is not sent any more: about three days. */
const MAX_ATTEMPTS = 900

/**
 * Creates a function that sends emails to the owners of a workspace. An email is sent at least once: it is repeated if the worker
 * dies before it is recorded as sent.
 * @param compose returns `undefined` if there is nothing to tell any more
 */
export const createOwnerMail =
  (
    { em, log, smtp, mailFrom }: InstanceMailDependencies & { log: Log },
    compose: (em: EntityManager, delivery: Delivery) => Promise<OwnerMail | undefined>,
  ): SendNotice =>
  async (delivery) => {
    const { workspaceId, accountId, webhookId, automationId, campaignId, attempts } = delivery
    if (workspaceId === null || accountId === null) throw new Error('A NOTICE without its ids')
    const mail = await compose(em.fork(), delivery)
    // The member may not be an owner any more.
    const to = await findOwnersAddress(em.fork(), { workspaceId, accountId })
    if (!mail || to === undefined) return true
    const { workspaceMode, event, subject, text } = mail
    const sending = { workspaceMode, turn: workspaceId, attempts, maxAttempts: MAX_ATTEMPTS }
    const messageId = `<${event}.${accountId}@${domainOf(mailFrom) ?? 'localhost'}>`
    const outcome = await sendInstanceMail({ em, smtp, mailFrom }, sending, () => ({ to, messageId, subject, text }))
    const fields = { workspaceId, accountId, webhookId, automationId, campaignId }
    if (outcome === 'CAPTURED') log.info(fields, 'Captured an email to an owner')
    if (outcome === 'SENT') log.info(fields, 'Sent an email to an owner')
    if (outcome === 'REFUSED') log.warn(fields, 'The mail server did not accept an email to an owner')
    return outcome !== 'LATER'
  }
