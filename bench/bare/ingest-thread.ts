/** A thread with a bare Koa endpoint that inserts each JSON body into a table. Posts its port, and ends with the thread. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import Koa from 'koa'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: workerData as string, max: 20 })
await pool.query(
  `create table if not exists bare_events (
     id uuid primary key default gen_random_uuid(), contact_id text not null, name text not null, data jsonb,
     created_at timestamptz not null default now()
   )`,
)
const app = new Koa()
app.use(async (ctx) => {
  const { contactId, name, data } = (await json(ctx.req)) as { contactId: string; name: string; data: object }
  const { rows } = await pool.query<{ id: string }>({
    name: 'insert',
    text: 'insert into bare_events (contact_id, name, data) values ($1, $2, $3::jsonb) returning id',
    values: [contactId, name, JSON.stringify(data)],
  })
  ctx.status = 202
  ctx.body = { data: rows[0] }
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
parentPort?.postMessage((server.address() as AddressInfo).port)
