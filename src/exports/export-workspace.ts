import type { EntityManager } from '../platform/db/orm.ts'
import { NIL_ID } from '../platform/ids.ts'
import { documentPage, KINDS } from './queries.ts'

/** So many are read at a time. */
const PAGE = 200

/**
 * All that a workspace has, as lines of JSON: `{"type": "contact", …}`, in the order of `KINDS`. A contact has all that is kept of her,
 * but what emails said. Memory does not grow with the workspace; what changes meanwhile may be there as it was or as it is.
 */
export async function* exportWorkspace(em: EntityManager, workspaceId: string): AsyncGenerator<string> {
  for (const kind of KINDS) {
    for (let behind = NIL_ID; ;) {
      const page = await documentPage(em.fork(), workspaceId, kind, { behind, limit: PAGE })
      for (const { document } of page) yield `${JSON.stringify({ type: kind, ...document })}\n`
      if (page.length < PAGE) break
      behind = page.at(-1)!.id
    }
  }
}
