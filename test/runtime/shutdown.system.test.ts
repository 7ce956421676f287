import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { activityOf, aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startApiProcess, startWorkerProcess } from '../support/processes.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

describe('SIGTERM', function () {
  this.timeout(180_000)
  let service: Instance
  let sink: SmtpSink
  let answerMail: (() => void) | undefined

  before(async () => {
    sink = await startSmtpSink(() => new Promise<void>((resolve) => (answerMail = resolve)))
    service = await startInstance({ worker: false })
  })
  after(async () => {
    answerMail?.()
    await service.stop()
    await sink.close()
  })

  it('lets a worker finish the email in flight, but start no other', async () => {
    const [first, second] = [await aContact(service), await aContact(service)]
    const automationId = await anAutomation(service)
    const worker = startWorkerProcess(service, { SMTP_URL: sink.url, SMTP_CONNECTIONS: '1' })
    await enroll(service, automationId, first)
    await eventually('the server has the message', () => answerMail, 30_000)
    const stopped = worker.stop()
    await enroll(service, automationId, second)
    answerMail?.()
    assert.equal(await stopped, 0)
    const [item, ...more] = await activityOf(service, first)
    assert.equal(item?.status, 'SENT')
    assert.deepEqual(more, [])
    assert.deepEqual(await activityOf(service, second), [])
  })

  it('stops a worker in time even if its email does not finish', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    answerMail = undefined
    const worker = startWorkerProcess(service, { SMTP_URL: sink.url, WORKER_SHUTDOWN_SECONDS: '1' })
    await enroll(service, automationId, contactId)
    // The mail that is left from the previous test may come first.
    await eventually('the server has a message', () => answerMail, 30_000)
    await worker.stop()
  })

  it('lets an API respond to the requests in progress', async () => {
    const api = await startApiProcess(service)
    const { em } = service.context.orm
    const waiting = async () => {
      const [row] = await sql<{ waits: boolean }>(
        em.fork(),
        "select exists (select from pg_locks where relation = 'contacts'::regclass and not granted) as waits",
      )
      return row?.waits ? true : undefined
    }
    // The request cannot continue before the transaction ends.
    const { asked: response, stopped } = await em.fork().transactional(async (transaction) => {
      await sql(transaction, 'lock table contacts in exclusive mode')
      const request = fetch(`${api.baseUrl}/contacts`, {
        method: 'POST',
        headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'stop@example.com' }),
      })
      await eventually('the request waits', waiting)
      return { asked: request, stopped: api.stop() }
    })
    assert.equal((await response).status, 201)
    assert.equal(await stopped, 0)
  })
})
