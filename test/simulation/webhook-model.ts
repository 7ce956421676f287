/** Model of a server that receives the webhooks of the only endpoint. */
import type { PublicRequest, PublicResponse } from '../../src/platform/public-request.ts'
import { FAULTS, type Scheduler } from './scheduler.ts'

interface Attempt {
  id: string
  type: string
  contactId: string
  body: string
  /** Virtual time. */
  time: number
  isTaken: boolean
}

/** Transmitted bytes are with the kernel: neither a stopped nor a slow process delays them. */
const EDGE = FAULTS.filter((fault) => !['stall', 'nap', 'slow'].includes(fault))

export class ReceiverModel {
  /** All attempts in their order, also those that got lost on the way. */
  readonly attempts: Attempt[] = []
  /** Number of next requests that are answered with an error. */
  failing = 0
  private readonly scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler
  }

  readonly request = async ({ body }: PublicRequest): Promise<PublicResponse> => {
    const { scheduler } = this
    const { id, type, data } = JSON.parse(body!) as {
      id: string
      type: string
      data: { id: string; firstName?: string }
    }
    const seen = (isTaken: boolean) =>
      void this.attempts.push({ id, type, contactId: data.id, body: body!, time: scheduler.now, isTaken })
    const status = () => {
      const answer = this.failing > 0 ? 500 : 200
      this.failing -= answer === 500 ? 1 : 0
      seen(answer === 200)
      return answer
    }
    try {
      const answer = await scheduler.ask(`webhook ${type} ${data.firstName ?? ''}`, status, {
        faults: EDGE,
        isOut: true,
        error: () => {
          seen(false)
          return new Error('The connection failed')
        },
      })
      return { status: answer, retryAfter: null, text: null }
    } catch (error) {
      return { problem: (error as Error).message, isPermanent: false }
    }
  }
}
