/**
 * Model of a mail server and the connections to it: a message begins, is transmitted as soon as it may be, and is answered later.
 */
import { takeNow } from '../support/take-now.ts'
import { ConnectionSlots } from '../../src/smtp/connection-slots.ts'
import type { Delivery, Email, SendHooks, MailTransport, ConnectionSlot } from '../../src/smtp/transport.ts'
import { current, FAULTS, type Process, type Scheduler } from './scheduler.ts'

export interface Taken {
  to: string
  subject: string
  messageId: string
  /** The step in which the transmission began, and the step in which the server had the whole message. */
  begunAt: number
  at: number
  /** Time at which the server had it, and its sender's duration, in virtual milliseconds. */
  time: number
  took: number
}

const EDGE = FAULTS.filter((fault) => fault !== 'fail-after')
/** Transmitted bytes are with the kernel: neither a stopped nor a slow process delays them. */
const ANSWER = FAULTS.filter((fault) => !['stall', 'nap', 'slow'].includes(fault))

export class MailModel {
  /** Messages whose transmission began: the server was waiting for the content. */
  readonly begun: { to: string; subject: string; sender: Process }[] = []
  readonly taken: Taken[] = []
  /**
   * Reactions of the server to the next messages: reject one, close the connection at its end, or accept it and lose the
   * response.
   */
  readonly instead: ('refuse' | 'cut' | 'lose')[] = []
  /** The number of next connections that the server closes before a message begins. */
  closes = 0
  /** Milliseconds that a message usually takes, as the transport reports it. A campaign claims ahead if the server is fast. */
  usualMs: number | undefined
  private readonly scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler
  }

  /** Creates the transport of one process. @param server name of the mail server, if there are several */
  transport(connections: number, server = 'mail'): MailTransport {
    const slots = new ConnectionSlots(connections)
    const permit = (release: () => void): ConnectionSlot => ({
      release,
      deliver: (email, handOver) => this.deliver(server, email, handOver).finally(release),
    })
    return {
      async permitSoon(owner) {
        const release = await takeNow(slots, owner)
        return release && permit(release)
      },
      permit: async (turn, signal) => permit(await slots.take(turn, signal)),
      usualMs: () => this.usualMs,
      tryConnection: () => Promise.resolve(undefined),
      drain: () => slots.close(),
      close: () => Promise.resolve(),
    }
  }

  private async deliver(server: string, email: Email, { begin, breakOff }: SendHooks): Promise<Delivery> {
    const { scheduler } = this
    const { to, subject, messageId } = email
    const process = current.getStore()!
    const broken = () => new Error('Connection closed unexpectedly')
    try {
      await scheduler.ask(
        `${server} DATA ${to} "${subject}"`,
        () => {
          if (this.closes > 0) {
            this.closes -= 1
            throw broken()
          }
          this.begun.push({ to, subject, sender: process })
        },
        { faults: EDGE, error: broken },
      )
    } catch (error) {
      return { kind: 'not-sent', reason: (error as Error).message, serverFailed: true }
    }
    if (!(await begin())) return { kind: 'withdrawn' }
    // The bytes are with the kernel at this instant, and with the server a moment later, unless the sender closes before.
    if (breakOff?.aborted) return { kind: 'not-sent', reason: 'broken off', serverFailed: true }
    const [begunAt, begunTime] = [scheduler.step, scheduler.now]
    const closed = new Promise<'closed'>((resolve) => breakOff?.addEventListener('abort', () => resolve('closed')))
    const answer = scheduler
      .ask(
        `${server} takes ${to} "${subject}"`,
        (): Delivery | undefined => {
          const instead = this.instead.shift()
          if (instead === 'refuse') return { kind: 'refused', reason: '554 5.7.1 Not today' }
          const breakOffHere = () => {
            scheduler.faults.push({ process, what: 'mail server closes the connection', fault: 'fail-after' })
            throw broken()
          }
          if (instead === 'cut') return breakOffHere()
          if (breakOff?.aborted || (!process.alive && begunTime < scheduler.now)) return undefined
          const took = scheduler.now - begunTime
          this.taken.push({ to, subject, messageId, begunAt, at: scheduler.step, time: scheduler.now, took })
          if (instead === 'lose') return breakOffHere()
          return undefined
        },
        { faults: ANSWER, error: broken, isOut: true },
      )
      .then(
        (answered): Delivery => answered ?? { kind: 'taken', response: '250 ok' },
        (error: Error): Delivery => ({ kind: 'unknown', reason: error.message }),
      )
    const first = await Promise.race([answer, closed])
    return first === 'closed' ? { kind: 'unknown', reason: 'broken off' } : first
  }
}
