import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const CONNECTIONS = 3
const CONTACTS = 12

describe('sending with a slow mail server', () => {
  let service: Service
  let sink: SmtpSink
  /** Messages that the server has received but not responded to. */
  let held: (() => void)[]
  let holding: boolean

  beforeEach(async () => {
    held = []
    holding = true
    sink = await startSmtpSink(() => (holding ? new Promise<void>((answer) => held.push(answer)) : undefined))
    service = await startService({ env: { SMTP_URL: sink.url, SMTP_CONNECTIONS: String(CONNECTIONS) } })
  })
  afterEach(async () => {
    release()
    await service.stop()
    await sink.close()
  })

  const release = () => {
    holding = false
    for (const answer of held.splice(0)) answer()
  }
  const em = () => service.context.orm.em.fork()
  const statuses = async () => {
    const rows = await sql<{ status: string; count: number }>(
      em(),
      'select status, count(*)::integer as count from messages group by status',
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }
  const enrollMany = async (fields: object = {}) => {
    const automationId = await anAutomation(service, { steps: [EMAIL], ...fields })
    for (let n = 0; n < CONTACTS; n += 1) await enroll(service, automationId, await aContact(service))
    await eventually('every connection is busy', () => (held.length === CONNECTIONS ? true : undefined))
    return automationId
  }

  it('claims no more messages than it has connections', async () => {
    await enrollMany()
    assert.deepEqual(await statuses(), { SENDING: CONNECTIONS })
    release()
    await eventually('all are sent', async () => ((await statuses())['SENT'] === CONTACTS ? true : undefined))
    assert.equal(sink.mails.length, CONTACTS)
  })

  it('finishes the emails in flight when a worker stops, and leaves the others to the next worker', async () => {
    await enrollMany()
    const stopped = service.stopWorkers()
    // The server answers while the worker is stopping.
    setTimeout(release, 500)
    await stopped
    const after = await statuses()
    assert.equal(after['UNCONFIRMED'] ?? 0, 0)
    assert.equal(after['SENDING'] ?? 0, 0)
    await service.startWorker()
    await eventually('all are sent', async () => ((await statuses())['SENT'] === CONTACTS ? true : undefined), 60_000)
    assert.equal(sink.mails.length, CONTACTS)
    assert.equal(new Set(sink.mails.flatMap(({ to }) => to)).size, CONTACTS)
  })

  it('responds to a pause after the emails in flight, and sends none after the response', async () => {
    const automationId = await enrollMany()
    const paused = service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await eventually('it is paused', async () => {
      const { body } = await service.call('GET', `automations/${automationId}`)
      return (body.data as { status: string }).status === 'PAUSED' ? true : undefined
    })
    assert.equal(await Promise.race([paused.then(() => 'answered'), Promise.resolve('waits')]), 'waits')
    release()
    assert.equal((await paused).status, 200)
    assert.equal(sink.mails.length, CONNECTIONS)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await eventually('all contacts get their email', () => (sink.mails.length === CONTACTS ? true : undefined))
  })

  it('rejects a repeated pause until the first has its response, and then repeats that response', async () => {
    const automationId = await enrollMany()
    const headers = { 'idempotency-key': 'a-pause' }
    const pause = () => service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' }, { headers })
    const first = pause()
    await eventually('it is paused', async () => {
      const { body } = await service.call('GET', `automations/${automationId}`)
      return (body.data as { status: string }).status === 'PAUSED' ? true : undefined
    })
    assert.equal((await pause()).refused, '409 idempotency_key_in_progress')
    release()
    assert.equal((await first).status, 200)
    const again = await pause()
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
  })

  it('keeps no connection to Postgres while deletions and erasures wait for it', async () => {
    const contacts = await Promise.all(Array.from({ length: CONNECTIONS }, () => aContact(service)))
    const automations = await Promise.all(contacts.map(() => anAutomation(service, { steps: [EMAIL] })))
    for (const [n, contactId] of contacts.entries()) await enroll(service, automations[n]!, contactId)
    await eventually('every connection is busy', () => (held.length === CONNECTIONS ? true : undefined))
    const waiting = Array.from({ length: 10 }, () => [
      ...contacts.map((id) => service.call('DELETE', `contacts/${id}`)),
      ...automations.map((id) => service.call('DELETE', `automations/${id}`)),
    ]).flat()
    const others = await Promise.all(Array.from({ length: 30 }, () => service.call('GET', 'contacts')))
    assert.ok(others.every(({ status }) => status === 200))
    const answers = await Promise.all(waiting)
    assert.ok(answers.every(({ status }) => status === 503 || status === 404))
    release()
    for (const [n, id] of contacts.entries()) {
      await eventually('it is erased', async () =>
        (await service.call('DELETE', `contacts/${id}`)).status === 503 ? undefined : true,
      )
      await eventually('it is deleted', async () =>
        (await service.call('DELETE', `automations/${automations[n]}`)).status === 503 ? undefined : true,
      )
    }
    await eventually('no data of them is left', async () => {
      const [row] = await sql<{ count: number }>(em(), 'select count(*)::integer as count from messages')
      return row?.count === 0 ? true : undefined
    })
    assert.equal(sink.mails.length, CONNECTIONS)
  })
})
