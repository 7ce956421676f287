/** `deferMessage` takes no lock on the contact: beside an erasure it leaves a row, with the server's words, of whom is gone. */
import { Client } from 'pg'
import { deferMessage } from '../src/db/queries/ledger.ts'
import { sql } from '../src/db/sql.ts'
import { newId } from '../src/domain/ids.ts'
import { aContact, anAutomation, enroll } from '../test/support/factories.ts'
import { startService } from '../test/support/service.ts'

it('18 a deferral beside an erasure', async () => {
  const service = await startService({ worker: false })
  const em = () => service.context.orm.em.fork()
  try {
    const contactId = await aContact(service, { email: 'ada@example.com' })
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const { body } = await service.call('GET', `automations/${automationId}`)
    const [row] = await sql<{ id: string }>(em(), 'select id from enrollments')
    const key = { enrollmentId: row!.id, stepId: body.data.steps[0].id as string, visit: 0 }
    const slow = new Client({ connectionString: service.context.config.DATABASE_URL })
    await slow.connect()
    await slow.query('begin')
    await slow.query('select from workspaces for update') // the statement is slow, in its middle
    const deferred = deferMessage(em(), { key, automationId, messageId: newId(), claim: newId(), attempts: 0 }, '451 4.2.1 <ada@example.com>: mailbox busy')
    await new Promise((r) => setTimeout(r, 300))
    console.log('erased:', (await service.call('DELETE', `contacts/${contactId}`)).status)
    await slow.query('commit')
    await slow.end()
    await deferred
    console.log('left:', await sql(em(), 'select contact_id, status, error from messages'), await sql(em(), `select kind from outbox`))
  } finally {
    await service.stop()
  }
}).timeout(60_000)
