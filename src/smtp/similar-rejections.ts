import type { Delivery } from './transport.ts'

/** Number of consecutive recipients with the same rejection after which it is considered to be about the sender. */
const ALIKE = 5

/**
 * Detects rejections of the sender among ambiguous ones. A server may respond with `554 5.7.1` for a blocked sender and for a
 * protected recipient. If it rejects several recipients in a row in the same way and accepts no message in between, the sender is
 * blocked.
 */
export class SimilarRejections {
  private doubt: string | undefined
  private readonly recipients = new Set<string>()

  /** The server recently rejected all recipients in the same way. */
  get areAboutUs(): boolean {
    return this.recipients.size >= ALIKE
  }

  /** Classifies a delivery given the previous ones. @returns `not-sent` for a rejection of the sender, so that it is retried */
  classify(delivery: Delivery, recipient: string): Delivery {
    if (delivery.kind === 'taken') this.begin(undefined)
    if (delivery.kind !== 'refused' || delivery.doubt === undefined) return delivery
    const { doubt, reason } = delivery
    if (doubt !== this.doubt) this.begin(doubt)
    if (!this.areAboutUs) this.recipients.add(recipient)
    if (!this.areAboutUs) return delivery
    return { kind: 'not-sent', serverFailed: true, reason, failure: `${doubt}, for ${ALIKE} recipients in a row` }
  }

  private begin(doubt: string | undefined): void {
    this.doubt = doubt
    this.recipients.clear()
  }
}
