/**
 * Temporal is "a little behind" (docs/operations.md: the harmless side): the ledger has an enrollment as ended, Temporal
 * has it in a wait of 30 days. What is acknowledged now goes to that workflow and stays there: a call is answered
 * "enrolled": true and recorded ACTIVE, an event matches; nothing is mailed until the old wait is over, and then the event
 * is recorded as heard and lost. The reconciliation sees "a workflow runs" under the id and is content.
 */
import { sql } from '../src/db/sql.ts'
import { activePage } from '../src/db/queries/enrollments.ts'
import { reconcileOne } from '../src/services/walks.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { startSmtpSink } from '../test/support/smtp-sink.ts'

for (const way of ['call', 'event'] as const) {
  it(`05 a workflow that is older than the ledger swallows a ${way}`, async () => {
    const sink = await startSmtpSink()
    const service = await startService({ env: { SMTP_URL: sink.url } })
    const em = () => service.context.orm.em.fork()
    try {
      // The wait comes first, as it is after a restore; one minute stands for thirty days.
      const steps = [wait(1), { ...EMAIL, subject: 'late' }]
      const automationId = await anAutomation(service, { steps, triggerConfig: { eventName: 'bought' } })
      const ada = await aContact(service)
      await enroll(service, automationId, ada)
      const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${ada}`)
      await eventually('it waits', async () => ((await handle.query('state')) as { wakeAt: unknown }).wakeAt ?? undefined)
      // What the ledger knows, and Temporal's backup does not yet.
      await sql(em(), `update enrollments set status = 'COMPLETED', ended_at = now(), recorded_at = now() - interval '1 day'`)
      const again = way === 'call' ? await enroll(service, automationId, ada) : await anEvent(service, ada, 'bought')
      console.log('acknowledged:', again.status, JSON.stringify(again.body.data))
      const show = async (what: string) => {
        const rows = await sql(em(), `select status, cause from enrollments order by enrolled_at`)
        const heard = await sql(em(), `select event_id from heard_events`)
        const owed = await sql(em(), `select kind from outbox where kind <> 'RECONCILE'`)
        console.log(what, { mails: sink.mails.length, rows, heard: heard.length, owed, workflow: (await handle.describe()).status.name })
      }
      await new Promise((r) => setTimeout(r, 10_000))
      await sql(em(), `update enrollments set recorded_at = now() - interval '1 hour'`)
      for (const enrollment of await activePage(em(), null, 100)) await reconcileOne(service.context.dependencies, enrollment)
      await show('after the reconciliation:')
      await new Promise((r) => setTimeout(r, 60_000))
      await show('after the wait of the old one:')
    } finally {
      await service.stop()
      await sink.close()
    }
  }).timeout(120_000)
}
