import type { Schemas } from '../../api/client.ts'

type WarmUp = NonNullable<Schemas['Sender']['warmUp']>

/** How a warm-up stands. */
export function warmUpStatus({ day, allowedToday, mailedToday, upTo }: WarmUp): string {
  if (allowedToday === null)
    return `It is over: ${upTo.toLocaleString('en')} a day are reached, and as many are mailed as there are.`
  const [mailed, allowed] = [mailedToday, allowedToday].map((count) => count.toLocaleString('en'))
  const full = mailedToday >= allowedToday ? ' Marketing emails wait for tomorrow (UTC).' : ''
  return `Day ${day}: ${mailed} of ${allowed} emails are mailed today.${full}`
}
