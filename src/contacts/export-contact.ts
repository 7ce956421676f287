import type { EntityManager } from '../platform/db/orm.ts'
import { type Document, FIRST, pageOfPart, PART_NAMES, type PartName } from './export-queries.ts'

/** So many are read at a time, in which nobody else has the process. Of an event's 16 KB Postgres can make 700, because it writes numbers out. */
const PAGE = 5

/**
 * All that is kept of a contact as JSON, piece by piece: she can have more events than anybody should hold at once.
 *
 * @param head what of her is never very much
 * @param first of each part the first ones, where they are known already: fewer than `FIRST` are all
 */
export async function* contactPieces(
  em: EntityManager,
  id: string,
  head: Document,
  first: Partial<Record<PartName, Document[]>> = {},
): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const name of PART_NAMES) {
    yield `,${JSON.stringify(name)}:[`
    const known = first[name]
    if (known && known.length < FIRST) yield known.map((item) => JSON.stringify(item)).join()
    else yield* partPieces(em, id, name)
    yield ']'
  }
  yield '}'
}

async function* partPieces(em: EntityManager, id: string, name: PartName): AsyncGenerator<string> {
  let isFirst = true
  for (let behind: readonly string[] | undefined; ;) {
    const page = await pageOfPart(em.fork(), id, name, { behind, limit: PAGE })
    if (page.length > 0) yield `${isFirst ? '' : ','}${page.map(({ document }) => JSON.stringify(document)).join()}`
    if (page.length < PAGE) return
    isFirst = false
    behind = page.at(-1)!.place
  }
}
