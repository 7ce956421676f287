import type { Schemas } from '../../api/client.ts'

export type BounceKind = Schemas['Bounce']['kind']

/** What came back, as people say it, and what follows. */
export const BOUNCE_KINDS: Record<BounceKind, { label: string; consequence: string }> = {
  HARD: { label: 'No such mailbox', consequence: 'Suppressed' },
  SOFT: { label: 'Given up this time', consequence: 'Nothing; five in a row suppress' },
  BLOCKED: { label: 'Refused', consequence: 'Nothing: look at your sender' },
  COMPLAINT: { label: 'Called it spam', consequence: 'Suppressed' },
  UNSUBSCRIBE: { label: 'Unsubscribed at the provider', consequence: 'Gets no marketing' },
}

export const KINDS = Object.keys(BOUNCE_KINDS) as BounceKind[]
