import { sql } from '../src/platform/db/sql.ts'
import { createApiKey } from '../src/workspaces/create-api-key.ts'
import { createWorkspace } from '../src/workspaces/create-workspace.ts'
import { startService } from './service.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { get } from './load.ts'

const REQUESTS = 300

/** Page 1,000 of a million contacts, over HTTP ÷ the last full page of a thousand. Both have fifty contacts and the total. */
export const lists: Benchmark = {
  name: 'lists',
  title: 'p95 of page 1,000 of a million contacts ÷ p95 of the last page of a thousand',
  goal: { atMost: 2 },
  unit: 'ms',
  async prepare() {
    const service = await startService({ worker: false })
    const { em } = service.context.orm
    const keyOf = async (contacts: number): Promise<string> => {
      const workspace = await createWorkspace(em, { name: `${contacts} contacts`, mode: 'live' })
      for (let from = 0; from < contacts; from += 50_000) {
        await sql(
          em.fork(),
          `insert into contacts (id, workspace_id, email, email_key, first_name, metadata)
           select gen_random_uuid(), $1::uuid, 'c' || n || '@example.com', 'c' || n || '@example.com', 'Ada', '{"plan":"pro"}'
           from generate_series($2::integer, $3::integer) n`,
          [workspace.id, from + 1, Math.min(from + 50_000, contacts)],
        )
      }
      const fields = {
        workspaceId: workspace.id,
        name: 'bench',
        scopes: ['contacts:read'],
        rateLimit: 1_000_000,
      } as const
      return (await createApiKey(em, fields)).key
    }
    const small = await keyOf(1_000)
    const large = await keyOf(1_000_000)
    await sql(em.fork(), 'analyze contacts')
    const measure = async (key: string, page: number, total: number) => {
      const times: number[] = []
      for (let n = 0; n < REQUESTS; n += 1) {
        const time = await timed(async () => {
          const answer = await get(`http://127.0.0.1:${service.port}/api/v1`, key, `contacts?page=${page}`)
          const { data, pagination } = answer as { data: unknown[]; pagination: { total: number } }
          if (data.length !== 50 || pagination.total !== total)
            throw new Error('The response is not the requested page')
        })
        times.push(time)
      }
      return percentile(times, 0.95)
    }
    return {
      ours: () => measure(large, 1_000, 1_000_000),
      bare: () => measure(small, 20, 1_000),
      close: () => service.stop(),
    }
  },
}
