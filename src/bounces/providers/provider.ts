import type { BounceCategory, BounceKind } from '../categories.ts'

/** A webhook call, as received. */
interface ProviderCall {
  /** @param name in lower case */
  header: (name: string) => string | undefined
  body: Buffer
}

/** The outcome that an event reports. DELIVERED: the recipient's mail server accepted it. */
export interface ProviderOutcome {
  kind: BounceKind | 'DELIVERED'
  /** `null` for complaints, unsubscribes and deliveries. */
  category: BounceCategory | null
  status: string | null
  diagnostic: string | null
  /** The provider's own classification, verbatim, such as `Permanent/NoEmail`. */
  providerVerdict: string | null
}

/** An event that a provider reports for one recipient of an email. */
export interface ProviderEvent extends ProviderOutcome {
  recipient: string
  /** The Message-ID header with angle brackets, if the provider reports the original one. */
  messageId: string | null
  /** The envelope sender, if reported. A return path identifies the message. */
  returnPath: string | null
  /** The provider's ID of the event, to deduplicate it. */
  id: string
}

/** Joins the fields of a provider's classification. */
export const joinVerdict = (...parts: string[]): string | null => parts.filter((part) => part !== '').join('/') || null

/** Fetches a file that a call refers to, such as a certificate. */
export type FetchText = (url: URL) => Promise<string>

/**
 * A mail provider. Each provider is a file of this folder, listed in `index.ts`. All of them produce the same events: see
 * `docs/deliverability.md`.
 */
export interface Provider {
  /** Name in the path of the webhook. */
  name: string
  /** Description of the credential, for people. */
  credential: string
  /** @returns the error in a credential, or `undefined` if it is valid */
  problemOf(credential: string): string | undefined
  /**
   * Returns an ID of the call, for providers that do not sign the events. A second call with the same ID is ignored.
   * @returns `undefined` if events are deduplicated by their own IDs
   */
  idOf?(call: ProviderCall): string | undefined
  /**
   * Verifies and reads a call.
   * @returns events about addresses; none for delays and other events
   * @throws {InvalidSignature}
   */
  read(call: ProviderCall, credential: string, fetchText: FetchText): Promise<ProviderEvent[]> | ProviderEvent[]
}

/** Error for a call with a missing or wrong signature. */
export class InvalidSignature extends Error {
  override readonly name = 'InvalidSignature'
}
