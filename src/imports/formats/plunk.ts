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

/** Columns of Plunk's own, besides which each is a field of its `data`. */
const OWN = ['id', 'email', 'subscribed', 'data', 'createdat', 'updatedat', 'snoozeduntil', 'projectid', 'firstname']

/**
 * Plunk's contacts: as a script writes them from its API, a column each, or with `data` as JSON. It has no export of its own: what its
 * API answers, the command line reads as it is (see `plunkToCsv`).
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
        'The header has no column "subscribed", which says who wants no mail: write it as the API has it',
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
        // Who has snoozed is one who is subscribed, there, and gets nothing until then.
        ((subscribed >= 0 && isOut(cells[email]!, cells[subscribed] ?? '')) || isSnoozed(cells[snoozed] ?? '')
          ? optOutOf('UNSUBSCRIBED', cells[snoozed] ? `Plunk: snoozed until ${cells[snoozed].slice(0, 100)}` : null)
          : null),
    })
  },
}

/** Plunk reads "true", "1" and "yes", in any case, as subscribed, and anything else as not. */
function isOut(email: string, cell: string): boolean {
  const word = cell.toLowerCase()
  if (['true', '1', 'yes'].includes(word)) return false
  if (['false', '0', 'no'].includes(word)) return true
  throw new UnclearRow(email, 'subscribed must be true or false')
}

/** Until an instant to come; what is no instant is no word about her. */
const isSnoozed = (cell: string): boolean => (/^\d{13}$/.test(cell) ? Number(cell) : Date.parse(cell)) > Date.now()
