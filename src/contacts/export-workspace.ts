import type { EntityManager } from '../platform/db/orm.ts'
import { NIL_ID } from '../platform/ids.ts'
import { contactPieces } from './export-contact.ts'
import { contentsOfCampaign, type Document, documentPage, type Kind, KINDS, type PartName } from './export-queries.ts'

/** So many are read at a time; fewer of contacts, each of whom can have much. */
const PAGE = 200
const PAGE_OF_CONTACTS = 25

/**
 * All that a workspace has, as lines of JSON: `{"type": "contact", …}`, in the order of `KINDS`. A contact has all that is kept of her,
 * but what emails said. Memory does not grow with the workspace; what changes meanwhile may be there as it was or as it is.
 *
 * @returns lines in pieces: each one's last piece ends with a line break, and no other has one
 */
export async function* exportWorkspace(em: EntityManager, workspaceId: string): AsyncGenerator<string> {
  for (const kind of KINDS) {
    const limit = kind === 'contact' ? PAGE_OF_CONTACTS : PAGE
    for (let behind = NIL_ID; ;) {
      const page = await documentPage(em.fork(), workspaceId, kind, { behind, limit })
      for (const { id, document } of page) {
        yield* piecesOf(em, kind, id, { type: kind, ...document })
        yield '\n'
      }
      if (page.length < limit) break
      behind = page.at(-1)!.id
    }
  }
}

async function* piecesOf(em: EntityManager, kind: Kind, id: string, document: Document): AsyncGenerator<string> {
  if (kind === 'contact') {
    const { parts, ...head } = document
    yield* contactPieces(em, id, head, parts as Record<PartName, Document[]>)
  } else if (kind === 'campaign') {
    // Of one at a time: each can be long.
    yield JSON.stringify({ ...document, contents: await contentsOfCampaign(em.fork(), id) })
  } else yield JSON.stringify(document)
}
