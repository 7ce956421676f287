// cspell:ignore indexdef indexname tablename uuidv
import { Client } from 'pg'
import { conditionSql } from '../src/segments/condition-sql.ts'
import { sql } from '../src/platform/db/sql.ts'
import { services } from '../test/support/servers.ts'
import { startService, type Service } from './service.ts'
import { median, timed, type Benchmark } from './compare.ts'
import { get, post } from './load.ts'

const CONTACTS = 1_000_000
/** BENCH_EVENTS sets fewer for a quicker run. */
const EVENTS = Number(process.env['BENCH_EVENTS'] || 20_000_000)
const BATCH = 1_000_000
const REQUESTS = 5
const DAYS = 395
const NAMES = ['purchase', 'sign in', 'page view', 'export', 'invite']
const SEGMENT = { event: 'Purchase', atLeast: 3, withinDays: 30 }

interface Side {
  service: Service
  segmentId: string
}

let shared: Promise<Side> | undefined

/** Both benchmarks use the same contacts and events, which take minutes to create. */
const sides = (): Promise<Side> => (shared ??= prepare())

async function prepare(): Promise<Side> {
  const service = await startService({ worker: false })
  await fill(service)
  const { body } = await service.call('POST', 'segments', { name: 'Frequent', condition: SEGMENT })
  return { service, segmentId: body.data.id as string }
}

/** Stops the service, if it was started. */
export async function stopSegments(): Promise<void> {
  await (await shared)?.service.stop()
}

/** Creates the contacts, and events of five names in 13 months. A few contacts have most of them. */
async function fill({ context, workspaceId }: Service): Promise<void> {
  const url = new URL((await services()).superuserUrl)
  url.pathname = new URL(context.config.DATABASE_URL).pathname
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    // Foreign keys are not checked, and indexes are built at the end.
    await client.query('set session_replication_role = replica')
    await client.query(`set maintenance_work_mem = '1GB'`)
    const indexes = await client.query<{ name: string; definition: string }>(
      `select indexname as name, indexdef as definition from pg_indexes
       where tablename = 'trigger_events' and indexname not like '%pkey'`,
    )
    for (const { name } of indexes.rows) await client.query(`drop index ${name}`)
    await client.query(INSERT_CONTACTS, [workspaceId, CONTACTS])
    await client.query('create temporary table numbered as select id, row_number() over () as n from contacts')
    await client.query('create unique index on numbered (n)')
    for (let from = 0; from < EVENTS; from += BATCH)
      await client.query(INSERT_EVENTS, [workspaceId, Math.min(BATCH, EVENTS - from), CONTACTS, NAMES])
    for (const { definition } of indexes.rows) await client.query(definition)
    for (const table of ['contacts', 'trigger_events']) await client.query(`vacuum analyze ${table}`)
  } finally {
    await client.end()
  }
}

const INSERT_CONTACTS = `
insert into contacts (id, workspace_id, email, email_key)
select uuidv7(), $1::uuid, 'contact-' || n || '@example.com', 'contact-' || n || '@example.com'
from generate_series(1, $2::integer) n`

/** The square of a random number: half of the events are of a quarter of the contacts. */
const INSERT_EVENTS = `
insert into trigger_events (id, workspace_id, contact_id, type, name, name_key, data, automation_ids, source, created_at)
select uuidv7(), $1::uuid, numbered.id, 'EVENT', event.name, event.name, '{"total": 59.9}', '{}', 'API', event.at
from (
  select 1 + floor(random() ^ 2 * $3::integer)::integer as contact, ($4::text[])[1 + floor(random() * ${NAMES.length})] as name,
    now() - random() * interval '${DAYS} days' as at
  from generate_series(1, $2::integer)
) event
join numbered on numbered.n = event.contact`

/** The statement as a developer would write it for this segment alone. */
const BARE = `
from (
  select contact_id from trigger_events
  where workspace_id = $1::uuid and type = 'EVENT' and name_key = 'purchase' and octet_length(name_key) <= 1000
    and created_at > now() - interval '30 days'
  group by contact_id having count(*) >= 3
) frequent`
const BARE_COUNT = `select count(*) ${BARE}`
const BARE_PAGE = `
select contact.id, contact.email, contact.metadata ${BARE} join contacts contact on contact.id = frequent.contact_id
order by contact.place desc limit 50`

const segmentBenchmark = (
  name: string,
  title: string,
  oursAtMost: number,
  bare: string,
  request: (side: Side, baseUrl: string) => Promise<unknown>,
): Benchmark => ({
  name: `segment/${name}`,
  title: `${title} "did X at least 3 times in 30 days", with ${millions(CONTACTS)} contacts and ${millions(EVENTS)} events ÷ the statement alone`,
  goal: { oursAtMost },
  unit: 'ms',
  async prepare(note) {
    const side = await sides()
    const { context, port, workspaceId } = side.service
    const em = () => context.orm.em.fork()
    const medianOf = async (run: () => Promise<unknown>) => {
      const times: number[] = []
      for (let n = 0; n < REQUESTS; n += 1) times.push(await timed(run))
      return median(times)
    }
    return {
      ours: () => medianOf(() => request(side, `http://127.0.0.1:${port}/api/v1`)),
      bare: () => medianOf(() => sql(em(), bare, [workspaceId])),
      async close() {
        if (name === 'count') note(`The plan: ${await planOf(side)}.`)
      },
    }
  },
})

const millions = (count: number): string => `${count / 1_000_000} million`

export const segmentCount = segmentBenchmark(
  'count',
  'counting the segment',
  2_000,
  BARE_COUNT,
  ({ service }, baseUrl) => post(baseUrl, service.key, 'segments/count', { condition: SEGMENT }, 200),
)
export const segmentPage = segmentBenchmark('page', 'a page of the segment', 100, BARE_PAGE, (side, baseUrl) =>
  get(baseUrl, side.service.key, `contacts?segmentId=${side.segmentId}&limit=50`),
)

interface Plan {
  'Node Type': string
  'Index Name'?: string
  Plans?: Plan[]
}

/** The nodes of the plan of a count, each with its children in parentheses. */
async function planOf({ service: { context, workspaceId } }: Side): Promise<string> {
  const parameters: unknown[] = [workspaceId]
  const where = conditionSql(SEGMENT, parameters, { workspaceId, at: new Date() })
  const [row] = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    context.orm.em.fork(),
    `explain (format json) select count(*) from contacts contact where contact.workspace_id = $1::uuid and ${where}`,
    parameters,
  )
  const describe = ({ 'Node Type': type, 'Index Name': index, Plans = [] }: Plan): string =>
    [
      type,
      ...(index === undefined ? [] : [`of ${index}`]),
      ...(Plans.length > 0 ? [`(${Plans.map(describe).join(', ')})`] : []),
    ].join(' ')
  return describe(row!['QUERY PLAN'][0]!.Plan)
}
