import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { importFile } from '../src/imports/index.ts'
import { sql } from '../src/platform/db/sql.ts'
import { startService } from './service.ts'
import { timed, type Benchmark } from './compare.ts'

const ROWS = 100_000
const MANY_ROWS = 1_000_000
const CLI = fileURLToPath(new URL('../src/bin/cli.ts', import.meta.url))

const UPSERT = `
insert into bare_contacts as contact (id, workspace_id, email, email_key, first_name, metadata)
select gen_random_uuid(), $1::uuid, email, lower(email), first_name, jsonb_build_object('plan', plan, 'seats', seats)
from copied
on conflict (workspace_id, email_key) do update set
  email = excluded.email, first_name = excluded.first_name, metadata = contact.metadata || excluded.metadata, updated_at = now()`

/** A file of contacts through the import, which validates, maps and resumes ÷ COPY of the same file and one raw upsert. */
export const importing: Benchmark = {
  name: 'import',
  title: 'rows/s of an import of 100,000 new contacts ÷ of COPY of the same file and a raw upsert',
  goal: { atLeast: 0.4 },
  unit: 'rows/s',
  async prepare(note) {
    const service = await startService({ worker: false })
    const { em } = service.context.orm
    const folder = mkdtempSync(join(tmpdir(), 'dripline-bench-'))
    await sql(em.fork(), 'create table bare_contacts (like contacts including all)')
    await sql(em.fork(), 'alter table bare_contacts add foreign key (workspace_id) references workspaces')
    const client = new Client({ connectionString: service.context.config.DATABASE_URL })
    await client.connect()
    await client.query('create temporary table copied (email text, first_name text, plan text, seats text)')
    let files = 0
    const aFile = async (rows: number): Promise<string> => {
      files += 1
      const path = join(folder, `${files}.csv`)
      const lines = function* () {
        yield 'email,first name,plan,seats\n'
        for (let n = 0; n < rows; n += 1) yield `user-${files}-${n}@example.com,"Ada, ${n}",pro,${n}\n`
      }
      await pipeline(lines, createWriteStream(path))
      return path
    }
    const columns = ['plan', 'seats'].map((column) => ({ column, field: `metadata.${column}` }))
    const choices = { preset: null, columns, consent: 'SUBSCRIBED' } as const
    const options = { ...choices, listId: null, tags: [], triggers: false, confirmed: false }
    const rate = (milliseconds: number) => ROWS / (milliseconds / 1_000)
    return {
      async ours() {
        const path = await aFile(ROWS)
        return rate(
          await timed(async () => {
            const done = await importFile({ em }, service.workspaceId, { path, options })
            if (done.created !== ROWS) throw new Error(`${done.created} of ${ROWS} rows were created`)
          }),
        )
      },
      async bare() {
        const path = await aFile(ROWS)
        return rate(
          await timed(async () => {
            await client.query('begin')
            await client.query('truncate copied')
            await pipeline(
              createReadStream(path),
              client.query(copyFrom('copy copied from stdin (format csv, header)')),
            )
            await client.query(UPSERT, [service.workspaceId])
            await client.query('commit')
          }),
        )
      },
      async close() {
        const path = await aFile(MANY_ROWS)
        note(
          `A million rows on the command line: at most ${await memoryOf(path, service.workspaceId, service.context.config.DATABASE_URL)} MB of memory.`,
        )
        await client.end()
        await service.stop()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

/** Returns the peak memory of a process that imports a file, in MB. */
async function memoryOf(path: string, workspaceId: string, databaseUrl: string): Promise<number> {
  // The same options as `npm run cli`.
  const child = spawn(
    process.execPath,
    [
      ...['--optimize-for-size', CLI, 'import', path, '--workspace', workspaceId, '--consent', 'SUBSCRIBED', '--json'],
      ...['--column', 'plan=metadata.plan', '--column', 'seats=metadata.seats'],
    ],
    {
      env: { ...process.env, DATABASE_URL: databaseUrl },
      stdio: 'ignore',
    },
  )
  const ended = once(child, 'exit')
  let most = 0
  const sampling = (async () => {
    while (child.exitCode === null) {
      try {
        const [, kilobytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
        most = Math.max(most, Number(kilobytes))
      } catch {
        // The process has ended.
      }
      await delay(100)
    }
  })()
  const [code] = (await ended) as [number]
  await sampling
  if (code !== 0) throw new Error(`The import ended with ${code}`)
  return Math.round(most / 1_024)
}
