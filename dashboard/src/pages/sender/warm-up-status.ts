import type { Schemas } from '../../api/client.ts'

type WarmUp = NonNullable<Schemas['Sender']['warmUp']>

/** Describes the progress of a warm-up. */
export function warmUpStatus({ day, allowedToday, sentToday, upTo }: WarmUp): string {
  if (allowedToday === null) return `Warm-up complete (${upTo.toLocaleString('en')} per day): no daily limit.`
  const [mailed, allowed] = [sentToday, allowedToday].map((count) => count.toLocaleString('en'))
  const full = sentToday >= allowedToday ? ' Marketing emails wait for tomorrow (UTC).' : ''
  return `Day ${day}: ${mailed} of ${allowed} emails sent today.${full}`
}
