import { localTimeLabel, zone } from '../../../lib/format.ts'

/** When a campaign is to be sent. Chosen on the page, and sent with the request that schedules it. */
export interface SendTime {
  kind: 'now' | 'at' | 'local'
  /** Local date and time, such as `2026-11-27T09:00`; empty until it is chosen. */
  at: string
  fallbackTimeZone: string
}

export const SEND_NOW: SendTime = { kind: 'now', at: '', fallbackTimeZone: zone }

export const isMissing = ({ kind, at }: SendTime): boolean => kind !== 'now' && at === ''

/** Whether the time has passed. Local times are left to the server. */
export const isPast = ({ kind, at }: SendTime): boolean => kind === 'at' && at !== '' && new Date(at) < new Date()

/** Returns the body of the request. */
export function scheduleBodyOf({ kind, at, fallbackTimeZone }: SendTime) {
  if (kind === 'now') return {}
  return kind === 'at' ? { at: new Date(at).toISOString() } : { localTime: at, fallbackTimeZone }
}

/** Says when it is sent, such as "27 Nov 2026, 09:00, in each contact’s time zone". */
export function describeTime(time: SendTime): string {
  if (time.kind === 'now') return 'Now'
  if (isMissing(time)) return 'Not chosen'
  return `${localTimeLabel(time.at)}, ${time.kind === 'at' ? zone : 'in each contact’s time zone'}`
}
