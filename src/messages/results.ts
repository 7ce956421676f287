import { array, object, string, type InferType } from 'yup'
import { type Caller, count } from '../http/index.ts'
import { MESSAGE_RESULTS } from './message.ts'

/** The counters of the results of messages. */
export const RESULT_COUNTERS = ['SENT', 'CAPTURED', 'OPENED', 'CLICKED', ...MESSAGE_RESULTS] as const

export type ResultCounts = Partial<Record<string, number>>

/** Fields of a response. Each message is counted once in each of them. */
export const resultFields = {
  sent: count('Emails that the mail server accepted, or that were captured.', 100),
  delivered: count('Emails sent that did not bounce hard afterwards.', 98),
  bounced: count(
    'Hard bounces: the mailbox does not exist. Includes emails that the mail server rejected for that reason and that were not sent.',
    2,
  ),
  softBounced: count('Soft bounces: the mailbox is full, for example.', 1),
  blocked: count('Emails that the receiving server blocked after they were sent.', 0),
  opened: count('Emails opened by a person, if opens are tracked.', 40),
  machineOpened: count(
    'Emails whose image was loaded by a machine, such as a scanner. A person may have opened them, too.',
    25,
  ),
  clicked: count('Emails in which a person clicked a link, if clicks are tracked.', 12),
  unsubscribed: count('Emails because of which the contact unsubscribed.', 1),
  complained: count('Emails that were reported as spam.', 0),
}

export const resultsResponse = object(resultFields).required().meta({ component: 'MessageResults' })

/** Results by day. */
export const daysResponse = (description: string) =>
  array()
    .of(
      object({
        date: string()
          .required()
          .meta({ description: 'The day, in UTC.', json: { format: 'date' }, example: '2026-11-27' }),
        ...resultFields,
      })
        .required()
        .meta({ component: 'DayResults' }),
    )
    .required()
    .meta({ description: `${description} Days without any are left out.` })

export const presentResults = (counts: ResultCounts): InferType<typeof resultsResponse> => {
  const sent = (counts['SENT'] ?? 0) + (counts['CAPTURED'] ?? 0)
  const bounced = counts['HARD_BOUNCED'] ?? 0
  return {
    sent,
    // An email that was not confirmed as sent may bounce, too.
    delivered: Math.max(0, sent - bounced),
    bounced: bounced + (counts['REJECTED'] ?? 0),
    softBounced: counts['SOFT_BOUNCED'] ?? 0,
    blocked: counts['BLOCKED'] ?? 0,
    opened: counts['OPENED'] ?? 0,
    machineOpened: counts['MACHINE_OPENED'] ?? 0,
    clicked: counts['CLICKED'] ?? 0,
    unsubscribed: counts['UNSUBSCRIBED'] ?? 0,
    complained: counts['COMPLAINED'] ?? 0,
  }
}

export const presentDays = (days: readonly { date: string; counts: ResultCounts }[]) =>
  days.map(({ date, counts }) => ({ date, ...presentResults(counts) }))

/**
 * Presents clicked links. A URL can contain data of a contact, mostly in its query, which callers that may not read contacts do not
 * get.
 */
export function presentLinks<Link extends { stepId: string; url: string; clicks: number }>(
  links: readonly Link[],
  { scopes }: Pick<Caller, 'scopes'>,
): Link[] {
  if (scopes.includes('contacts:read')) return [...links]
  const byUrl = new Map<string, Link>()
  for (const link of links) {
    const url = link.url.replace(/[?#].*$/s, '')
    const key = `${link.stepId} ${url}`
    byUrl.set(key, { ...link, url, clicks: link.clicks + (byUrl.get(key)?.clicks ?? 0) })
  }
  return [...byUrl.values()]
}
