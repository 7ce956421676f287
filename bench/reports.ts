import { recountCounters } from '../src/stats/index.ts'
import { sql } from '../src/platform/db/sql.ts'
import { foldCounters } from '../src/counters/index.ts'
import { anAutomation } from '../test/support/factories.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { get } from './load.ts'
import { startService, type Service } from './service.ts'

const LARGE = Number(process.env['BENCH_MESSAGES'] || 1_000_000)
const SMALL = 10_000
const REQUESTS = 50
const BATCH = 2_000

interface Side {
  key: string
  automationId: string
  campaignId: string
}

/** Creates a workspace with as many sent messages of a campaign and of an automation, over 30 days and thousands of domains. */
async function fill(service: Service, count: number): Promise<Side> {
  const em = () => service.context.orm.em.fork()
  const key = await service.newKey()
  const its: Service = { ...service, key, call: (method, path, body) => service.call(method, path, body, { key }) }
  const workspaceId = (await its.call('GET', 'whoami')).body.data.workspace.id as string
  const automationId = await anAutomation(its)
  const stepId = (await its.call('GET', `automations/${automationId}`)).body.data.steps[0].id as string
  const { body } = await its.call('POST', 'campaigns', { name: 'News', subject: 'News', text: 'Hello' })
  const campaignId = body.data.id as string
  for (let from = 0; from < count; from += BATCH) {
    await sql(em(), MESSAGES, [workspaceId, from, Math.min(from + BATCH, count), automationId, stepId, campaignId])
  }
  return { key, automationId, campaignId }
}

/** Half of the messages go to twenty domains, the others to many. A quarter are opened, and a tenth clicked. */
const MESSAGES = `
with message as (
  insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, campaign_id, due_at, status, claim,
    recipient, created_at, sent_at, final_at, opened_at, clicked_at)
  select gen_random_uuid(), $1::uuid, gen_random_uuid(), of_automation, case when of_automation is not null then gen_random_uuid() end,
    case when of_automation is not null then $5::uuid end,
    case when of_automation is null then $6::uuid end, at, 'SENT', gen_random_uuid(), 'contact-' || n || '@' || domain, at, at, at,
    case when n % 4 = 0 then at end, case when n % 10 = 0 then at end
  from generate_series($2::integer, $3::integer - 1) n
  cross join lateral (
    select now() - abs(hashint4(n) % 30) * interval '1 day' as at, case when n % 2 = 0 then $4::uuid end as of_automation,
      case when n % 4 < 2 then 'large-' || n % 20 else 'small-' || hashint4(n) % 50000 end || '.example' as domain
  ) row
  returning id, clicked_at
)
insert into message_visits (message_id, kind, url, links, at, visitor)
select id, 'CLICK', 'https://shop.example/' || hashtext(id::text) % 200, 5, clicked_at, 'PERSON' from message where clicked_at is not null`

let prepared: Promise<{ service: Service; large: Side; small: Side }> | undefined

/** Creates the two workspaces of the benchmarks, which takes minutes, once. */
async function sides() {
  prepared ??= (async () => {
    const service = await startService({ worker: false })
    const { em } = service.context.orm
    const [large, small] = [await fill(service, LARGE), await fill(service, SMALL)]
    await em.fork().transactional(recountCounters)
    while ((await foldCounters(em.fork(), BATCH)) > 0);
    const folded = ['counter_changes', 'step_counters', 'flow_counters']
    for (const table of [...folded, 'domain_changes', 'domain_days', 'link_changes', 'link_clicks', 'messages'])
      await sql(em.fork(), `vacuum analyze ${table}`)
    return { service, large, small }
  })()
  return prepared
}

export async function stopReports(): Promise<void> {
  await (await prepared)?.service.stop()
}

async function measure(service: Service, key: string, path: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < REQUESTS; n += 1)
    times.push(await timed(() => get(`http://127.0.0.1:${service.port}/api/v1`, key, path)))
  return percentile(times, 0.95)
}

const reportBenchmark = (name: string, title: string, pathOf: (side: Side) => string): Benchmark => ({
  name: `reports/${name}`,
  title: `p95 of ${title} with ${LARGE.toLocaleString('en-US')} messages ÷ with ${SMALL.toLocaleString('en-US')}`,
  goal: { atMost: 1.5 },
  unit: 'ms',
  async prepare() {
    const { service, large, small } = await sides()
    return {
      ours: () => measure(service, large.key, pathOf(large)),
      bare: () => measure(service, small.key, pathOf(small)),
      close: () => Promise.resolve(),
    }
  },
})

export const campaignReport = reportBenchmark(
  'campaign',
  'the report of a campaign',
  ({ campaignId }) => `campaigns/${campaignId}/report`,
)
export const automationReport = reportBenchmark(
  'automation',
  'the report of an automation',
  ({ automationId }) => `automations/${automationId}/report`,
)
export const domainsReport = reportBenchmark('domains', 'the report on domains', () => 'reports/domains?limit=20')
