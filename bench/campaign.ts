import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createTransport } from 'nodemailer'
import pMap from 'p-map'
import { readComposeFile } from '../scripts/cluster/compose-file.ts'
import { sql } from '../src/platform/db/sql.ts'
import { bundleWorkflows } from '../src/temporal/worker.ts'
import { startWorkerProcess } from '../test/support/processes.ts'
import { type Service, startService } from './service.ts'
import { type Benchmark, timed } from './compare.ts'

const RECIPIENTS = Number(process.env['BENCH_RECIPIENTS'] || 20_000)
const MANY_RECIPIENTS = 5 * RECIPIENTS
const CONNECTIONS = 5
const HTML = `<html><body>${'<p>Hello {{ contact.email }}, this is what has happened since.</p>'.repeat(10)}</body></html>`
const PATIENCE_MS = 30 * 60_000

/**
 * A campaign, with its messages ÷ a loop that sends the same emails from memory, over as many connections of nodemailer's pool.
 */
export const campaigning: Benchmark = {
  name: 'campaign',
  title: `mails/s of a campaign to ${RECIPIENTS.toLocaleString('en-US')}, with its messages ÷ of a loop over prepared rows, over the same pool`,
  goal: { atLeast: 0.8 },
  unit: 'mails/s',
  async prepare(note) {
    const sink = await startSink()
    const env = { SMTP_URL: sink.url, SMTP_CONNECTIONS: String(CONNECTIONS) }
    const service = await startService({ worker: false, env })
    const bundle = join(mkdtempSync(join(tmpdir(), 'dripline-bench-')), 'workflows.js')
    writeFileSync(bundle, (await bundleWorkflows()).code)
    const worker = startWorkerProcess(service, { ...env, ...asInstalled(), WORKFLOW_BUNDLE: bundle })
    const pool = createTransport({ url: sink.url, pool: true, maxConnections: CONNECTIONS, maxMessages: Infinity })
    const listId = await aListOf(service, RECIPIENTS)
    const rows = Array.from({ length: RECIPIENTS }, (_, n) => {
      const to = `reader-${n}@example.com`
      return {
        from: 'a@example.com',
        to,
        subject: 'News',
        html: HTML.replaceAll('{{ contact.email }}', to),
        text: 'News',
      }
    })
    const rate = (milliseconds: number) => RECIPIENTS / (milliseconds / 1_000)
    return {
      ours: async () => rate(await timed(() => sendCampaign(service, listId))),
      bare: async () =>
        rate(await timed(() => pMap(rows, (row) => pool.sendMail(row), { concurrency: 2 * CONNECTIONS }))),
      async close() {
        const more = await aListOf(service, MANY_RECIPIENTS, RECIPIENTS)
        const memory: number[] = []
        let isOver = false
        const before = sink.count()
        const sampling = (async () => {
          for (const part of [0.1, 0.5, 0.9]) {
            while (!isOver && sink.count() - before < part * MANY_RECIPIENTS) await delay(100)
            memory.push(memoryOf(worker.pid, 'VmRSS'))
          }
        })()
        await sendCampaign(service, more)
        isOver = true
        await sampling
        note(
          `A campaign to ${MANY_RECIPIENTS.toLocaleString('en-US')}: the worker has ${memory.join(', ')} MB when a tenth, half and nine ` +
            `tenths are sent, and ${memoryOf(worker.pid, 'VmHWM')} MB at most.`,
        )
        pool.close()
        await worker.kill()
        rmSync(dirname(bundle), { recursive: true })
        await service.stop()
        await sink.close()
      },
    }
  },
}

/** The Node options of an installed worker: how much memory Node may fill before it collects garbage. */
function asInstalled(): NodeJS.ProcessEnv {
  const { worker } = readComposeFile(join(import.meta.dirname, '../docker-compose.yml'), {}).services
  return { NODE_OPTIONS: worker!.environment['NODE_OPTIONS'] }
}

async function startSink() {
  const shared = new SharedArrayBuffer(4)
  const thread = new Worker(new URL('./bare/sink-thread.ts', import.meta.url), { workerData: shared })
  const [port] = (await once(thread, 'message')) as [number]
  return {
    url: `smtp://127.0.0.1:${port}`,
    count: () => Atomics.load(new Int32Array(shared), 0),
    close: () => thread.terminate(),
  }
}

/** Creates a list of contacts, who are numbered from `have`. */
export async function aListOf(service: Service, count: number, have = 0): Promise<string> {
  const { em } = service.context.orm
  const listId = (await service.call('POST', 'lists', { name: `Readers, ${count}` })).body.data.id as string
  for (let from = have; from < count; from += 1_000) {
    const contacts = Array.from({ length: 1_000 }, (_, n) => ({ email: `reader-${from + n}@example.com` }))
    await service.call('POST', 'contacts/bulk', { contacts, triggers: false })
  }
  await sql(
    em.fork(),
    `insert into list_members (list_id, contact_id)
     select $1::uuid, id from contacts where workspace_id = $2::uuid on conflict do nothing`,
    [listId, service.workspaceId],
  )
  return listId
}

/** Creates and schedules a campaign. @returns its ID */
export async function scheduleCampaign(service: Service, ...listIds: string[]): Promise<string> {
  const fields = { name: 'News', subject: 'News', html: HTML, text: 'News', audience: { listIds } }
  const { id } = (await service.call('POST', 'campaigns', fields)).body.data as { id: string }
  await service.call('POST', `campaigns/${id}/schedule`, {})
  return id
}

/** Schedules a campaign, and waits until all recipients got their email and it is SENT. */
async function sendCampaign(service: Service, listId: string): Promise<void> {
  const id = await scheduleCampaign(service, listId)
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await delay(100)) {
    const { data } = (await service.call('GET', `campaigns/${id}`)).body
    if (data.status !== 'SENT') continue
    if (data.stats.sent !== data.stats.recipients)
      throw new Error(`${data.stats.sent} of ${data.stats.recipients} were sent`)
    return
  }
  throw new Error('The campaign did not end')
}

/** Returns the memory of a process in MB. */
function memoryOf(pid: number | undefined, which: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes = '0'] =
    new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}
