import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { readMailMode } from '../../src/instance/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openContext } from '../../src/runtime/context.ts'
import { startWorker } from '../../src/runtime/worker.ts'
import { createMigratedDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import type { Instance } from '../support/instance.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import { quietLog } from '../support/log.ts'
import { workflowBundle } from '../support/workflow-bundle.ts'

describe('a worker', () => {
  let service: Instance
  let sink: SmtpSink
  useInstanceAndSink((started) => ({ service, sink } = started), { worker: false, env: { MAIL_FROM: '' } })

  it('requires MAIL_FROM unless another process has set it', async () => {
    const { em } = service.context.orm
    await assert.rejects(service.startWorker(), /MAIL_FROM/)
    assert.equal(await readMailMode(em.fork()), null, 'a rejected process has not set the mail mode')
    await sql(em.fork(), `update instance set mail_from = 'Me <me@example.com>'`)
    await service.startWorker()
    await enroll(service, await anAutomation(service), await aContact(service))
    const mail = await eventually('the mail', () => sink.mails[0])
    assert.match(mail.headers, /^From: Me <me@example\.com>\r?$/m)
  })

  it('requires a public URL with https if its mail server is elsewhere', async () => {
    const settings = {
      SMTP_URL: 'smtp://smtp.example.com:25',
      MAIL_FROM: 'Me <me@example.com>',
      PUBLIC_URL: 'http://mail.example.com',
    }
    const context = openContext(
      { ...service.context.config, ...settings, DATABASE_URL: await createMigratedDatabase() },
      quietLog,
    )
    await assert.rejects(startWorker(context, workflowBundle()), /does not use https/)
    await context.close()
  })
})
