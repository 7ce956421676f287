import type { BounceKind } from '../verdict.ts'

/** A call of a mail provider's webhook, as it came. */
export interface ProviderCall {
  /** @param name in lower case */
  header: (name: string) => string | undefined
  body: Buffer
}

/** What a provider tells of an email to one recipient. */
export interface ProviderEvent {
  kind: BounceKind
  recipient: string
  /** The Message-ID header, with its angle brackets, where the provider tells ours. */
  messageId: string | null
  /** The envelope's sender, where it is told: a return path says which message it was. */
  returnPath: string | null
  status: string | null
  diagnostic: string | null
  /** By which the provider tells the same thing again. */
  id: string
}

/** Fetches what a provider's call refers to, such as a certificate. */
export type FetchText = (url: URL) => Promise<string>

/**
 * A mail provider: one file of this folder each, listed in `index.ts`. What it tells is read alike, whatever its form: see
 * `docs/deliverability.md`.
 */
export interface Provider {
  /** As it stands in the webhook's path. */
  name: string
  /** What proves that a call is its, for people. */
  credential: string
  /** @returns what is wrong with a credential; `undefined`: nothing */
  problemOf(credential: string): string | undefined
  /**
   * By what a call is known that is the provider's, where what it tells is not signed: another one of that is nobody's.
   * @returns `undefined` where each is known by what it tells
   */
  idOf?(call: ProviderCall): string | undefined
  /**
   * Reads a call, and makes sure first that it is the provider's.
   * @returns what it tells of addresses: none where that is a delivery, a delay, or anything else that came
   * @throws {NotGenuine}
   */
  read(call: ProviderCall, credential: string, fetchText: FetchText): Promise<ProviderEvent[]> | ProviderEvent[]
}

/** Nobody knows whether a call is the provider's: its signature is missing, or wrong. */
export class NotGenuine extends Error {
  override readonly name = 'NotGenuine'
}
