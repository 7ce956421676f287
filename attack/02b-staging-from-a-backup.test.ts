/**
 * Staging runs on a copy of production's database, on the same Temporal and namespace, with a task queue of its own, as one
 * would. Workflow ids name the automation and the contact and nothing of the installation: a DELETE in staging cancels
 * production's workflows, and production records it as CANCELLED. (So would an erasure.)
 */
import { sql } from '../src/db/sql.ts'
import { openContext, startWorker } from '../src/bin/compose.ts'
import { deleteAutomation } from '../src/services/delete-automation.ts'
import { quietLog } from '../test/support/log.ts'
import { createDatabase } from '../test/support/database.ts'
import { workflowBundle } from '../test/support/workflow-bundle.ts'
import { aContact, anAutomation, EMAIL, enroll, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { startSmtpSink } from '../test/support/smtp-sink.ts'

it('02b staging from a backup of production', async () => {
  const sink = await startSmtpSink()
  const production = await startService({ env: { SMTP_URL: sink.url } })
  const em = () => production.context.orm.em.fork()
  const automationId = await anAutomation(production, { steps: [EMAIL, wait(1), { ...EMAIL, subject: 'second' }] })
  for (let n = 0; n < 5; n += 1) await enroll(production, automationId, await aContact(production))
  await eventually('five mails', () => (sink.mails.length === 5 ? true : undefined))
  await new Promise((r) => setTimeout(r, 1_000))
  // The backup.
  const { url, orm } = await createDatabase()
  for (const table of ['workspaces', 'contacts', 'automations', 'automation_versions', 'automation_counts', 'email_contents', 'enrollments', 'messages']) {
    const rows = await sql<{ row: object }>(em(), `select to_jsonb(t) ${table === 'contacts' ? `- 'place'` : ''} as row from ${table} t`)
    const columns = Object.keys(rows[0]!.row).join(', ')
    for (const { row } of rows) await sql(orm.em.fork(), `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1::jsonb)`, [JSON.stringify(row)])
  }
  await orm.close(true)
  const staging = openContext({ ...production.context.config, DATABASE_URL: url, TEMPORAL_TASK_QUEUE: 'staging', SMTP_URL: undefined } as never, quietLog)
  const worker = await startWorker(staging, workflowBundle())
  try {
    await deleteAutomation(staging.orm.em, production.workspaceId, automationId)
    console.log('staging has deleted its copy of the automation')
    await new Promise((r) => setTimeout(r, 70_000))
    console.log('production, a minute later:', await sql(em(), 'select status, count(*)::int from enrollments group by 1'), 'first mails: 5, second mails:', sink.mails.length - 5)
  } finally {
    await worker.stop()
    await staging.close()
    await production.stop()
    await sink.close()
  }
}).timeout(150_000)
