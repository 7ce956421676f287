import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import {
  type FormatName,
  type Import,
  importFile,
  isField,
  listErrors,
  type Progress,
  setAudited,
  type FileStatus,
} from '../../imports/index.ts'
import type { EntityManager } from '../../platform/db/orm.ts'
import { assertWorkspace } from '../../segments/index.ts'
import { auditCommand } from './with-audit.ts'
import { withDatabase } from './with-database.ts'

export interface ImportRequest {
  path: string
  workspace: string
  format: FormatName
  as: FileStatus | undefined
  list?: string
  tag: string[]
  column: { column: string; field: string }[]
  triggers?: true
  confirmed?: true
  errors?: string
}

export interface ImportSummary extends Pick<Import, 'id' | 'status' | 'created' | 'updated' | 'suppressed' | 'failed'> {
  problem: string | null
  /** The path of the file with the failed rows, if any. */
  errorsIn: string | null
}

/** Milliseconds between two lines of progress. */
const PROGRESS_INTERVAL_MS = 200

/** Imports a file, or resumes its import. */
export const runImport = (
  { path, workspace, format, as, list, tag, column, triggers, confirmed, errors }: ImportRequest,
  { note, progress }: { note: (line: string) => void; progress: (line: string) => void },
): Promise<ImportSummary> =>
  withDatabase(async ({ em }) => {
    const isThere = await access(path, constants.R_OK).then(
      async () => (await stat(path)).isFile(),
      () => false,
    )
    if (!isThere) throw new Error(`${path} does not exist or cannot be read`)
    const wrong = column.find(({ field }) => !isField(field))
    if (wrong) throw new Error(`${wrong.field} is not a field: docs/import.md lists them all`)
    await assertWorkspace(em.fork(), workspace)
    const options = {
      columns: column,
      listId: list ?? null,
      tags: tag,
      as: as ?? null,
      triggers: triggers ?? false,
      ...(confirmed && { confirmed }),
    }
    let begun = false
    let shown = 0
    const found = await importFile({ em }, workspace, { path, format, options }, (at) => {
      if (!begun) beginning(at, note)
      begun = true
      if (performance.now() - shown < PROGRESS_INTERVAL_MS) return
      shown = performance.now()
      progress(lineOf(at))
    })
    await auditCommand(em.fork(), { workspaceId: workspace, operation: 'createImport', targetId: found.id })
    const { id, status, created, updated, suppressed, failed, problem } = found
    const errorsIn = failed > 0 ? await writeErrors(em, found, errors ?? `${path}.errors.csv`) : null
    await setAudited(em, id)
    return { id, status, created, updated, suppressed, failed, problem: problem ?? null, errorsIn }
  })

function beginning({ found, encoding, isResumed }: Progress, note: (line: string) => void): void {
  if (isResumed) note(`Resuming at line ${found.line + 1}.`)
  if (encoding !== 'utf-8') note(`The file is not UTF-8. Its detected encoding is ${encoding}.`)
  if (found.format === 'listmonk' && found.options.as === null)
    note(
      'Contacts who left a list in listmonk are still "enabled" in this file. Also import the\nexport of each list, filtered by "unsubscribed", with --as UNSUBSCRIBED.',
    )
}

function lineOf({ found: { line, position, size, failed } }: Progress): string {
  const part = size ? ` (${Math.floor((100 * position) / size)} %)` : ''
  return `${line.toLocaleString('en-US')} lines${part}, ${failed} failed`
}

const PAGE = 100

async function writeErrors(em: EntityManager, { id, workspaceId }: Import, path: string): Promise<string> {
  const file = createWriteStream(path)
  await once(file, 'open')
  file.write(stringify([['line', 'problem']]))
  for (let offset = 0; ; offset += PAGE) {
    const [errors] = await listErrors(em, workspaceId, id, { limit: PAGE, offset })
    file.write(stringify(errors.map(({ line, problem }) => [line, problem])))
    if (errors.length < PAGE) break
  }
  file.end()
  await once(file, 'finish')
  return path
}
