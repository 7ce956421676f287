/**
 * Temporal comes back from a backup (or with an empty disk) that does not know an enrollment which the ledger has as ACTIVE,
 * past its first email. Until the reconciliation comes to it (minutes; 100 rows each 5 s), whoever enters again by a call or
 * an event starts from the top: `recordEnrollment` calls the old row CANCELLED, and the first email is mailed once more.
 */
import { sql } from '../src/db/sql.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { startSmtpSink } from '../test/support/smtp-sink.ts'

for (const way of ['call', 'event'] as const) {
  it(`04 a lost workflow, and the contact enters again by ${way}`, async () => {
    const sink = await startSmtpSink()
    const service = await startService({ env: { SMTP_URL: sink.url } })
    try {
      const steps = [{ ...EMAIL, subject: 'Welcome' }, wait(60), { ...EMAIL, subject: 'second' }]
      const automationId = await anAutomation(service, { steps, triggerConfig: { eventName: 'bought' } })
      const ada = await aContact(service)
      const first = await enroll(service, automationId, ada)
      console.log('enroll:', first.body.data.enrolled)
      await eventually('the first mail', () => (sink.mails.length === 1 ? true : undefined))
      await new Promise((r) => setTimeout(r, 1_000))
      // Temporal's data are older than ours.
      const { temporal } = service.context
      const workflowId = `enrollment:${automationId}:${ada}`
      await temporal.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId } })
      await eventually('it is gone', () => temporal.workflow.getHandle(workflowId).describe().then(() => undefined, () => true))
      const again = way === 'call' ? await enroll(service, automationId, ada) : await anEvent(service, ada, 'bought')
      console.log('again:', again.status, JSON.stringify(again.body.data))
      await new Promise((r) => setTimeout(r, 4_000))
      console.log('mails:', sink.mails.map(({ to, headers }) => `${to} ${/Subject: .*/.exec(headers)} ${/Message-ID: .*/i.exec(headers)}`))
      console.log('rows:', await sql(service.context.orm.em.fork(), 'select id, status from enrollments order by id'))
    } finally {
      await service.stop()
      await sink.close()
    }
  }).timeout(60_000)
}
