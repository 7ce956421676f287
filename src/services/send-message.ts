import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseUnavailable } from '../db/errors.ts'
import type { EntityManager } from '../db/orm.ts'
import { claimMessage, recordOutcome, type Claim, type ClaimedMessage, type Content } from '../db/queries/ledger.ts'
import { newId } from '../domain/ids.ts'
import { messageIdHeader, type MessageKey, type MessageStatus } from '../domain/messages.ts'
import { renderEmail, TemplateError, type RenderedEmail } from '../mail/render.ts'
import type { Metrics } from './dependencies.ts'
import { addressOf } from '../mail/smtp.ts'
import type { MailTransport } from '../mail/transport.ts'

export interface SendMessageDependencies {
  em: EntityManager
  /** Where mail of live workspaces goes; `undefined` captures it. */
  smtp: MailTransport | undefined
  capture: MailTransport
  /** The sender: `Name <address>`. */
  mailFrom: string
  metrics: Metrics
}

export type SendResult =
  /** The message is settled; `stop` where the automation ends a sequence at this outcome. */
  | { kind: 'settled'; status: MessageStatus; stop: boolean }
  | { kind: 'held' }
  | { kind: 'gone' }
  /** Certainly not sent: to be tried again later. */
  | { kind: 'deferred'; reason: string }

/** How long an attempt goes on asking a database that is down, so that it can say what it knows. */
const PATIENCE_MS = 50 * 60_000

/**
 * Sends a step's email to an enrollment's contact, at most once (design, section 6): claim, render, hand over, record.
 * Whatever crashes in between, the claim is what the next attempt finds.
 */
export async function sendMessage(
  dependencies: SendMessageDependencies,
  key: MessageKey,
  automationId: string,
  signal?: AbortSignal,
): Promise<SendResult> {
  const em = dependencies.em.fork()
  const ids = { messageId: newId(), claim: newId() }
  const claim = await whileUnavailable(() => claimMessage(em, key, automationId, ids), signal)
  if (claim.kind !== 'claimed') return unclaimed(claim)
  return deliverClaimed(dependencies, key, claim.message)
}

const unclaimed = (claim: Exclude<Claim, { kind: 'claimed' }>): SendResult =>
  claim.kind === 'existing'
    ? {
        kind: 'settled',
        status: claim.status,
        stop: claim.status === 'FAILED' && claim.onSendFailure === 'STOP',
      }
    : claim

/** Renders and hands over a message that this attempt has claimed, and records what came of it. */
export async function deliverClaimed(
  { em, smtp, capture, mailFrom, metrics }: SendMessageDependencies,
  key: MessageKey,
  message: ClaimedMessage,
): Promise<SendResult> {
  const record = async (outcome: Parameters<typeof recordOutcome>[2], content?: Content) => {
    await whileUnavailable(() => recordOutcome(em.fork(), message, outcome, content))
    metrics.settled(outcome.status)
  }
  const failed = { kind: 'settled', status: 'FAILED', stop: message.onSendFailure === 'STOP' } as const

  let rendered: RenderedEmail
  try {
    rendered = await renderEmail(message.step, { contact: message.contact })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    await record({ status: 'FAILED', error: `Template error in ${error.message}` })
    return failed
  }

  const content: Content = {
    ...rendered,
    messageId: messageIdHeader(key, addressOf(mailFrom).split('@')[1] ?? 'localhost'),
    recipient: message.contact.email,
  }
  // A test workspace acts on no real mailbox, whatever SMTP is configured (design, section 9).
  const transport = message.workspaceMode === 'live' && smtp ? smtp : capture
  const delivery = await transport.deliver({ ...content, from: mailFrom, to: content.recipient })
  switch (delivery.kind) {
    case 'taken': {
      const status = transport === capture ? 'CAPTURED' : 'SENT'
      await record({ status, response: delivery.response }, content)
      return { kind: 'settled', status, stop: false }
    }
    case 'not-sent':
      await record({ status: 'DEFERRED', error: delivery.reason }, content)
      return { kind: 'deferred', reason: delivery.reason }
    case 'refused':
      await record({ status: 'FAILED', error: delivery.reason }, content)
      return failed
    case 'unknown':
      await record({ status: 'UNCONFIRMED', error: delivery.reason }, content)
      return { kind: 'settled', status: 'UNCONFIRMED', stop: false }
  }
}

/**
 * Repeats a statement while the database is away. Giving up would forget what only this process knows, that a
 * message was or was not handed over, and turn it into an UNCONFIRMED one.
 */
async function whileUnavailable<Result>(run: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const deadline = Date.now() + PATIENCE_MS
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await run()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || Date.now() + pause > deadline) throw error
      await delay(pause, undefined, signal ? { signal } : {})
    }
  }
}
