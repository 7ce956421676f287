import type { EntityManager } from '../platform/db/orm.ts'
import type { MailTransport } from '../smtp/index.ts'
import { isDelivered } from './sending-gate.ts'
import { readSendingGate } from './sending-gate-queries.ts'

export interface InstanceMailDependencies {
  em: EntityManager
  /** `undefined`: this process has no mail server. */
  smtp: MailTransport | undefined
  /** The sender of the instance. */
  mailFrom: string
}

/** An email of the instance to a member of a workspace. */
export interface InstanceMail {
  to: string
  messageId: string
  subject: string
  text: string
}

/** Milliseconds for a connection, and for the transmission. Together less than the lease of a delivery. */
const CONNECT_MS = 10_000
const TRANSMIT_MS = 15_000
/** Attempts at an email of which it is unknown whether it was sent. */
const MAX_UNKNOWN = 3

/**
 * Sends an email to a member through the mail server of the instance, at least once.
 *
 * @param options.turn whose connection slots it uses
 * @param options.attempts attempts so far, of at most `maxAttempts`
 * @param compose is called if mail is delivered, and may decide that there is nothing to send
 * @returns LATER if it must be tried again; NONE if there was nothing to send
 */
export async function sendInstanceMail(
  { em, smtp, mailFrom }: InstanceMailDependencies,
  {
    workspaceMode,
    turn,
    attempts,
    maxAttempts,
  }: { workspaceMode: 'live' | 'test'; turn: string; attempts: number; maxAttempts: number },
  compose: () => InstanceMail | Promise<InstanceMail | undefined>,
): Promise<'SENT' | 'CAPTURED' | 'REFUSED' | 'NONE' | 'LATER'> {
  const gate = await readSendingGate(em.fork())
  if (!gate.isOpen) return 'LATER'
  if (!isDelivered({ workspaceMode, mail: gate.mail })) return 'CAPTURED'
  if (!smtp) return 'LATER'
  const mail = await compose()
  if (!mail) return 'NONE'
  const permit = await smtp.permit(turn, AbortSignal.timeout(CONNECT_MS))
  const result = await permit.deliver(
    // RFC 3834: no automatic replies.
    { ...mail, from: mailFrom, html: null, headers: { 'Auto-Submitted': 'auto-generated' } },
    { begin: () => Promise.resolve(true), breakOff: AbortSignal.timeout(TRANSMIT_MS) },
  )
  if (result.kind === 'taken') return 'SENT'
  const isOver =
    result.kind === 'refused' || attempts >= maxAttempts || (result.kind === 'unknown' && attempts >= MAX_UNKNOWN)
  return isOver ? 'REFUSED' : 'LATER'
}
