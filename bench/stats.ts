import { foldCounters } from '../src/counters/index.ts'
import { recountCounters } from '../src/stats/index.ts'
import { sql } from '../src/platform/db/sql.ts'
import { createApiKey } from '../src/workspaces/create-api-key.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { startService, type Service } from './service.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { get } from './load.ts'

const LARGE = 1_000_000
const SMALL = 1_000
const REQUESTS = 100
const BATCH = 5_000
const DAY_MS = 86_400_000

interface Side {
  key: string
  automationId: string
}

let prepared: Promise<{ service: Service; large: Side; small: Side }> | undefined
let users = 0

/** Both benchmarks use the same two workspaces, which take minutes to create. */
async function sides() {
  users += 1
  prepared ??= (async () => {
    const service = await startService({ worker: false })
    const [large, small] = [await fill(service, LARGE), await fill(service, SMALL)]
    const { em } = service.context.orm
    await em.fork().transactional(recountCounters)
    while ((await foldCounters(em.fork(), 200_000)) > 0);
    for (const table of ['counter_changes', 'step_counters', 'flow_counters', 'messages', 'enrollments']) {
      await sql(em.fork(), `vacuum analyze ${table}`)
    }
    return { service, large, small }
  })()
  return prepared
}

async function close(): Promise<void> {
  users -= 1
  if (users > 0) return
  await (await prepared)?.service.stop()
  prepared = undefined
}

/** Creates a workspace with `count` enrollments in one automation: each got the first email within the last year. */
async function fill(service: Service, count: number): Promise<Side> {
  const em = () => service.context.orm.em.fork()
  const first = await service.newKey()
  const { body } = await service.call('GET', 'whoami', undefined, { key: first })
  const workspaceId = body.data.workspace.id as string
  const scopes = ['automations:read', 'automations:write'] as const
  const { key } = await createApiKey(em(), { workspaceId, name: 'bench', scopes: [...scopes], rateLimit: 1_000_000 })
  const its: Service = { ...service, key, call: (method, path, body) => service.call(method, path, body, { key }) }
  const steps = Array.from({ length: 8 }, (_, n) => [{ ...EMAIL, subject: `Email ${n}` }, wait(365 * 24 * 60)]).flat()
  const automationId = await anAutomation(its, { steps })
  const { body: made } = await its.call('GET', `automations/${automationId}`)
  const stepId = made.data.steps[0].id as string
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(from + BATCH, count)
    await sql(
      em(),
      `with numbers as (select n, gen_random_uuid() as contact_id, gen_random_uuid() as id from generate_series($3::integer, $4::integer - 1) n),
       contact as (
         insert into contacts (id, workspace_id, email, email_key)
         select contact_id, $1::uuid, 'contact-' || n || '@example.com', 'contact-' || n || '@example.com' from numbers
       ),
       enrollment as (
         insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, next_step_id, wakes_at)
         select id, $1::uuid, $2::uuid, contact_id, 1, 'ACTIVE', at, $6::uuid, at + interval '365 days'
         from numbers cross join lateral (select now() - (n % 31536000) * interval '31 seconds' as at) entry
         returning *
       )
       insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim, created_at, final_at)
       select gen_random_uuid(), workspace_id, contact_id, automation_id, id, $5::uuid,
         case when random() < 0.01 then 'FAILED' else 'SENT' end, gen_random_uuid(), enrolled_at, enrolled_at
       from enrollment`,
      [workspaceId, automationId, from, to, stepId, made.data.steps[2].id],
    )
  }
  return { key, automationId }
}

async function measure(service: Service, { key }: Side, paths: readonly string[]): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < REQUESTS; n += 1) {
    const time = await timed(async () => {
      for (const path of paths) await get(`http://127.0.0.1:${service.port}/api/v1`, key, path)
    })
    times.push(time)
  }
  return percentile(times, 0.95)
}

const statsBenchmark = (name: string, title: string, pathsOf: (side: Side) => string[]): Benchmark => ({
  name: `stats/${name}`,
  title: `p95 of ${title} with a million running enrollments ÷ with a thousand`,
  goal: { atMost: 1.5 },
  unit: 'ms',
  async prepare() {
    const { service, large, small } = await sides()
    return {
      ours: () => measure(service, large, pathsOf(large)),
      bare: () => measure(service, small, pathsOf(small)),
      close,
    }
  },
})

/** The request of the dashboard's Home page. */
export const homeStats = statsBenchmark('home', 'the stats of the Home page', ({ automationId }) => {
  const quarter = Math.floor(Date.now() / 900_000) * 900_000
  const at = (days: number) => new Date(quarter + days * DAY_MS).toISOString()
  return [
    'stats',
    `flow?since=${at(-7)}&until=${at(7)}&minutes=360`,
    `flow?since=${at(-1)}&until=${at(0)}&minutes=1440`,
    `automations/stats?ids=${automationId}`,
  ]
})

/** The request for an automation's stats. */
export const automationStats = statsBenchmark('automation', "an automation's stats", ({ automationId }) => [
  `automations/${automationId}/stats`,
])
