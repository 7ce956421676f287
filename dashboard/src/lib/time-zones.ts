/** The names of all time zones. Not every browser lists UTC. */
export const TIME_ZONES: readonly string[] = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** The time zones of an automation, as options of a select. */
export const AUTOMATION_ZONES = [
  { value: 'contact', label: 'The contact’s time zone' },
  ...TIME_ZONES.map((zone) => ({ value: zone, label: zone })),
]
