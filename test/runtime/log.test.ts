import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sendStep } from '../../src/enrollments/send-step.ts'
import { requestId } from '../../src/http/middleware/request-id.ts'
import type { ApiState } from '../../src/http/state.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { openLog } from '../../src/platform/log.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { someLinks } from '../support/links.ts'
import { SENDER } from '../support/npm-start.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'
import { claimStep, stepOf } from '../support/step-claims.ts'

describe('log lines of requests', () => {
  /** Returns the statuses of the responses that are logged. */
  async function loggedStatuses(level: string, isWatched: boolean): Promise<unknown[]> {
    const lines: string[] = []
    const app = new Koa<ApiState>()
    const log = openLog(level, { write: (line) => void lines.push(line) })
    app.use(requestId(log, noMetrics, isWatched))
    app.use((ctx) => {
      ctx.status = Number(ctx.path.slice(1))
    })
    const handle = app.callback()
    const server = createServer((request, response) => void handle(request, response))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    for (const status of [200, 404, 503]) await fetch(`http://127.0.0.1:${port}/${status}`)
    await new Promise((closed) => server.close(closed))
    return lines.map((line) => (JSON.parse(line) as { status: number }).status)
  }

  it('include every request if the log goes to a program', async () => {
    assert.deepEqual(await loggedStatuses('info', false), [200, 404, 503])
  })

  it('include only server errors on a terminal, or every request with LOG_LEVEL=debug', async () => {
    assert.deepEqual(await loggedStatuses('info', true), [503])
    assert.deepEqual(await loggedStatuses('debug', true), [200, 404, 503])
  })
})

describe('log lines of emails', () => {
  let sink: SmtpSink
  let service: Service
  const lines: Record<string, unknown>[] = []
  const log = openLog('warn', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
  let mail: ReturnType<typeof createMail<string>>
  useServiceAndSink((started) => ({ service, sink } = started), { worker: false })
  before(async () => {
    const { config, orm } = service.context
    // No worker of this service has set it.
    await sql(orm.em.fork(), `update instance set mail = 'smtp'`)
    mail = createMail(config, orm.em, { mailFrom: SENDER, links: someLinks })
  })
  after(async () => {
    await mail.smtp?.close()
    await mail.renderer.close()
    await sql(service.context.orm.em.fork(), 'update instance set mail = null')
  })
  beforeEach(() => (lines.length = 0))

  /** Enrolls a contact. @returns the step of the email, which no worker sends, and the contact's address */
  async function enrolled() {
    const email = `secret-${newId()}@example.com`
    const contactId = await aContact(service, { email })
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    return { email, step: await stepOf(service, automationId, contactId) }
  }
  const send = (step: Parameters<typeof sendStep>[1]) =>
    sendStep({ ...mail, em: service.context.orm.em, metrics: noMetrics, log }, step, 'at-once')

  it("report a permanent rejection with the server's response, without an address", async () => {
    const { email, step } = await enrolled()
    sink.behave({ code: 550, text: `<${email}>: no such mailbox`, at: 'rcpt' })
    await send(step)
    assert.partialDeepStrictEqual(lines, [{ status: 'FAILED', automationId: step.automationId }])
    assert.match(String(lines[0]!['msg']), /Email failed permanently/)
    assert.match(String(lines[0]!['reason']), /^550 <…>: no such mailbox/)
    assert.doesNotMatch(JSON.stringify(lines), /secret|@/)
  })

  it('report an email that may have been sent, without an address', async () => {
    sink.behave('cut')
    const { step } = await enrolled()
    await send(step)
    assert.partialDeepStrictEqual(lines, [{ status: 'UNCONFIRMED', automationId: step.automationId }])
    assert.match(String(lines[0]!['msg']), /npm run cli -- message list/)
    assert.doesNotMatch(JSON.stringify(lines), /secret|@/)
  })

  it('report an email that may have been sent when its sending process died, in the process that finds it', async () => {
    const { step } = await enrolled()
    const { id } = (await claimStep(service, step)).message
    await sql(service.context.orm.em.fork(), 'update messages set lease_until = now() where id = $1::uuid', [id])
    for (let n = 0; n < 2; n += 1) await send(step)
    assert.deepEqual(
      lines.map(({ messageId, status }) => [messageId, status]),
      [[id, 'UNCONFIRMED']],
    )
  })
})
