import type { ContactInput, SuppressionReason } from '../contacts/index.ts'
import { addressIn, metadataOf, normalizeValue, objectInCell, RowProblem } from './cells.ts'
import type { ColumnDecision } from './decision.ts'
import { type Consent, consentOf, mapColumns, type Mapping } from './mapping.ts'
import { tagsIn } from './tags.ts'
import { type DateFormat, type NumberFormat, parseBoolean, parseDate, parseNumber, type Separator } from './values.ts'

/** A row of a file. The opt-out is read separately from the contact, because it applies even if the rest is invalid. */
export interface Row {
  email: string
  /** The ID of the contact in another system, if the row has one. */
  externalId: string | undefined
  /** Why the address must not be emailed, or `null` if it may be. */
  optOut: OptOut | null
  /** @throws {RowProblem} */
  contact(): Omit<ContactInput, 'listId' | 'email'>
}

export interface OptOut {
  reason: SuppressionReason
  note: string | null
}

const MAX_TITLE = 50

/**
 * Creates a reader of rows for a complete mapping. Cells are trimmed, and an empty cell means no value.
 * @throws {Error} if a column is undecided, which `assertComplete` prevents
 */
export function createRowReader(titles: readonly string[], mapping: Mapping): (cells: readonly string[]) => Row {
  const columns = mapColumns(titles, mapping).map(({ title, decision }, index) => {
    if (!decision) throw new Error('A column is undecided')
    return { title: title.slice(0, MAX_TITLE), decision, index }
  })
  const ofFile = OPT_OUT_OF[consentOf(mapColumns(titles, mapping), mapping) ?? 'UNSUBSCRIBED']
  const of = (field: string) => columns.filter(({ decision }) => decision.field === field)
  const [email, externalId] = [of('email')[0]!.index, of('externalId')[0]?.index ?? -1]
  const consent = of('consent').map(({ title, decision, index }) => ({ index, read: consentReader(title, decision) }))
  const attributes = columns.flatMap(({ title, decision, index }) =>
    decision.field.startsWith('metadata.')
      ? [{ name: decision.field.slice('metadata.'.length), index, read: valueReader(title, decision) }]
      : [],
  )
  return (cells) => {
    const at = (index: number) => cells[index] ?? ''
    const optOuts = consent.flatMap(({ index, read }) => read(at(index)) ?? [])
    return {
      email: at(email),
      externalId: at(externalId) || undefined,
      // A bounced or blocked address gets no email at all, which is more than an opt-out of the whole file.
      optOut: optOuts.find(({ reason }) => reason !== 'IMPORTED') ?? ofFile ?? optOuts[0] ?? null,
      contact() {
        const metadata = new Map<string, unknown>()
        // If several columns have the same key, the first filled one counts.
        const add = (name: string, value: unknown) => {
          if (value !== undefined && value !== '' && !metadata.has(name)) metadata.set(name, value)
        }
        for (const { name, index, read } of attributes) add(name, at(index) === '' ? undefined : read(at(index)))
        let firstName = of('firstName')
          .map(({ index }) => at(index))
          .find(Boolean)
        for (const { index } of of('name')) {
          const whole = isName(at(index), at(email)) ? at(index) : ''
          add('name', whole)
          firstName ||= whole.split(/\s/, 1)[0]
        }
        for (const { title, index } of of('metadata'))
          for (const [name, value] of Object.entries(objectInCell(at(index), title))) {
            const isFirstName = /^first_?name$/i.test(name) && typeof value === 'string'
            if (isFirstName) firstName ||= value
            else add(name, value)
          }
        const tags = of('tags')
        return {
          externalId: at(externalId) || undefined,
          firstName: firstName || undefined,
          tags:
            tags.length === 0
              ? undefined
              : tags.flatMap(({ index, decision }) => tagsIn(at(index), decision.format as Separator | undefined)),
          metadata: metadataOf([...metadata]),
        }
      },
    }
  }
}

const OPT_OUT_OF: Readonly<Record<Consent, OptOut | null>> = {
  SUBSCRIBED: null,
  COLUMNS: null,
  UNSUBSCRIBED: { reason: 'IMPORTED', note: null },
  BOUNCED: { reason: 'BOUNCED', note: null },
}

/** Some services derive a missing name from the address. */
const isName = (name: string, email: string): boolean =>
  normalizeValue(name) !== normalizeValue(addressIn(email).split('@', 1)[0]!.replaceAll('.', ' '))

/** Creates a reader of a consent column. Every value that does not mean yes is an opt-out. */
function consentReader(title: string, { yes = [], bounced = [], blocked = [] }: ColumnDecision) {
  const setOf = (values: readonly string[]) => new Set(values.map(normalizeValue))
  const [isYes, isBounced, isBlocked] = [setOf(yes), setOf(bounced), setOf(blocked)]
  const note = `Column "${title}"`
  return (cell: string): OptOut | undefined => {
    const value = normalizeValue(cell)
    if (isYes.has(value)) return undefined
    if (isBounced.has(value) || isBounced.has('*')) return { reason: 'BOUNCED', note }
    return { reason: isBlocked.has(value) || isBlocked.has('*') ? 'MANUAL' : 'IMPORTED', note }
  }
}

/** Creates a reader of an attribute. @throws {RowProblem} if the value has another type or format */
function valueReader(title: string, { type = 'text', format, yes }: ColumnDecision): (cell: string) => unknown {
  const given = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw new RowProblem(`The column "${title}" must be ${what}`)
    return value
  }
  switch (type) {
    case 'text':
      return (cell) => cell
    case 'number':
      return (cell) =>
        given(parseNumber(cell, format as NumberFormat | undefined), `a number, such as ${format ?? '1,234.5'}`)
    case 'date':
      return (cell) => given(parseDate(cell, format as DateFormat | undefined), `a date (${format ?? 'YYYY-MM-DD'})`)
    case 'boolean': {
      if (!yes) return (cell) => given(parseBoolean(cell), 'yes or no')
      const values = new Set(yes.map(normalizeValue))
      return (cell) => values.has(normalizeValue(cell))
    }
  }
}
