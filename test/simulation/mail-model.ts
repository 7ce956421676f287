/** A mail server, and the connections to it: a message is begun, flows at once when it may, and is answered later. */
import { Permits } from '../../src/mail/permits.ts'
import type { Delivery, Email, HandOver, MailTransport, Permit } from '../../src/mail/transport.ts'
import { current, type Fault, type Scheduler } from './scheduler.ts'

export interface Taken {
  to: string
  subject: string
  messageId: string
  /** When the sender began DATA, and when the server had the whole message. */
  begunAt: number
  at: number
}

const EDGE: readonly Fault[] = ['crash-before', 'crash-after', 'fail-before', 'stall', 'stall-after']
const ANSWER: readonly Fault[] = ['crash-before', 'crash-after', 'fail-before', 'fail-after', 'stall', 'stall-after']

export class MailModel {
  readonly begun: { to: string; at: number }[] = []
  readonly taken: Taken[] = []
  private readonly scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler
  }

  /** The transport of one process. */
  transport(connections: number): MailTransport {
    const permits = new Permits(connections)
    const permit = (): Permit => {
      let given = false
      const release = () => {
        if (!given) permits.give()
        given = true
      }
      return {
        release,
        deliver: (email, handOver) => this.deliver(email, handOver).finally(release),
      }
    }
    return {
      permitSoon: () => Promise.resolve(permits.takeNow() ? permit() : undefined),
      permit: async (turn, signal) => {
        await permits.take(turn, signal)
        return permit()
      },
      drain: () => permits.close(),
      close: () => Promise.resolve(),
    }
  }

  private async deliver(email: Email, { begin, breakOff }: HandOver): Promise<Delivery> {
    const { scheduler } = this
    const { to, subject, messageId } = email
    const process = current.getStore()!
    const broken = () => new Error('Connection closed unexpectedly')
    let begunAt = 0
    try {
      await scheduler.ask(
        `mail DATA ${to} "${subject}"`,
        () => {
          begunAt = scheduler.now
          this.begun.push({ to, at: begunAt })
        },
        { faults: EDGE, error: broken },
      )
    } catch (error) {
      return { kind: 'not-sent', reason: (error as Error).message, serverFailed: true }
    }
    if (!(await begin())) return { kind: 'withdrawn' }
    // The bytes are with the kernel at this instant, and with the server a moment later, unless the sender closes before.
    if (breakOff?.aborted) return { kind: 'not-sent', reason: 'broken off', serverFailed: true }
    const closed = new Promise<'closed'>((resolve) => breakOff?.addEventListener('abort', () => resolve('closed')))
    const answer = scheduler
      .ask(
        `mail takes ${to} "${subject}"`,
        () => {
          if (breakOff?.aborted || (!process.alive && begunAt < scheduler.now)) return
          this.taken.push({ to, subject, messageId, begunAt, at: scheduler.now })
        },
        { faults: ANSWER, error: broken },
      )
      .then(
        (): Delivery => ({ kind: 'taken', response: '250 ok' }),
        (error: Error): Delivery => ({ kind: 'unknown', reason: error.message }),
      )
    const first = await Promise.race([answer, closed])
    return first === 'closed' ? { kind: 'unknown', reason: 'broken off' } : first
  }
}
