import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runImport, type ImportRequest } from '../../src/bin/commands/run-import.ts'
import type { ColumnChoice, ImportOptions } from '../../src/imports/index.ts'
import { importRows } from '../support/imports.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

export interface ImportBody {
  id: string
  status: string
  position: number
  imported: number
  size: number | null
  lines: number
  created: number
  updated: number
  suppressed: number
  failed: number
  problem: string | null
}
export interface ContactBody {
  email: string
  firstName: string | null
  metadata: Record<string, unknown>
  tags: string[]
  suppressedBy: string | null
}
/** Opens a workspace for the tests of the calling `describe`, and returns helpers that import files into it. */
export function importing() {
  let service: Service
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-imports-'))
    service = await openWorkspace()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const em = () => service.context.orm.em.fork()
  let names = 0
  /** A domain that no other test uses. */
  const domain = () => `n${(names += 1)}.example.com`
  const file = (content: string | Buffer, name = `${(names += 1)}.csv`) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const begin = async (body: object = {}): Promise<ImportBody> =>
    (await service.call('POST', 'imports', { name: 'x.csv', ...withConsent(body) })).body.data as ImportBody
  const sendChunk = (id: string, position: number, text: string, isLast: boolean) =>
    service.call('POST', `imports/${id}/chunks`, { position, text, isLast })
  const get = async (id: string) => (await service.call('GET', `imports/${id}`)).body.data as ImportBody
  /** Starts an import, and imports its rows in this process, which is faster than waiting for the worker. */
  async function run(id: string): Promise<ImportBody> {
    const started = await service.call('POST', `imports/${id}/start`)
    assert.equal(started.status, 200, JSON.stringify(started.body))
    await importRows(service, id)
    return get(id)
  }
  /** Uploads a text as a draft. */
  async function draft(text: string, body: object = {}): Promise<ImportBody> {
    const answer = await service.call('POST', 'imports', { name: 'x.csv', text, ...withConsent(body) })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data as ImportBody
  }
  /** Imports a text. */
  const imported = async (text: string, body: object = {}): Promise<ImportBody> => run((await draft(text, body)).id)
  const errorsOf = async (id: string) =>
    (await service.call('GET', `imports/${id}/errors`)).body.data as {
      line: number
      problem: string
      cells: string[] | null
    }[]
  const contact = async (email: string): Promise<ContactBody | undefined> =>
    ((await service.call('GET', `contacts?email=${encodeURIComponent(email)}`)).body.data as ContactBody[])[0]
  async function atCommandLine(path: string, wanted: Partial<ImportRequest> = {}) {
    const before = process.env['DATABASE_URL']
    process.env['DATABASE_URL'] = service.context.config.DATABASE_URL
    try {
      const all = {
        workspace: service.workspaceId,
        tag: [],
        column: [],
        ...(wanted.preset === undefined && { consent: 'SUBSCRIBED' as const }),
        ...wanted,
        path,
      }
      return await runImport(all, { note: () => undefined, progress: () => undefined })
    } finally {
      if (before === undefined) delete process.env['DATABASE_URL']
      else process.env['DATABASE_URL'] = before
    }
  }
  return {
    service: () => service,
    folder: () => folder,
    em,
    domain,
    file,
    begin,
    sendChunk,
    draft,
    get,
    run,
    imported,
    errorsOf,
    contact,
    atCommandLine,
  }
}

/** Options of an import in which everyone opted in. */
export const options = (more: Partial<ImportOptions> = {}): ImportOptions => ({
  preset: null,
  columns: [],
  consent: 'SUBSCRIBED',
  listId: null,
  tags: [],
  triggers: false,
  confirmed: false,
  ...more,
})

/** States that everyone opted in, unless a column holds the consent or the body states it. */
const withConsent = (body: { columns?: ColumnChoice[]; consent?: string | null; preset?: string }) => ({
  ...(body.columns?.some(({ field }) => field === 'consent') || body.preset ? {} : { consent: 'SUBSCRIBED' }),
  ...body,
})

/** The mapping of a column "unsubscribed" with yes, no, true, false, or nothing. */
export const UNSUBSCRIBED: ColumnChoice = { column: 'unsubscribed', field: 'consent', yes: ['', 'no', 'false'] }
