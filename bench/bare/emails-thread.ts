/**
 * A thread with a bare Koa endpoint that inserts each email and its message, in one statement. Posts its port, and ends with the thread.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'
import Koa from 'koa'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: workerData as string, max: 20 })
await pool.query(
  `create table if not exists bare_emails (
     id uuid primary key default gen_random_uuid(), recipient text not null, subject text not null, body text not null,
     created_at timestamptz not null default now()
   )`,
)
await pool.query(
  `create table if not exists bare_messages (
     id uuid primary key references bare_emails, status text not null, due_at timestamptz not null default now()
   )`,
)
const app = new Koa()
app.use(async (ctx) => {
  const { to, subject, text } = (await json(ctx.req)) as { to: string; subject: string; text: string }
  const { rows } = await pool.query<{ id: string }>({
    name: 'insert',
    text: `with email as (insert into bare_emails (recipient, subject, body) values ($1, $2, $3) returning id)
           insert into bare_messages (id, status) select id, 'QUEUED' from email returning id`,
    values: [to, subject, text],
  })
  ctx.status = 202
  ctx.body = { data: rows[0] }
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
parentPort?.postMessage((server.address() as AddressInfo).port)
