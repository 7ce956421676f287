import { setTimeout as delay } from 'node:timers/promises'
import { keepQueuedEmails, postponeMessages, type SendDependencies, takeQueuedEmails } from '../messages/index.ts'
import { waits } from '../platform/waits.ts'
import { TransportClosed } from '../smtp/index.ts'
import { type EmailResult, sendEmail } from './send-email.ts'

/** Emails that a worker has at a time for each connection to the mail server. */
const TAKEN_PER_CONNECTION = 4
/** Fraction of them below which more are taken. */
const REFILLED_AT = 0.75
/** Milliseconds until an email is tried again that got no connection, or that changed while it was prepared. */
const SOON_MS = 1_000
/** Milliseconds between two renewals of the emails under way. */
const KEEP_MS = 10_000
/** Maximum milliseconds between two checks of an idle queue if they are slow. */
const MAX_SLOW_PAUSE_MS = 1_000
/** Maximum milliseconds between checks after failures, for example if Postgres is down. */
const MAX_PAUSE_MS = 15_000

export interface EmailQueue {
  /** Rejects if the loop ended because of a bug. */
  ended: Promise<void>
  /** Takes no more emails. @param graceMs milliseconds for those that were taken to be sent */
  stop(graceMs: number): Promise<void>
}

/**
 * Sends the transactional emails that are due. Any number of workers can do this, and any of them can be killed: an email belongs to a
 * worker for seconds, and is claimed before it is sent.
 *
 * Why this is a loop in the worker and not a workflow: see docs/decisions/0083-email-queue.md.
 */
export function startEmailQueue(
  dependencies: SendDependencies,
  { connections, idleMs = waits.emailQueueIdle }: { connections: number; idleMs?: number },
): EmailQueue {
  const { em, log, smtp } = dependencies
  const stopping = new AbortController()
  const capacity = connections * TAKEN_PER_CONNECTION
  const underWay = new Map<string, { workspaceId: string; sending: Promise<void> }>()
  /** Workspaces whose emails this process cannot send, and until when it leaves them to others, in `performance.now()`. */
  const left = new Map<string, number>()
  let closedUntil = 0

  async function send(id: string, workspaceId: string): Promise<void> {
    const postpone = (ms: number) => postponeMessages(em.fork(), [{ id, dueInSeconds: ms / 1_000 }])
    try {
      const result = await sendEmail(dependencies, id, stopping.signal)
      if (result.kind === 'closed') closedUntil = performance.now() + waits.sendingDisabled
      if (result.kind === 'deferred' && result.cause === 'process') {
        left.set(workspaceId, performance.now() + result.afterMs)
        return await postpone(0)
      }
      const afterMs = againAfterMs(result)
      if (afterMs !== undefined) await postpone(afterMs)
    } catch (error) {
      if (!(error instanceof TransportClosed) && !stopping.signal.aborted) throw error
      await postpone(0)
    }
  }

  function begin({ id, workspaceId }: { id: string; workspaceId: string }): void {
    const sending = send(id, workspaceId)
      // It is taken again when it no longer belongs to this worker.
      .catch((error: unknown) => log.warn({ error, emailId: id }, 'An email could not be sent; it is tried again'))
      .finally(() => underWay.delete(id))
    underWay.set(id, { workspaceId, sending })
  }

  const allSending = () => [...underWay.values()].map(({ sending }) => sending)

  /** Counts the emails under way of each workspace. */
  function heldByWorkspace(): Map<string, number> {
    const emails = Map.groupBy(underWay.values(), ({ workspaceId }) => workspaceId)
    return new Map([...emails].map(([workspaceId, own]) => [workspaceId, own.length]))
  }

  /** Begins to send emails that are due. @returns whether there may be more */
  async function take(): Promise<boolean> {
    if (performance.now() < closedUntil) return false
    for (const [workspaceId, until] of left) if (performance.now() >= until) left.delete(workspaceId)
    // Emails that are taken together share statements.
    while (underWay.size > capacity * REFILLED_AT) await Promise.race(allSending())
    if (stopping.signal.aborted) return false
    // One at a time tries a server that fails.
    const free = smtp?.isFailing?.() ? 1 - underWay.size : capacity - underWay.size
    if (free <= 0) return false
    const emails = await takeQueuedEmails(em.fork(), free, heldByWorkspace(), [...left.keys()])
    for (const email of emails) begin(email)
    return emails.length > 0 && !smtp?.isFailing?.()
  }

  async function run(): Promise<void> {
    for (let pauseMs = idleMs; !stopping.signal.aborted;) {
      const since = performance.now()
      try {
        if (await take()) continue
        // An old snapshot, such as that of a backup, makes the statement slow.
        pauseMs = Math.max(idleMs, Math.min(10 * (performance.now() - since), MAX_SLOW_PAUSE_MS))
      } catch (error) {
        log.warn({ error }, 'The email queue could not be read; retrying')
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    await Promise.all(allSending())
  }

  /** Keeps the emails under way from other workers. */
  async function keep(): Promise<void> {
    while (!isOver) {
      await delay(KEEP_MS, undefined, { ref: false })
      if (underWay.size > 0) await keepQueuedEmails(em.fork(), [...underWay.keys()]).catch(() => undefined)
    }
  }

  let isOver = false
  const ended = run().finally(() => (isOver = true))
  void keep()
  return {
    ended,
    async stop(graceMs) {
      stopping.abort()
      await Promise.race([ended, delay(graceMs, undefined, { ref: false })])
    },
  }
}

/**
 * Returns the milliseconds until an email is due again; `undefined` if it is final, or cannot be read: it is then taken again when it no
 * longer belongs to this worker.
 */
function againAfterMs(result: EmailResult): number | undefined {
  switch (result.kind) {
    case 'deferred':
      return result.afterMs
    case 'queue':
    case 'changed':
      return SOON_MS
    case 'closed':
      return 0
    case 'final':
    case 'gone':
    case 'paused':
      return undefined
  }
}
