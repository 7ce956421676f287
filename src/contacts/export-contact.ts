import type { EntityManager } from '../platform/db/orm.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import { type Document, FIRST_PAGE_ITEMS, pageOfPart, PART_NAMES, type PartName } from './export-queries.ts'

/**
 * Streams all data of a contact as JSON. A contact can have more events than fit into memory.
 *
 * @param head the parts that are always small
 * @param first the first items of each part, if they have already been read; fewer than `FIRST` means all of them
 */
export async function* contactChunks(
  em: EntityManager,
  id: string,
  head: Document,
  first: Partial<Record<PartName, Document[]>> = {},
): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const name of PART_NAMES) {
    yield `,${JSON.stringify(name)}:[`
    const known = first[name]
    if (known && known.length < FIRST_PAGE_ITEMS) yield known.map((item) => JSON.stringify(item)).join()
    else yield* partChunks(em, id, name)
    yield ']'
  }
  yield '}'
}

async function* partChunks(em: EntityManager, id: string, name: PartName): AsyncGenerator<string> {
  let isFirst = true
  for (let after: readonly string[] | undefined; ;) {
    const page = await pageOfPart(em.fork(), id, name, { after, limit: pageSizes.exportedItems })
    if (page.length > 0) yield `${isFirst ? '' : ','}${page.map(({ document }) => JSON.stringify(document)).join()}`
    if (page.length < pageSizes.exportedItems) return
    isFirst = false
    after = page.at(-1)!.place
  }
}
