/**
 * A worker loses its way to Postgres while it hands over to a slow mail server. It breaks off after 27 s, as it should: but
 * `connection.close()` is `socket.destroy()`, which lets the kernel finish what was written, dot and all. After 30 s the
 * DELETE (at an API that has its database) is answered 200; then the server gets to its socket and takes the message.
 */
import { openContext, startWorker } from '../src/bin/compose.ts'
import { quietLog } from '../test/support/log.ts'
import { startProxy } from '../test/support/proxy.ts'
import { workflowBundle } from '../test/support/workflow-bundle.ts'
import { sql } from '../src/db/sql.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer, now, type Connection } from './util.ts'

it('08 mailed after the answer to a DELETE', async () => {
  let slow: Connection | undefined
  const smtp = await rawServer({
    command(line, c) {
      if (!/^DATA/i.test(line) || slow) return undefined
      slow = c
      c.socket.pause()
      return undefined
    },
  })
  const service = await startService({ worker: false, env: { SMTP_URL: smtp.url } })
  const direct = new URL(service.context.config.DATABASE_URL)
  const proxy = await startProxy(Number(direct.port))
  const url = new URL(direct)
  url.host = `127.0.0.1:${proxy.port}`
  const context = openContext({ ...service.context.config, DATABASE_URL: url.href }, quietLog)
  const worker = await startWorker(context, workflowBundle())
  try {
    const automationId = await anAutomation(service, { steps: [{ ...EMAIL, text: 'x'.repeat(20_000) }] })
    await enroll(service, automationId, await aContact(service))
    await eventually('DATA', () => slow)
    await eventually('claimed', async () => (await sql(service.context.orm.em.fork(), `select from messages where status = 'SENDING'`))[0])
    await new Promise((r) => setTimeout(r, 500))
    proxy.stall()
    console.log(now(), 'the worker has lost Postgres')
    let at = 0
    for (;;) {
      const { status } = await service.call('DELETE', `automations/${automationId}`)
      console.log(now(), 'DELETE:', status)
      if (status !== 503) break
    }
    at = Date.now()
    await new Promise((r) => setTimeout(r, 3_000))
    console.log(now(), 'the mail server comes to its socket')
    slow!.socket.resume()
    await new Promise((r) => setTimeout(r, 2_000))
    console.log('taken, ms after the answer to the DELETE:', smtp.taken.map((m) => m.at - at))
    proxy.resume()
    await new Promise((r) => setTimeout(r, 2_000))
    console.log('\n ', smtp.log.join('\n  '))
  } finally {
    proxy.resume()
    await worker.stop()
    await context.close()
    await service.stop()
    await smtp.close()
    await proxy.close()
  }
}).timeout(120_000)
