/**
 * An operator cancels an enrollment in Temporal's UI. An event that is acknowledged while its end is recorded is heard by the
 * closing workflow, which throws its cancellation and forgets it: nothing starts, nothing is owed, nothing was heard.
 */
import { Client } from 'pg'
import { sql } from '../src/db/sql.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'

it('12 an event beside a cancellation', async () => {
  const service = await startService()
  try {
    const automationId = await anAutomation(service, { steps: [wait(60), EMAIL], triggerConfig: { eventName: 'bought' } })
    const ada = await aContact(service)
    await enroll(service, automationId, ada)
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${ada}`)
    await eventually('it waits', async () => ((await handle.query('state')) as { wakeAt: unknown }).wakeAt ?? undefined)
    const other = new Client({ connectionString: service.context.config.DATABASE_URL })
    await other.connect()
    await other.query('begin')
    await other.query('select from enrollments where contact_id = $1 for update', [ada])
    await handle.cancel()
    await new Promise((r) => setTimeout(r, 500))
    const event = await anEvent(service, ada, 'bought')
    console.log('event:', event.status, JSON.stringify(event.body.data))
    await new Promise((r) => setTimeout(r, 500))
    await other.query('commit')
    await other.end()
    await eventually('closed', async () => ((await handle.describe()).status.name === 'RUNNING' ? undefined : true))
    await new Promise((r) => setTimeout(r, 8_000))
    const em = service.context.orm.em.fork()
    console.log({
      workflow: (await handle.describe()).status.name,
      rows: await sql(em, 'select status, cause from enrollments'),
      heard: await sql(em, 'select event_id from heard_events'),
      owed: await sql(em, `select kind from outbox where kind <> 'RECONCILE'`),
    })
  } finally {
    await service.stop()
  }
}).timeout(60_000)
