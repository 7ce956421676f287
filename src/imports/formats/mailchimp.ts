import {
  columnOf,
  emailColumnOf,
  FileProblem,
  type Format,
  instantOf,
  metadataOf,
  type OptOut,
  optOutOf,
  type FileStatus,
} from './format.ts'
import { tagsIn } from './tags.ts'

/** Mailchimp's own columns. All others are fields of the audience. */
const OWN = new Set(
  (
    'email address|first name|last name|sms phone number|sms_marketing_status|member_rating|optin_time|optin_ip|confirm_time|confirm_ip|' +
    'latitude|longitude|gmtoff|dstoff|timezone|cc|region|last_changed|leid|euid|notes|tags|unsub_time|unsub_campaign_title|' +
    'unsub_campaign_id|unsub_reason|unsub_reason_other|clean_time|clean_campaign_title|clean_campaign_id'
  ).split('|'),
)
const MAX_NOTE = 500

/**
 * The export files of a Mailchimp audience, one for each status. The files of unsubscribed and cleaned contacts have their own
 * columns. The files of subscribed and nonsubscribed contacts look alike, so the user must choose the status.
 */
export const mailchimp: Format = {
  name: 'mailchimp',
  readHeader(header, { as }) {
    const email = emailColumnOf(header, 'email address', 'email')
    const at = (...names: string[]) => columnOf(header, ...names)
    const [unsubscribed, cleaned] = [at('unsub_time'), at('clean_time')]
    // The columns override the chosen status, so that no contact is emailed by mistake.
    const status: FileStatus | null = unsubscribed >= 0 ? 'UNSUBSCRIBED' : cleaned >= 0 ? 'BOUNCED' : as
    if (status === null)
      throw new FileProblem(
        'Mailchimp exports "subscribed" and "nonsubscribed" contacts in the same format. Set "as" to SUBSCRIBED or UNSUBSCRIBED, ' +
          'according to the file name.',
      )
    const [firstName, lastName, tags, timezone, euid, optIn, confirm] = [
      at('first name'),
      at('last name'),
      at('tags'),
      at('timezone'),
      at('euid'),
      at('optin_time'),
      at('confirm_time'),
    ]
    const fields = header.flatMap((title, index) =>
      OWN.has(title.trim().toLowerCase()) || title.trim() === '' ? [] : [[title.trim(), index] as const],
    )
    const joined = (...names: string[]) => {
      const columns = names.map((name) => at(name))
      return (cells: readonly string[]) =>
        columns
          .flatMap((column) => cells[column] || [])
          .join(', ')
          .slice(0, MAX_NOTE) || null
    }
    const noteOf =
      unsubscribed >= 0
        ? joined('unsub_time', 'unsub_reason', 'unsub_reason_other', 'unsub_campaign_title')
        : joined('clean_time', 'clean_campaign_title')
    return (cells) => ({
      email: cells[email]!,
      contact: () => ({
        firstName: cells[firstName] || undefined,
        tags: tags < 0 ? undefined : tagsIn(cells[tags]!),
        metadata: metadataOf([
          ...fields.map(([key, index]) => [key, cells[index]] as const),
          ['lastName', cells[lastName]],
          ['timezone', cells[timezone]],
          ['mailchimpEuid', cells[euid]],
          ['createdAt', instantOf(cells[optIn] || cells[confirm] || '')],
        ]),
      }),
      optOut: optOutFor(status, noteOf(cells)),
    })
  },
}

/** Marks contacts whom staff unsubscribed, and who did not opt out themselves. */
const BY_ADMIN = 'Unsubscribed by admin'

function optOutFor(status: FileStatus, note: string | null): OptOut | null {
  const isByAdmin = status === 'UNSUBSCRIBED' && note?.includes(BY_ADMIN)
  return isByAdmin ? { reason: 'MANUAL', note } : optOutOf(status, note)
}
