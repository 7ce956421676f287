import {
  columnOf,
  emailColumnOf,
  FileProblem,
  foldedWord,
  type Format,
  instantOf,
  metadataOf,
  objectInCell,
  optOutOf,
  type Row,
  type Standing,
  UnclearRow,
} from './format.ts'

/**
 * The subscribers that listmonk exports. Who has left a list there is "enabled" all the same: a file of those, filtered by that, is
 * imported as UNSUBSCRIBED.
 *
 * @see https://listmonk.app/docs/apis/subscribers/
 */
export const listmonk: Format = {
  name: 'listmonk',
  readHeader(header, { as }) {
    const email = emailColumnOf(header, 'email')
    const at = (...names: string[]) => columnOf(header, ...names)
    const [uuid, name, attributes, status, created] = [
      at('uuid'),
      at('name'),
      at('attributes', 'attribs'),
      at('status'),
      at('created_at'),
    ]
    if (status < 0 && as === null)
      throw new FileProblem(
        'The header has no column "status", which says who is blocklisted: export the subscribers with it',
      )
    return (cells) => {
      const whole = cells[name] ?? ''
      const isMadeUp = whole.toLowerCase() === madeOf(cells[email]!)
      return {
        email: cells[email]!,
        contact: () => ({
          firstName: isMadeUp || whole === '' ? undefined : whole.split(/\s/, 1)[0],
          metadata: metadataOf([
            ...Object.entries(objectInCell(cells[attributes] ?? '', 'attributes')),
            ['name', isMadeUp ? '' : whole],
            ['listmonkUuid', cells[uuid]],
            ['createdAt', instantOf(cells[created] ?? '')],
          ]),
        }),
        optOut: statusOf(cells[email]!, cells[status] ?? '', as) ?? optOutOf(as),
      }
    }
  },
}

/** What listmonk makes of an address that has no name. */
const madeOf = (email: string): string => email.split('@', 1)[0]!.replaceAll('.', ' ').toLowerCase()

/** Blocklisted by somebody, by herself, or for a bounce: nobody has written which. */
function statusOf(email: string, status: string, as: Standing | null): Row['optOut'] {
  const word = foldedWord(status)
  if (['blocklisted', 'blacklisted', 'disabled'].includes(word)) return { reason: 'MANUAL', note: `listmonk: ${word}` }
  if (word === 'enabled') return null
  if (word === 'unsubscribed') return optOutOf('UNSUBSCRIBED', 'listmonk: unsubscribed')
  // Guessing would mail somebody who wants none.
  if (as === null) throw new UnclearRow(email, 'status must be enabled, disabled or blocklisted')
  return null
}
