import type { EntityManager } from '../platform/db/orm.ts'
import { NIL_ID } from '../platform/ids.ts'
import { pageSizes } from '../platform/page-sizes.ts'
import { contactChunks } from './export-contact.ts'
import { contentsOfCampaign, type Document, documentPage, type Kind, KINDS, type PartName } from './export-queries.ts'

/**
 * Streams all objects of a workspace as lines of JSON: `{"type": "contact", …}`, in the order of `KINDS`. Contacts include all
 * their data except the content of emails. Memory use does not grow with the workspace. Concurrent changes may or may not be
 * included.
 *
 * @returns lines in chunks: the last chunk of a line ends with a line break, and no other chunk contains one
 */
export async function* exportWorkspace(em: EntityManager, workspaceId: string): AsyncGenerator<string> {
  for (const kind of KINDS) {
    const limit = kind === 'contact' ? pageSizes.exportedContacts : pageSizes.export
    for (let after = NIL_ID; ;) {
      const page = await documentPage(em.fork(), workspaceId, kind, { after, limit })
      for (const { id, document } of page) {
        yield* chunksOf(em, kind, id, { type: kind, ...document })
        yield '\n'
      }
      if (page.length < limit) break
      after = page.at(-1)!.id
    }
  }
}

async function* chunksOf(em: EntityManager, kind: Kind, id: string, document: Document): AsyncGenerator<string> {
  if (kind === 'contact') {
    const { parts, ...head } = document
    yield* contactChunks(em, id, head, parts as Record<PartName, Document[]>)
  } else if (kind === 'campaign') {
    // One at a time: each can be long.
    yield JSON.stringify({ ...document, contents: await contentsOfCampaign(em.fork(), id) })
  } else yield JSON.stringify(document)
}
