import { sql } from '../src/platform/db/sql.ts'
import { createApiKey } from '../src/workspaces/create-api-key.ts'
import { aContact, anAutomation } from '../test/support/factories.ts'
import { startService, type Service } from './service.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { get } from './load.ts'

const REQUESTS = 300
const LARGE = 1_000_000
const SMALL = 1_000
const PAGE = 50

interface Side {
  service: Service
  path: string
  key: string
}

/** The last full page of a list of a million, over HTTP ÷ the last one of a thousand in the same database. */
const lastPage = (name: string, title: string, fill: (side: Side, count: number) => Promise<string>): Benchmark => ({
  name,
  title,
  goal: { atMost: 1.5 },
  unit: 'ms',
  async prepare() {
    const service = await startService({ worker: false })
    const { em } = service.context.orm
    const of = async (count: number) => {
      const key = await service.newKey()
      const { body } = await service.call('GET', 'whoami', undefined, { key })
      const workspaceId = body.data.workspace.id as string
      const scopes = ['contacts:read', 'contacts:write', 'automations:read', 'automations:write'] as const
      const fields = { workspaceId, name: 'bench', scopes: [...scopes], rateLimit: 1_000_000 }
      const own = await createApiKey(em, fields)
      const its: Service = { ...service, key: own.key, call: (m, p, b) => service.call(m, p, b, { key: own.key }) }
      const path = await fill({ service: its, path: '', key: own.key }, count)
      return { path, key: own.key }
    }
    const [large, small] = [await of(LARGE), await of(SMALL)]
    await sql(em.fork(), 'vacuum analyze messages')
    await sql(em.fork(), 'vacuum analyze enrollments')
    const measure = async ({ path, key }: { path: string; key: string }) => {
      const times: number[] = []
      for (let n = 0; n < REQUESTS; n += 1) {
        const time = await timed(async () => {
          const answer = await get(`http://127.0.0.1:${service.port}/api/v1`, key, path)
          const { data, pagination } = answer as { data: unknown[]; pagination: { nextCursor: unknown } }
          if (data.length !== PAGE || pagination.nextCursor !== null) throw new Error('This is not the last page')
        })
        times.push(time)
      }
      return percentile(times, 0.95)
    }
    return { ours: () => measure(large), bare: () => measure(small), close: () => service.stop() }
  },
})

/** Returns the cursor of the last full page: after the row before it. */
async function cursorBefore(service: Service, table: string, at: string, of: string, id: string): Promise<string> {
  const [row] = await sql<{ cursor: string }>(
    service.context.orm.em.fork(),
    `select (extract(epoch from ${at}) * 1000000)::bigint || '.' || id as cursor from ${table}
     where ${of} = $1::uuid order by ${at}, id offset $2 limit 1`,
    [id, PAGE],
  )
  return row!.cursor
}

async function anEmptyAutomation(service: Service): Promise<{ automationId: string; contactId: string }> {
  return { automationId: await anAutomation(service), contactId: await aContact(service) }
}

const BATCH = 100_000
const batches = (count: number) =>
  Array.from({ length: Math.ceil(count / BATCH) }, (_, n) => [n * BATCH + 1, Math.min((n + 1) * BATCH, count)])

export const enrollmentsList = lastPage(
  'lists/enrollments',
  "p95 of the last page of an automation's million enrollments ÷ of a thousand",
  async ({ service }, count) => {
    const { automationId, contactId } = await anEmptyAutomation(service)
    for (const [from, to] of batches(count)) {
      await sql(
        service.context.orm.em.fork(),
        `insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, ended_at)
         select gen_random_uuid(), workspace_id, id, $2::uuid, 1, 'COMPLETED', now() - n * interval '1 second', now()
         from automations, generate_series($3::integer, $4::integer) n where id = $1::uuid`,
        [automationId, contactId, from, to],
      )
    }
    const cursor = await cursorBefore(service, 'enrollments', 'enrolled_at', 'automation_id', automationId)
    return `automations/${automationId}/enrollments?limit=${PAGE}&cursor=${cursor}`
  },
)

export const messagesList = lastPage(
  'lists/messages',
  "p95 of the last page of a workspace's million messages ÷ of a thousand",
  async ({ service }, count) => {
    const { automationId, contactId } = await anEmptyAutomation(service)
    for (const [from, to] of batches(count)) {
      await sql(
        service.context.orm.em.fork(),
        `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim,
           recipient, subject, text, created_at)
         select gen_random_uuid(), workspace_id, $2::uuid, id, gen_random_uuid(), gen_random_uuid(),
           case when n % 100 = 0 then 'FAILED' else 'SENT' end, gen_random_uuid(), 'ada@example.com', 'Welcome', 'x',
           now() - n * interval '1 second'
         from automations, generate_series($3::integer, $4::integer) n where id = $1::uuid`,
        [automationId, contactId, from, to],
      )
    }
    const { body } = await service.call('GET', 'whoami')
    const cursor = await cursorBefore(
      service,
      'messages',
      'created_at',
      'workspace_id',
      body.data.workspace.id as string,
    )
    return `messages?limit=${PAGE}&cursor=${cursor}`
  },
)
