/**
 * Two installations (production and staging, each with its own database) on one Temporal, both with the default namespace and
 * task queue. Each one's workers take the other one's workflow tasks and look into their own database: "no such automation",
 * so "nothing to do". What was acknowledged is lost; nothing is logged as an error, no row says so until ten minutes later
 * the reconciliation calls it "ended by an operator".
 */
import { sql } from '../src/db/sql.ts'
import { openContext, startApi, startWorker } from '../src/bin/compose.ts'
import { readConfig } from '../src/config.ts'
import { quietLog } from '../test/support/log.ts'
import { createDatabase } from '../test/support/database.ts'
import { workflowBundle } from '../test/support/workflow-bundle.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll, wait } from '../test/support/factories.ts'
import { startService } from '../test/support/service.ts'
import { startSmtpSink } from '../test/support/smtp-sink.ts'

it('02 two installations on one Temporal', async () => {
  const sink = await startSmtpSink()
  const production = await startService({ env: { SMTP_URL: sink.url } })
  const { url, orm } = await createDatabase()
  await orm.close(true)
  const staging = openContext({ ...production.context.config, DATABASE_URL: url, PORT: 0 }, quietLog)
  const worker = await startWorker(staging, workflowBundle())
  try {
    const automationId = await anAutomation(production, { steps: [EMAIL] })
    const contacts: string[] = []
    let acknowledged = 0
    for (let n = 0; n < 20; n += 1) contacts.push(await aContact(production))
    for (const id of contacts) acknowledged += (await enroll(production, automationId, id)).body.data.enrolled ? 1 : 0
    await new Promise((r) => setTimeout(r, 15_000))
    const results: Record<string, number> = {}
    for (const id of contacts) {
      const handle = production.context.temporal.workflow.getHandle(`enrollment:${automationId}:${id}`)
      const { status } = await handle.describe()
      const is = status.name === 'COMPLETED' ? JSON.stringify(await handle.result()) : status.name
      results[is] = (results[is] ?? 0) + 1
    }
    console.log('acknowledged:', acknowledged, ' mailed:', sink.mails.length)
    console.log('workflows:', results)
    console.log('rows:', await sql(production.context.orm.em.fork(), 'select status, count(*)::int from enrollments group by 1'))
    console.log('owed:', await sql(production.context.orm.em.fork(), `select kind, count(*)::int from outbox group by 1`))
  } finally {
    await worker.stop()
    await staging.close()
    await production.stop()
    await sink.close()
  }
}).timeout(120_000)
