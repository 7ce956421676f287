import type { Schemas } from '../../api/client.ts'

export type BounceKind = Schemas['Bounce']['kind']

/** What came back, as people say it, and what follows. */
export const KIND_WORDS: Record<BounceKind, { word: string; follows: string }> = {
  HARD: { word: 'No such mailbox', follows: 'Suppressed' },
  SOFT: { word: 'Given up this time', follows: 'Nothing; five in a row suppress' },
  BLOCKED: { word: 'Refused', follows: 'Nothing: look at your sender' },
  COMPLAINT: { word: 'Called it spam', follows: 'Suppressed' },
  UNSUBSCRIBE: { word: 'Unsubscribed at the provider', follows: 'Gets no marketing' },
}

export const KINDS = Object.keys(KIND_WORDS) as BounceKind[]
