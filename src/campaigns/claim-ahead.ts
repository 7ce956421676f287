import type { RenderedEmail, TemplateProblem } from '../rendering/index.ts'
import { type Prepared, Sending } from '../messages/index.ts'
import type { RenderAhead, RenderTask } from './render-ahead.ts'

/** A message of a campaign, which may have been claimed ahead, with its email. */
export interface Ready {
  sending: Sending
  /** `undefined` if the machine is too busy to render it. */
  email: RenderedEmail | TemplateProblem | undefined
}

interface Options {
  sendingOf: (message: Prepared) => Sending
  /** Whether a message can be claimed before a connection is free for it. */
  isToClaim: (message: Prepared) => boolean
  /** The number of messages to claim at once; 1 or less to claim each when its mail server waits for it. */
  atOnce: () => number
}

/** Claims the messages of a page in groups, one group ahead of those that are transmitted. */
export class ClaimedGroups {
  private readonly emails: readonly RenderTask<Prepared>[]
  private readonly rendered: RenderAhead<Prepared>
  private readonly options: Options
  private readonly slots = new Map<number, Promise<Ready>>()
  /** The first message that is in no group yet; `lastGroup` is the first message of the last group. */
  private begun = 0
  private lastGroup = 0

  constructor(emails: readonly RenderTask<Prepared>[], rendered: RenderAhead<Prepared>, options: Options) {
    this.emails = emails
    this.rendered = rendered
    this.options = options
  }

  /** @param n index of the message. Each is taken at most once, in order. */
  async take(n: number): Promise<Ready> {
    while (this.begun <= n) this.beginGroup()
    if (n >= this.lastGroup && this.begun < this.emails.length) this.beginGroup()
    const ready = await this.slots.get(n)!
    this.slots.delete(n)
    return ready
  }

  /** Releases the messages that were not taken. */
  async close(): Promise<void> {
    const left = await Promise.allSettled(this.slots.values())
    await Sending.release(left.flatMap((slot) => (slot.status === 'fulfilled' ? [slot.value.sending] : [])))
  }

  private beginGroup(): void {
    const from = this.begun
    const atOnce = this.options.atOnce()
    const to = Math.min(this.emails.length, from + Math.max(1, Math.min(atOnce, this.rendered.atOnce)))
    this.lastGroup = from
    this.begun = to
    const group = this.prepare(from, to, atOnce > 1)
    for (let n = from; n < to; n += 1) {
      const slot = group.then((all) => all[n - from]!)
      // `take` reports the error.
      slot.catch(() => undefined)
      this.slots.set(n, slot)
    }
  }

  private async prepare(from: number, to: number, isAhead: boolean): Promise<Ready[]> {
    const messages = this.emails.slice(from, to).map(({ item }) => item)
    const emails = await Promise.all(messages.map((_message, n) => this.rendered.take(from + n)))
    const group = messages.map((message, n) => ({ sending: this.options.sendingOf(message), email: emails[n] }))
    if (!isAhead) return group
    const isClaimable = (n: number) =>
      emails[n] !== undefined && !('problem' in emails[n]) && this.options.isToClaim(messages[n]!)
    await Sending.claimAhead(group.filter((_ready, n) => isClaimable(n)).map(({ sending }) => sending))
    return group
  }
}
