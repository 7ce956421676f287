import {
  columnOf,
  emailColumnOf,
  FileProblem,
  normalizeTitle,
  type Format,
  instantOf,
  metadataOf,
  objectInCell,
  optOutOf,
  type Row,
  type FileStatus,
  UnclearRow,
} from './format.ts'

/**
 * The subscriber export of listmonk. Subscribers who left a list are still "enabled" there. Export them separately, with a
 * filter, and import that file as UNSUBSCRIBED.
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
        'The header has no column "status", which marks blocklisted subscribers. Export the subscribers with it.',
      )
    return (cells) => {
      const whole = cells[name] ?? ''
      const isGenerated = whole.toLowerCase() === generatedNameOf(cells[email]!)
      return {
        email: cells[email]!,
        contact: () => ({
          firstName: isGenerated || whole === '' ? undefined : whole.split(/\s/, 1)[0],
          metadata: metadataOf([
            ...Object.entries(objectInCell(cells[attributes] ?? '', 'attributes')),
            ['name', isGenerated ? '' : whole],
            ['listmonkUuid', cells[uuid]],
            ['createdAt', instantOf(cells[created] ?? '')],
          ]),
        }),
        optOut: statusOf(cells[email]!, cells[status] ?? '', as) ?? optOutOf(as),
      }
    }
  },
}

/** Returns the name that listmonk generates for an address without one. */
const generatedNameOf = (email: string): string => email.split('@', 1)[0]!.replaceAll('.', ' ').toLowerCase()

/** Maps a status. listmonk does not record who blocklisted a subscriber: an operator, the subscriber, or a bounce. */
function statusOf(email: string, status: string, as: FileStatus | null): Row['optOut'] {
  const word = normalizeTitle(status)
  if (['blocklisted', 'blacklisted', 'disabled'].includes(word)) return { reason: 'MANUAL', note: `listmonk: ${word}` }
  if (word === 'enabled') return null
  if (word === 'unsubscribed') return optOutOf('UNSUBSCRIBED', 'listmonk: unsubscribed')
  // A wrong guess would email a contact who opted out.
  if (as === null) throw new UnclearRow(email, 'status must be enabled, disabled or blocklisted')
  return null
}
