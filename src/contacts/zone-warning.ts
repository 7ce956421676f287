import { isTimeZone } from '../platform/time-zone.ts'

/** Warns of a `metadata.timezone` that is not a time zone, and so is not used. */
export function zoneWarnings(metadata: Readonly<Record<string, unknown>> | null | undefined): string[] {
  const zone = metadata?.['timezone']
  if (zone === undefined || zone === null || zone === '' || (typeof zone === 'string' && isTimeZone(zone))) return []
  return ['metadata.timezone is not a time zone such as Europe/Berlin. The time zone of the workspace is used']
}
