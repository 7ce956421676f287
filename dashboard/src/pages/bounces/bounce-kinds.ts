import type { Schemas } from '../../api/client.ts'

export type BounceKind = Schemas['Bounce']['kind']

/** Labels of the bounce types, and what Dripline does about each. */
export const BOUNCE_KINDS: Record<BounceKind, { label: string; consequence: string }> = {
  HARD: { label: 'Hard bounce', consequence: 'Suppressed' },
  SOFT: { label: 'Soft bounce', consequence: 'Suppressed after 5 in a row' },
  BLOCKED: { label: 'Blocked', consequence: 'None; check your sender setup' },
  COMPLAINT: { label: 'Spam complaint', consequence: 'Suppressed' },
  UNSUBSCRIBE: { label: 'Unsubscribed at the provider', consequence: 'Unsubscribed from marketing' },
}

export const KINDS = Object.keys(BOUNCE_KINDS) as BounceKind[]
