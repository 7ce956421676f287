/**
 * "The API answers while every worker is down; what it took is mailed when one is back", unless that is 30 days later: the
 * worker that comes back first purges the events, and the workflows that they have started then find nothing to do.
 */
import { sql } from '../src/db/sql.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL } from '../test/support/factories.ts'
import { startService } from '../test/support/service.ts'

it('13 purge against begin', async () => {
  const service = await startService({ worker: false })
  try {
    await anAutomation(service, { steps: [EMAIL], triggerConfig: { eventName: 'bought' } })
    const contacts: string[] = []
    for (let n = 0; n < 20; n += 1) contacts.push(await aContact(service))
    for (const id of contacts) await anEvent(service, id, 'bought')
    const em = () => service.context.orm.em.fork()
    console.log('owed:', await sql(em(), 'select count(*)::int from outbox'))
    await sql(em(), `update trigger_events set created_at = created_at - interval '31 days'`)
    await service.startWorker()
    await new Promise((r) => setTimeout(r, 10_000))
    let mailed = 0
    for (const id of contacts) mailed += (await activityOf(service, id)).length
    console.log({ acknowledged: contacts.length, mailed, enrollments: (await sql(em(), 'select 1 from enrollments')).length })
  } finally {
    await service.stop()
  }
}).timeout(60_000)
