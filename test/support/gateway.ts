import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from '../../src/platform/db/sql.ts'
import type { Service } from './service.ts'

export interface Gateway {
  baseUrl: string
  /** The method and the Idempotency-Key of each request. */
  asked: string[]
  /** Drops the responses to the next POST requests, which take effect. */
  loseAnswers(count: number): void
  close(): Promise<void>
}

/** Starts an HTTP proxy between a client and a service. */
export async function startGateway(upstream: number): Promise<Gateway> {
  let lost = 0
  const requests: string[] = []
  const server = createServer((incoming, answer) => {
    const { method = 'GET', url = '/', headers } = incoming
    requests.push(`${method} ${String(headers['idempotency-key'])}`)
    const onward = request({ port: upstream, host: '127.0.0.1', method, path: url, headers }, (response) => {
      if (lost > 0 && method === 'POST') {
        lost -= 1
        response.resume().once('end', () => incoming.socket.destroy())
        return
      }
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    asked: requests,
    loseAnswers: (count) => void (lost = count),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Creates a key that has used up its limit, and gets all of it back in two seconds. */
export async function aKeyOverItsLimit(service: Service, limit: number): Promise<string> {
  const key = await service.newKey({ workspaceId: service.workspaceId, rateLimit: limit })
  for (let n = 0; n < limit; n += 1) await service.call('GET', 'whoami', undefined, { key })
  await sql(
    service.context.orm.em.fork(),
    `update rate_slots set at = at - interval '58 seconds'
     where subject = (select subject from rate_windows where size = $1)`,
    [limit],
  )
  return key
}
