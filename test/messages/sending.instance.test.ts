import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import type { Instance } from '../support/instance.ts'
import { withWaits } from '../support/waits.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const CONNECTIONS = 3
const CONTACTS = 12

// The tests count the connections of a process, and stop its worker.
describe('sending with a slow mail server', () => {
  let service: Instance
  let sink: SmtpSink
  /** Messages that the server has received but not responded to. */
  const held: (() => void)[] = []
  let holding: boolean
  useInstanceAndSink((started) => ({ service, sink } = started), {
    env: { SMTP_CONNECTIONS: String(CONNECTIONS) },
    onMail: () => (holding ? new Promise<void>((answer) => held.push(answer)) : undefined),
  })
  beforeEach(() => {
    holding = true
    sink.mails.length = 0
  })
  afterEach(() => release())

  const release = () => {
    holding = false
    for (const answer of held.splice(0)) answer()
  }
  const em = () => service.context.orm.em.fork()
  const statuses = async (automationId: string) => {
    const rows = await sql<{ status: string; count: number }>(
      em(),
      'select status, count(*)::integer as count from messages where automation_id = $1::uuid group by status',
      [automationId],
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }
  const allSent = (automationId: string) =>
    eventually('all are sent', async () => (await statuses(automationId))['SENT'] === CONTACTS || undefined)
  const isBusy = () => eventually('every connection is busy', () => held.length === CONNECTIONS || undefined)
  const isPaused = (automationId: string) =>
    eventually('it is paused', async () => {
      const { body } = await service.call('GET', `automations/${automationId}`)
      return body.data.status === 'PAUSED' || undefined
    })
  const enrollMany = async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    for (let n = 0; n < CONTACTS; n += 1) await enroll(service, automationId, await aContact(service))
    await isBusy()
    return automationId
  }

  it('claims no more messages than it has connections', async () => {
    const automationId = await enrollMany()
    assert.deepEqual(await statuses(automationId), { SENDING: CONNECTIONS })
    release()
    await allSent(automationId)
    assert.equal(sink.mails.length, CONTACTS)
  })

  it('finishes the emails in flight when a worker stops, and leaves the others to the next worker', async () => {
    const automationId = await enrollMany()
    const stopped = service.stopWorkers()
    // The server answers while the worker is stopping.
    await new Promise((resolve) => setImmediate(resolve))
    release()
    await stopped
    const { UNCONFIRMED = 0, SENDING = 0 } = await statuses(automationId)
    assert.deepEqual({ UNCONFIRMED, SENDING }, { UNCONFIRMED: 0, SENDING: 0 })
    await service.startWorker()
    await allSent(automationId)
    assert.equal(sink.mails.length, CONTACTS)
    assert.equal(new Set(sink.mails.flatMap(({ to }) => to)).size, CONTACTS)
  })

  it('responds to a pause after the emails in flight, and sends none after the response', async () => {
    const automationId = await enrollMany()
    const paused = service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await isPaused(automationId)
    assert.equal(await Promise.race([paused.then(() => 'answered'), Promise.resolve('waits')]), 'waits')
    release()
    assert.equal((await paused).status, 200)
    assert.equal(sink.mails.length, CONNECTIONS)
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await eventually('all contacts get their email', () => sink.mails.length === CONTACTS || undefined)
  })

  it('rejects a repeated pause until the first has its response, and then repeats that response', async () => {
    const automationId = await enrollMany()
    const headers = { 'idempotency-key': 'a-pause' }
    const pause = () => service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' }, { headers })
    const first = pause()
    await isPaused(automationId)
    assert.equal((await pause()).refused, '409 idempotency_key_in_progress')
    release()
    assert.equal((await first).status, 200)
    const again = await pause()
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
  })

  describe('and many requests that stop emails in flight', () => {
    withWaits({ stop: 1_000 })

    it('keeps no connection to Postgres while deletions and erasures wait for it', async () => {
      const contacts = await Promise.all(Array.from({ length: CONNECTIONS }, () => aContact(service)))
      const automations = await Promise.all(contacts.map(() => anAutomation(service, { steps: [EMAIL] })))
      for (const [n, contactId] of contacts.entries()) await enroll(service, automations[n]!, contactId)
      await isBusy()
      const paths = [...contacts.map((id) => `contacts/${id}`), ...automations.map((id) => `automations/${id}`)]
      const remove = async (path: string) => (await service.call('DELETE', path)).status
      const waiting = Array.from({ length: 10 }, () => paths.map(remove)).flat()
      const others = await Promise.all(Array.from({ length: 30 }, () => service.call('GET', 'contacts')))
      assert.ok(others.every(({ status }) => status === 200))
      assert.ok((await Promise.all(waiting)).every((status) => status === 503 || status === 404))
      release()
      for (const path of paths)
        await eventually('it is deleted', async () => ((await remove(path)) === 503 ? undefined : true))
      const left = 'select from messages where automation_id = any($1::uuid[])'
      await eventually('no data of them is left', async () =>
        (await sql(em(), left, [automations])).length === 0 ? true : undefined,
      )
      assert.equal(sink.mails.length, CONNECTIONS)
    })
  })
})
