import type { Delivery } from './transport.ts'

/** How many recipients in a row have to be refused alike until that is taken to be about us. */
const ALIKE = 5

/**
 * Watches refusals that may be about us or about their recipients: no machine can tell a blocked sender from a recipient that
 * nobody may write to, where the server says `554 5.7.1` of both. What it answers to one recipient after the other, and takes
 * no message in between, is about us.
 */
export class SimilarRejections {
  private doubt: string | undefined
  private readonly recipients = new Set<string>()

  /** Whether the server has refused all recipients of late, and alike. */
  get areAboutUs(): boolean {
    return this.recipients.size >= ALIKE
  }

  /** @returns what a delivery means, in the light of those before: a refusal that is about us waits. */
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
