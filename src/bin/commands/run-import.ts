import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import {
  type ColumnChoice,
  type Consent,
  type Import,
  importFile,
  IncompleteMapping,
  isConsistent,
  isField,
  LINE_TITLE,
  listErrors,
  noteOf,
  type PresetName,
  PROBLEM_TITLE,
  type Progress,
  setAudited,
} from '../../imports/index.ts'
import type { EntityManager } from '../../platform/db/orm.ts'
import { assertWorkspace } from '../../segments/index.ts'
import { auditCommand } from './with-audit.ts'
import { withDatabase } from './with-database.ts'

export interface ImportRequest {
  path: string
  workspace: string
  preset?: PresetName
  consent?: Consent
  list?: string
  tag: string[]
  column: ColumnChoice[]
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
  { path, workspace, preset, consent, list, tag, column, triggers, confirmed, errors }: ImportRequest,
  { note, progress }: { note: (line: string) => void; progress: (line: string) => void },
): Promise<ImportSummary> =>
  withDatabase(async ({ em }) => {
    const isThere = await access(path, constants.R_OK).then(
      async () => (await stat(path)).isFile(),
      () => false,
    )
    if (!isThere) throw new Error(`${path} does not exist or cannot be read`)
    const wrong = column.find((each) => !isField(each.field) || !isConsistent(each))
    if (wrong) throw new Error(`--column ${wrong.column} has no valid field, type or format: see docs/import.md`)
    await assertWorkspace(em.fork(), workspace)
    const options = {
      preset: preset ?? null,
      columns: column,
      consent: consent ?? null,
      listId: list ?? null,
      tags: tag,
      triggers: triggers ?? false,
      confirmed: confirmed ?? false,
    }
    let begun = false
    let shown = 0
    const found = await importFile({ em }, workspace, { path, options }, (at) => {
      if (!begun) beginning(at, note)
      begun = true
      if (performance.now() - shown < PROGRESS_INTERVAL_MS) return
      shown = performance.now()
      progress(lineOf(at))
    }).catch((error: unknown) => {
      throw error instanceof IncompleteMapping ? new Error(questionsOf(error)) : error
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
  const hint = found.options.preset && noteOf(found.options.preset)
  if (hint) note(hint)
}

/** Lists the undecided columns with samples, and an option for each. */
function questionsOf({ message, columns, detectedPreset }: IncompleteMapping): string {
  const undecided = columns.filter(({ decision }) => decision === null)
  const lines = undecided.map(({ title, samples, values, guess }) => {
    const seen = (values ?? samples).map((value) => (value === '' ? '(empty)' : value)).join(', ')
    const { field, type, format } = guess ?? { field: '???' }
    const suggested = [field, type === 'text' ? undefined : type, type === 'text' ? undefined : format].filter(Boolean)
    return `  --column ${JSON.stringify(`${title}=${suggested.join(':')}`)}   # ${seen.slice(0, MAX_SEEN)}`
  })
  return [
    message,
    ...(detectedPreset ? [`The file looks like an export of ${detectedPreset}: try --preset ${detectedPreset}.`] : []),
    ...(lines.length > 0
      ? [
          'Add an option for each column. Replace ??? with "consent:" and the values that mean yes, or with another field (docs/import.md).',
          ...lines,
        ]
      : []),
  ].join('\n')
}

const MAX_SEEN = 120

function lineOf({ found: { line, position, size, failed } }: Progress): string {
  const part = size ? ` (${Math.floor((100 * position) / size)} %)` : ''
  return `${line.toLocaleString('en-US')} lines${part}, ${failed} failed`
}

const PAGE = 100

async function writeErrors(em: EntityManager, { id, workspaceId, header }: Import, path: string): Promise<string> {
  const file = createWriteStream(path)
  await once(file, 'open')
  file.write(stringify([[...(header ?? []), LINE_TITLE, PROBLEM_TITLE]]))
  for (let offset = 0; ; offset += PAGE) {
    const [errors] = await listErrors(em, workspaceId, id, { limit: PAGE, offset })
    file.write(
      stringify(
        errors.map(({ line, problem, cells }) => [...(header ?? []).map((_, at) => cells?.[at] ?? ''), line, problem]),
        { escape_formulas: true },
      ),
    )
    if (errors.length < PAGE) break
  }
  file.end()
  await once(file, 'finish')
  return path
}
