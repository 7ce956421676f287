import pMap from 'p-map'
import { newId } from '../src/platform/ids.ts'
import { sql } from '../src/platform/db/sql.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startApiProcess, startWorkerProcess } from '../test/support/processes.ts'
import { startBareWorker } from './bare/worker.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { makeContacts, post } from './load.ts'
import { startService } from './service.ts'
import { countEnrolled } from './sleepers.ts'

const WAITING = 100_000
const REAL = 1_000
const A_ROUND = 200
const CONCURRENCY = 4
const BATCH = 10_000
const YEAR = 365 * 1440

/** An exit event that ends a waiting enrollment ÷ a signal that ends a bare workflow. */
export const exit: Benchmark = {
  name: 'exit',
  title: `p99 from an exit event to the end of its workflow, with ${WAITING.toLocaleString('en-US')} waiting ÷ of a signal`,
  goal: { oursAtMost: 1_000 },
  unit: 'ms',
  async prepare(note) {
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const worker = startWorkerProcess(service)
    const { config, temporal, orm } = service.context
    const stopWorker = await startBareWorker(config, 'bare-exit', {})
    const rules = { trigger: 'SIGNUP', exitOn: [{ eventName: 'paid' }] }
    const automationId = await anAutomation(service, { ...rules, steps: [wait(YEAR), EMAIL] })
    const contacts = await makeContacts(service, REAL, 'exit')
    const isEnrolled = async () => ((await countEnrolled(service, automationId)) === REAL ? true : undefined)
    await eventually('all are waiting', isEnrolled, 10 * 60_000)
    for (let from = REAL; from < WAITING; from += BATCH)
      await sql(orm.em.fork(), SEED, [service.workspaceId, automationId, from, Math.min(from + BATCH, WAITING) - 1])
    for (const table of ['contacts', 'enrollments']) await sql(orm.em.fork(), `vacuum analyze ${table}`)
    const bareIds = contacts.map(() => newId())
    await pMap(bareIds, (workflowId) => temporal.workflow.start('bareWait', { taskQueue: 'bare-exit', workflowId }), {
      concurrency: 20,
    })
    const all: number[] = []

    /** Ends the next workflows. @returns the milliseconds that each took */
    const end = (
      items: readonly string[],
      workflowIdOf: (id: string) => string,
      send: (id: string) => Promise<unknown>,
    ) =>
      pMap(
        items,
        (id) => timed(() => Promise.all([send(id), temporal.workflow.getHandle(workflowIdOf(id)).result()])),
        { concurrency: CONCURRENCY },
      )
    const ours = async (round: number) => {
      const times = await end(
        contacts.slice(round * A_ROUND, (round + 1) * A_ROUND),
        (id) => `enrollment:${automationId}:${id}`,
        (id) => post(api.baseUrl, service.key, `contacts/${id}/events`, { name: 'paid' }),
      )
      all.push(...times)
      return percentile(times, 0.99)
    }
    const bare = async (round: number) => {
      const ids = bareIds.slice(round * A_ROUND, (round + 1) * A_ROUND)
      const signal = (id: string) => temporal.workflow.getHandle(id).signal('end')
      return percentile(await end(ids, (id) => id, signal), 0.99)
    }
    return {
      async pair(round) {
        if (round % 2 === 0) return { ours: await ours(round), bare: await bare(round) }
        const first = await bare(round)
        return { ours: await ours(round), bare: first }
      },
      async close() {
        note(
          `p50, p99 and maximum of ${all.length}: ${[0.5, 0.99, 1].map((part) => percentile(all, part).toFixed(0)).join(', ')} ms.`,
        )
        await stopWorker()
        await worker.kill()
        await api.kill()
        await service.stop()
      },
    }
  },
}

/** Enrollments without a workflow, each of a contact of its own. */
const SEED = `
with contact as (
  insert into contacts (id, workspace_id, email, email_key)
  select gen_random_uuid(), $1::uuid, 'waiting-' || n || '@example.com', 'waiting-' || n || '@example.com'
  from generate_series($3::integer, $4::integer) n returning id
)
insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, wakes_at)
select gen_random_uuid(), $1::uuid, $2::uuid, id, 1, 'ACTIVE', now(), now() from contact`
