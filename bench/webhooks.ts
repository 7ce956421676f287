import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { sql } from '../src/platform/db/sql.ts'
import { createSecrets } from '../src/platform/secrets.ts'
import { signedHeaders } from '../src/platform/webhook-signature.ts'
import { startWebhookDeliveries } from '../src/webhooks/index.ts'
import { eventually } from '../test/support/eventually.ts'
import { quietLog } from '../test/support/log.ts'
import { aWebhook, WEBHOOK_ENV } from '../test/support/webhook-events.ts'
import { startService, type Service } from './service.ts'
import { timed, type Benchmark } from './compare.ts'

const EVENTS = 5_000
const CONCURRENCY = 10

/** Starts a server that answers every request, or none. */
async function startReceiver({ answers }: { answers: boolean }) {
  const received = { count: 0 }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received.count += 1
      if (answers) response.end('ok')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, received, close: () => (server.closeAllConnections(), server.close()) }
}

/** Records events of contacts in one statement. */
const addContacts = (service: Service, count: number) =>
  sql(
    service.context.orm.em.fork(),
    `insert into contacts (id, workspace_id, email, email_key)
     select gen_random_uuid(), $1::uuid, key, key from (
       select gen_random_uuid() || '@example.com' as key from generate_series(1, $2::integer)
     ) keys`,
    [service.workspaceId, count],
  )

/** Delivers the events that are due. @returns milliseconds until `done` */
async function deliver(service: Service, done: () => boolean): Promise<number> {
  const { em } = service.context.orm
  const secrets = createSecrets(WEBHOOK_ENV.SECRETS_KEY)
  return timed(async () => {
    const running = startWebhookDeliveries({ em, log: quietLog, secrets }, { allowedHosts: ['127.0.0.1'] })
    await eventually('all are delivered', () => done() || undefined)
    await running.stop()
  })
}

const start = () => startService({ worker: false, env: WEBHOOK_ENV })

/** Deliveries to a local receiver ÷ a bare loop of signed fetch calls with the same concurrency. */
export const webhooks: Benchmark = {
  name: 'webhooks',
  title: `webhook deliveries/s ÷ a loop of signed fetch calls, ${CONCURRENCY} at a time`,
  goal: { atLeast: 0.6 },
  unit: 'deliveries/s',
  async prepare() {
    const service = await start()
    const receiver = await startReceiver({ answers: true })
    const { secret } = await aWebhook(service, { url: receiver.url })
    return {
      async ours() {
        await addContacts(service, EVENTS)
        const goal = receiver.received.count + EVENTS
        return (EVENTS * 1_000) / (await deliver(service, () => receiver.received.count >= goal))
      },
      async bare() {
        let left = EVENTS
        const send = async () => {
          while ((left -= 1) >= 0) {
            const id = crypto.randomUUID()
            const body = JSON.stringify({ id, type: 'contact.created', data: { id, email: `${id}@example.com` } })
            const headers = {
              'content-type': 'application/json',
              ...signedHeaders([secret], { id, at: new Date(), body }),
            }
            const answer = await fetch(receiver.url, { method: 'POST', headers, body })
            if (!answer.ok) throw new Error(`The receiver answered ${answer.status}`)
            await answer.text()
          }
        }
        return (EVENTS * 1_000) / (await timed(() => Promise.all(Array.from({ length: CONCURRENCY }, send))))
      },
      async close() {
        receiver.close()
        await service.stop()
      },
    }
  },
}

/** Delivering to a webhook while another one hangs ÷ while there is no other. */
export const webhooksHanging: Benchmark = {
  name: 'webhooks/hanging',
  title: `time of ${EVENTS.toLocaleString('en-US')} webhook deliveries while another webhook hangs ÷ alone`,
  goal: { atMost: 1.2 },
  unit: 'ms',
  async prepare() {
    const service = await start()
    const [receiver, hanging] = [await startReceiver({ answers: true }), await startReceiver({ answers: false })]
    await aWebhook(service, { url: receiver.url })
    const { id } = await aWebhook(service, { url: hanging.url, status: 'DISABLED' })
    const run = async (status: 'ENABLED' | 'DISABLED') => {
      await service.call('PATCH', `webhooks/${id}`, { status })
      await addContacts(service, EVENTS)
      const goal = receiver.received.count + EVENTS
      const ms = await deliver(service, () => receiver.received.count >= goal)
      await sql(service.context.orm.em.fork(), 'delete from webhook_deliveries')
      return ms
    }
    return {
      ours: () => run('ENABLED'),
      bare: () => run('DISABLED'),
      async close() {
        receiver.close()
        hanging.close()
        await service.stop()
      },
    }
  },
}
