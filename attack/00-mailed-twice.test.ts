/**
 * MAILED TWICE. `handOver` keeps what it knows of its claim in one variable, which two askings of `begin` write:
 *  1. a kept connection: 354, `begin` asks for the claim; that one session with Postgres is slow (3 s: a lost packet)
 *  2. the mail server closes that connection; the transport goes on over a new one: 354, `begin` asks again, by another
 *     session: the claim is made at once, the message flows, the server has it and thinks for some seconds before its 250
 *  3. PATCH PAUSED
 *  4. the first asking reaches Postgres, and is refused, because it is paused: "not claimed" is written over "claimed"
 *  5. 250. The hand-over believes that it has no claim, and puts the message off: DEFERRED
 *  6. PATCH ACTIVE: it is mailed again
 */
import { connect, createServer, type AddressInfo } from 'node:net'
import { openContext, startWorker } from '../src/bin/compose.ts'
import { sql } from '../src/db/sql.ts'
import { quietLog } from '../test/support/log.ts'
import { workflowBundle } from '../test/support/workflow-bundle.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer, now, type Connection } from './util.ts'

/** A network to Postgres in which one packet, the first claim, is late. */
async function slowOnce(upstream: number, isSlow: (chunk: Buffer) => boolean, ms: number) {
  const server = createServer((client) => {
    const target = connect(upstream, '127.0.0.1')
    client.on('data', (chunk) => {
      if (!isSlow(chunk)) return void target.write(chunk)
      console.log(now(), 'a packet to Postgres is late: the first asking for the claim')
      client.pause()
      setTimeout(() => {
        console.log(now(), 'it arrives')
        target.write(chunk)
        client.resume()
      }, ms)
    })
    target.on('data', (chunk) => client.write(chunk))
    for (const [a, b] of [[client, target], [target, client]] as const) a.on('error', () => undefined).on('close', () => b.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

it('00 mailed twice for a step', async () => {
  let armed = false
  let datas = 0
  let first: Connection | undefined
  let answer: (() => void) | undefined
  const smtp = await rawServer({
    command(line, c) {
      if (!armed || !/^DATA/i.test(line)) return undefined
      datas += 1
      if (datas === 1) {
        first = c
        setTimeout(() => c.socket.destroy(), 200) // the server closes this connection
      }
      return undefined
    },
    message: () => (datas === 2 ? new Promise<string>((done) => (answer = () => done('250 2.0.0 taken'))) : '250 2.0.0 taken'),
  })
  const service = await startService({ worker: false, env: { SMTP_URL: smtp.url, SMTP_CONNECTIONS: '1' } })
  const direct = new URL(service.context.config.DATABASE_URL)
  let late = 0
  const network = await slowOnce(Number(direct.port), (chunk) => armed && chunk.includes('claim-message') && (late += 1) === 1, 3_000)
  const url = new URL(direct)
  url.host = `127.0.0.1:${network.port}`
  const context = openContext({ ...service.context.config, DATABASE_URL: url.href }, quietLog)
  const worker = await startWorker(context, workflowBundle())
  const em = () => service.context.orm.em.fork()
  try {
    const warm = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, warm, await aContact(service))
    await eventually('a kept connection', () => (smtp.taken.length === 1 ? true : undefined))
    await new Promise((r) => setTimeout(r, 500))

    const automationId = await anAutomation(service, { steps: [{ ...EMAIL, subject: 'once' }] })
    const bob = await aContact(service)
    const row = async () =>
      (await sql(em(), `select status, attempts, error from messages where contact_id = $1::uuid`, [bob]))[0]
    armed = true
    await enroll(service, automationId, bob)
    await eventually('the server has the message', () => answer)
    console.log(now(), 'the server has the message; the ledger:', await row())
    console.log(now(), 'PATCH PAUSED', (await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })).status)
    await new Promise((r) => setTimeout(r, 4_000))
    answer!()
    await new Promise((r) => setTimeout(r, 1_000))
    console.log(now(), '250; the ledger:', await row())
    console.log(now(), 'PATCH ACTIVE', (await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })).status)
    await eventually('settled', async () => ((await row()) as { status: string }).status === 'SENT' || undefined, 60_000)
    console.log(now(), 'the ledger:', await row())
    console.log('taken for bob:', smtp.taken.slice(1).map(({ to, subject }) => `${to}: ${subject}`))
    console.log('\n ', smtp.log.join('\n  '))
  } finally {
    await worker.stop()
    await context.close()
    await service.stop()
    network.close()
    await smtp.close()
  }
}).timeout(120_000)
