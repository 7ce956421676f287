import { advanceImport, type Import } from '../../src/imports/index.ts'
import { newCall } from '../../src/platform/call.ts'
import type { Service } from './service.ts'

/** Imports the rows of a started import in this process, which is faster than waiting for the worker. */
export async function importRows(service: Service, id: string): Promise<Import> {
  for (;;) {
    const found = await advanceImport({ em: service.context.orm.em.fork() }, service.workspaceId, id, newCall())
    if (!found) throw new Error('The import does not exist')
    if (found.status !== 'RUNNING') return found
  }
}
