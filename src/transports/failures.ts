import { AlikeRefusals } from './alike-refusals.ts'
import { isServersFailure, type Failures } from './circuit.ts'
import type { Delivery } from './transport.ts'

/** Failures in a row after which a circuit opens: as many as a server has connections by default. */
const ENOUGH = 5
/** How many of them may be of one workspace's messages, where all are concerned. */
const ENOUGH_OF_ONE = 3

/** Whether the server was not even reached. */
export const isUnreachable = (delivery: Delivery): boolean =>
  delivery.kind === 'not-sent' && delivery.unreachable === true

/** What a server does in a row with the messages of one workspace, once it has been reached. */
export class FailuresOfOne implements Failures {
  private readonly alike = new AlikeRefusals()
  private inARow = 0

  /** @returns what a delivery means, in the light of those before. */
  classify(delivery: Delivery, recipient: string): Delivery {
    return this.alike.classify(delivery, recipient)
  }

  note(delivery: Delivery): void {
    if (isUnreachable(delivery)) return
    this.inARow = isServersFailure(delivery) ? this.inARow + 1 : 0
  }

  get areEnough(): boolean {
    return this.inARow >= ENOUGH || (this.inARow > 0 && this.alike.areAboutUs)
  }
}

/**
 * What a server does in a row with everybody's messages. Nobody reaches it, or it fails for several workspaces: of one alone
 * nothing is concluded, because it writes its messages and chooses their recipients.
 */
export class FailuresOfAll implements Failures {
  private unreachable = 0
  private readonly byTurn = new Map<string, number>()

  note(delivery: Delivery, turn: string): void {
    if (!isServersFailure(delivery)) {
      this.unreachable = 0
      this.byTurn.clear()
    } else if (isUnreachable(delivery)) {
      this.unreachable += 1
    } else {
      this.byTurn.set(turn, Math.min(ENOUGH_OF_ONE, (this.byTurn.get(turn) ?? 0) + 1))
    }
  }

  get areEnough(): boolean {
    return [...this.byTurn.values()].reduce((sum, times) => sum + times, this.unreachable) >= ENOUGH
  }
}
