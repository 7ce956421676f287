import {
  columnOf,
  emailColumnOf,
  FileProblem,
  type Format,
  instantOf,
  metadataOf,
  objectInCell,
  optOutOf,
  UnclearRow,
} from './format.ts'

/** Plunk's own columns. All others are fields of its `data`. */
const OWN = ['id', 'email', 'subscribed', 'data', 'createdat', 'updatedat', 'snoozeduntil', 'projectid', 'firstname']

/**
 * Plunk's contacts as CSV, with a column for each field or with `data` as JSON. Plunk has no export. The CLI reads the responses
 * of its API directly (see `plunkToCsv`).
 *
 * @see https://docs.useplunk.com/api-reference/contacts/list
 */
export const plunk: Format = {
  name: 'plunk',
  readHeader(header, { as }) {
    const email = emailColumnOf(header, 'email')
    const at = (...names: string[]) => columnOf(header, ...names)
    const [id, subscribed, data, created, snoozed, firstName] = [
      at('id'),
      at('subscribed'),
      at('data'),
      at('createdat'),
      at('snoozeduntil'),
      at('firstname'),
    ]
    if (subscribed < 0 && as === null)
      throw new FileProblem(
        'The header has no column "subscribed", which marks who opted out. Add it with the values of the API.',
      )
    const fields = header.flatMap((title, index) =>
      OWN.includes(title.trim().toLowerCase()) ? [] : [[title.trim(), index] as const],
    )
    return (cells) => ({
      email: cells[email]!,
      contact: () => {
        const {
          firstName: camel,
          first_name: snake,
          firstname: flat,
          ...rest
        } = objectInCell(cells[data] ?? '', 'data')
        const named = [cells[firstName], camel, snake, flat].find((name) => typeof name === 'string' && name !== '')
        return {
          firstName: named as string | undefined,
          metadata: metadataOf([
            ...fields.map(([key, index]) => [key, cells[index]] as const),
            ...Object.entries(rest),
            ['plunkId', cells[id]],
            ['createdAt', instantOf(cells[created] ?? '')],
          ]),
        }
      },
      optOut:
        optOutOf(as) ??
        // In Plunk, a snoozed contact stays subscribed but gets no email until the snooze ends.
        ((subscribed >= 0 && isOut(cells[email]!, cells[subscribed] ?? '')) || isSnoozed(cells[snoozed] ?? '')
          ? optOutOf('UNSUBSCRIBED', cells[snoozed] ? `Plunk: snoozed until ${cells[snoozed].slice(0, 100)}` : null)
          : null),
    })
  },
}

/** Reads "true", "1" and "yes" as subscribed, without case, as Plunk does. Unlike Plunk, rejects other values. */
function isOut(email: string, cell: string): boolean {
  const word = cell.toLowerCase()
  if (['true', '1', 'yes'].includes(word)) return false
  if (['false', '0', 'no'].includes(word)) return true
  throw new UnclearRow(email, 'subscribed must be true or false')
}

/** Checks whether the instant is in the future. Invalid instants count as not snoozed. */
const isSnoozed = (cell: string): boolean => (/^\d{13}$/.test(cell) ? Number(cell) : Date.parse(cell)) > Date.now()
