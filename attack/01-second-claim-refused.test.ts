/**
 * A kept connection dies while the claim is on its way; the transport goes on over another connection and asks `begin` again
 * (smtp.ts: `continue`). If the second asking is told no (paused meanwhile), the first claim, which was made, is forgotten:
 * the row stays SENDING, nobody renews or undoes it, and 30 s later it is UNCONFIRMED and the sequence goes on.
 * Not one byte of the message has flowed; the contact is skipped, although its automation is resumed.
 */
import { Client } from 'pg'
import { sql } from '../src/db/sql.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer, now, type Connection } from './util.ts'

it('01 a claim that was made is forgotten when the connection changes under it', async () => {
  let armed = false
  let secondData: ((answer: string) => void) | undefined
  let first: Connection | undefined
  const smtp = await rawServer({
    command(line, c) {
      if (!armed || !/^DATA/i.test(line)) return undefined
      if (!first) {
        first = c
        return undefined // 354: the claim is asked for
      }
      if (secondData) return undefined
      return new Promise((answer) => (secondData = answer)) // a server that takes a while
    },
  })
  const service = await startService({ env: { SMTP_URL: smtp.url, SMTP_CONNECTIONS: '1' } })
  const em = () => service.context.orm.em.fork()
  try {
    // One mail before, so that there is a kept connection.
    const warm = await anAutomation(service, { steps: [EMAIL] })
    const ada = await aContact(service)
    await enroll(service, warm, ada)
    await eventually('the first mail', () => (smtp.taken.length === 1 ? true : undefined))

    const automationId = await anAutomation(service, { steps: [EMAIL, { ...EMAIL, subject: 'second' }] })
    const bob = await aContact(service)
    // The database is busy with the row that the claim has to lock: any other statement on the contact, for a moment.
    const other = new Client({ connectionString: service.context.config.DATABASE_URL })
    await other.connect()
    armed = true
    await enroll(service, automationId, bob)
    await other.query('begin')
    await other.query('select from contacts where id = $1 for update', [bob])
    await eventually('354', () => first)
    await new Promise((r) => setTimeout(r, 300))
    first!.socket.destroy() // the server closes this one connection
    await eventually('the second DATA', () => secondData)
    await other.query('commit') // and now the claim is made
    await other.end()
    const row = async () =>
      (await sql<{ status: string; lease: number }>(em(), `select status, extract(epoch from lease_until - clock_timestamp())::float8 as lease from messages where contact_id = $1::uuid`, [bob]))[0]
    console.log(now(), 'the ledger:', await eventually('claimed', row))
    const paused = await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    console.log(now(), 'PATCH PAUSED:', paused.status)
    secondData!('354 go on')
    await new Promise((r) => setTimeout(r, 1_000))
    console.log(now(), 'the ledger:', await row())
    console.log(now(), 'resume:', (await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })).status)
    const settled = await eventually('it is settled', async () => ((await row())?.status === 'SENDING' ? undefined : row()), 120_000)
    console.log(now(), 'the ledger:', settled)
    await eventually('the second step', async () => ((await activityOf(service, bob)).length === 2 ? true : undefined), 60_000)
    console.log(now(), (await activityOf(service, bob)).map(({ status, subject, error }) => ({ status, subject, error })))
    console.log('what the mail server saw:\n ', smtp.log.join('\n  '))
    console.log('taken for bob:', smtp.taken.slice(1))
  } finally {
    await service.stop()
    await smtp.close()
  }
}).timeout(300_000)
