import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { requestId } from '../../src/http/middleware/request-id.ts'
import type { ApiState } from '../../src/http/state.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { openLog } from '../../src/platform/log.ts'
import { createRenderer } from '../../src/rendering/renderer.ts'
import { createLeaseKeeper } from '../../src/messages/leases.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { sendStep } from '../../src/enrollments/send-step.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { claimStep, stepOf } from '../support/step-claims.ts'
import { noSecrets, someLinks } from '../support/links.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { SENDER } from '../support/npm-start.ts'
import { freePorts } from '../support/ports.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import { startService, type Service } from '../support/service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

describe('the log', () => {
  let service: Service
  const lines: string[] = []
  before(async () => {
    const [nowhere] = await freePorts(1)
    service = await startService({
      worker: false,
      env: { TEMPORAL_ADDRESS: `127.0.0.1:${nowhere}` },
      log: openLog('debug', { write: (line) => void lines.push(line) }),
    })
  })
  after(() => service.stop())

  it('includes the request ID in every line, and no data of a contact or a key', async () => {
    const call = (method: string, path: string, body?: unknown) =>
      service.call(method, path, body, { headers: { 'x-request-id': 'request-1' } })
    const contact = {
      email: 'secret-address@example.com',
      firstName: 'SecretName',
      metadata: { note: 'secret-note' },
      tags: ['secret-tag'],
    }
    const signUps = { trigger: 'SIGNUP', steps: [EMAIL] }
    await anAutomation(service, signUps)
    lines.length = 0
    const { body } = await call('POST', 'contacts', contact)
    await call('GET', 'contacts?email=secret-address@example.com&tag=secret-tag')
    await call('DELETE', `contacts/${body.data.id}/tags/secret-tag`)
    await call('POST', `contacts/${body.data.id}/events`, { name: 'secret-event', data: { note: 'secret-data' } })
    await call('POST', 'contacts', { email: 'secret-wrong', firstName: 5 })
    await call('GET', 'nowhere/secret-path')
    await call('DELETE', `contacts/${body.data.id}`)

    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.ok(parsed.length >= 8, 'each request has a line, and so has each failed delivery')
    assert.ok(parsed.some(({ msg }) => msg === 'Delivery to Temporal failed; rescheduled'))
    for (const line of parsed) assert.equal(line['requestId'], 'request-1', JSON.stringify(line))
    const text = lines.join('')
    assert.doesNotMatch(text, /secret/i)
    assert.ok(!text.includes(service.key))
    const answered = parsed.filter(({ msg }) => msg === 'Answered')
    assert.deepEqual(
      answered.map(({ method, route, status }) => [method, route, status]),
      [
        ['POST', '/api/v1/contacts', 201],
        ['GET', '/api/v1/contacts', 200],
        ['DELETE', '/api/v1/contacts/:id/tags/:tag', 200],
        ['POST', '/api/v1/contacts/:id/events', 202],
        ['POST', '/api/v1/contacts', 400],
        ['GET', null, 404],
        ['DELETE', '/api/v1/contacts/:id', 200],
      ],
    )
  })
})

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
  useServiceAndSink((started) => ({ service, sink } = started), { log })
  beforeEach(() => (lines.length = 0))

  /** Returns the only line about an email. */
  const lineOf = (automationId: string) =>
    eventually('a line', () => lines.find((line) => line['automationId'] === automationId && 'messageId' in line))

  async function enrolled() {
    const contactId = await aContact(service, { email: `secret-${newId()}@example.com` })
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    return { contactId, automationId }
  }

  for (const [what, behavior, status, expectedText] of [
    [
      'was rejected permanently',
      { code: 550, text: 'no such mailbox', at: 'rcpt' },
      'FAILED',
      /Email failed permanently/,
    ],
    ['may have been sent', 'cut', 'UNCONFIRMED', /npm run cli -- message list/],
  ] as const) {
    it(`report that an email ${what}, with the server's response and without an address`, async () => {
      const { contactId, automationId } = await enrolled()
      const address = await addressOf(service, contactId)
      const behaviorFor =
        typeof behavior === 'object' ? { ...behavior, text: `<${address}>: ${behavior.text}` } : behavior
      sink.behave(behaviorFor)
      await enroll(service, automationId, contactId)
      const line = await lineOf(automationId)
      sink.behave('accept')
      assert.equal(line['status'], status)
      assert.match(String(line['msg']), expectedText)
      if (typeof behavior === 'object') assert.match(String(line['reason']), /^550 <…>: no such mailbox/)
      assert.doesNotMatch(JSON.stringify(lines), /secret|@/)
    })
  }

  it('report an email that may have been sent when its sending process died, in the process that finds it', async () => {
    const { contactId, automationId } = await enrolled()
    await service.stopWorkers()
    await enroll(service, automationId, contactId)
    const { em } = service.context.orm
    const step = await stepOf(service, automationId, contactId)
    const { id } = (await claimStep(service, step)).message
    await sql(em.fork(), 'update messages set lease_until = now() where id = $1::uuid', [id])
    const renderer = createRenderer()
    const mail = {
      smtp: undefined,
      renderer,
      leases: createLeaseKeeper(em),
      store: createMessageStore(em),
      mailFrom: SENDER,
      links: someLinks,
      secrets: noSecrets,
    }
    const dependencies = { ...mail, em, metrics: noMetrics, log }
    for (let n = 0; n < 2; n += 1) await sendStep(dependencies, step, 'at-once')
    await renderer.close()
    assert.deepEqual(
      lines.map(({ messageId, status }) => [messageId, status]),
      [[id, 'UNCONFIRMED']],
    )
  })
})
