import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { startApiProcess } from '../test/support/processes.ts'
import type { Benchmark } from './compare.ts'
import { makeContacts, post, rateOf } from './load.ts'
import { startService } from './service.ts'

const CALLS = 500
const CONCURRENCY = 20
const EVENT = { name: 'nothing listens', data: { orderId: 'A-17', total: 59.9, items: ['one', 'two'] } }

/** Events for which no automation listens, stored over HTTP with key, limit and audit ÷ a bare Koa endpoint with one insert. */
export const ingest: Benchmark = {
  name: 'ingest',
  title: 'events/s with nothing listening ÷ requests/s of a bare Koa endpoint with one insert, 20 at a time',
  goal: { atLeast: 0.7 },
  unit: 'events/s',
  async prepare() {
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const bare = new Worker(new URL('bare/ingest-thread.ts', import.meta.url), {
      workerData: service.context.config.DATABASE_URL,
    })
    const [port] = (await once(bare, 'message')) as [number]
    const contacts = await makeContacts(service, CALLS, 'ingest')
    return {
      ours: () =>
        rateOf(contacts, CONCURRENCY, (contactId) =>
          post(api.baseUrl, service.key, `contacts/${contactId}/events`, EVENT),
        ),
      bare: () =>
        rateOf(contacts, CONCURRENCY, (contactId) =>
          post(`http://127.0.0.1:${port}`, service.key, '', { ...EVENT, contactId }),
        ),
      async close() {
        await bare.terminate()
        await api.kill()
        await service.stop()
      },
    }
  },
}
