/**
 * The mail server is away for two hours. Its messages are DEFERRED, certainly not sent, and Temporal tries them all the time;
 * but `deferMessage` never moves `claimed_at`, so after two hours `message list` shows them as "nobody knows whether they
 * were sent". The operator resends one while the server is still away: it becomes UNCONFIRMED although nothing was ever
 * begun, its sequence takes that for settled and goes on, and the contact never gets it when the server is back.
 */
import { sql } from '../src/db/sql.ts'
import { createMail } from '../src/bin/compose.ts'
import { noMetrics } from '../src/services/dependencies.ts'
import { listUnconfirmed, resendMessage } from '../src/services/unconfirmed-messages.ts'
import { quietLog } from '../test/support/log.ts'
import { freePorts } from '../test/support/ports.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { rawServer } from './util.ts'

it('06 resending what is only deferred', async () => {
  const [port] = (await freePorts(1)) as [number]
  const service = await startService({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
  const em = () => service.context.orm.em.fork()
  try {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const ada = await aContact(service)
    await enroll(service, automationId, ada)
    await eventually('it was tried', async () => {
      const [m] = await activityOf(service, ada)
      return m?.status === 'DEFERRED' && m.attempts >= 3 ? m : undefined
    }, 40_000)
    // Two hours pass.
    await sql(em(), `update messages set claimed_at = claimed_at - interval '2 hours 1 minute', created_at = created_at - interval '2 hours 1 minute'`)
    await eventually('it is tried again', async () => ((await activityOf(service, ada))[0]!.attempts >= 5 ? true : undefined), 40_000)
    const [row] = await sql<{ id: string }>(em(), `select id, status, attempts, claimed_at, now() from messages`)
    console.log('the ledger, which is tried all the time:', row)
    console.log('message list:', await listUnconfirmed(service.context.orm.em))
    const mail = createMail(service.context.config, service.context.orm.em)
    const status = await resendMessage({ ...mail, em: service.context.orm.em, metrics: noMetrics, log: quietLog }, row!.id)
    console.log('message resend:', status)
    await mail.smtp?.close()
    await mail.renderer.close()
    const smtp = await rawServer({}, port)
    await eventually('the sequence is over', async () => {
      const [e] = await sql<{ status: string }>(em(), 'select status from enrollments')
      return e?.status === 'COMPLETED' ? e : undefined
    }, 60_000)
    await new Promise((r) => setTimeout(r, 3_000))
    console.log('the mail server is back. enrollment COMPLETED; the message is', (await activityOf(service, ada))[0]?.status, '; mails taken:', smtp.taken.length)
    await smtp.close()
  } finally {
    await service.stop()
  }
}).timeout(200_000)
