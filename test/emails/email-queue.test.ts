import assert from 'node:assert/strict'
import { startEmailQueue } from '../../src/emails/index.ts'
import { keepQueuedEmails, takeQueuedEmails } from '../../src/messages/index.ts'
import { createWorkersMail } from '../../src/runtime/mail.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import type { Instance } from '../support/instance.ts'
import { lockWith } from '../support/locks.ts'
import { someLinks } from '../support/links.ts'
import { SENDER } from '../support/npm-start.ts'
import { serviceWithWorkspace, type Service } from '../support/service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const NONE = new Map<string, number>()
const RECEIPT = { subject: 'Receipt', text: 'Thank you' }

describe('the queue of transactional emails', () => {
  let service: Instance
  let other: Service
  let sink: SmtpSink
  useInstanceAndSink((started) => ({ service, sink } = started), { worker: false })
  before(async () => (other = await serviceWithWorkspace(service.context, service.port)))
  beforeEach(() => sql(em(), `update messages set due_at = 'infinity' where status in ('QUEUED', 'DEFERRED')`))

  const em = () => service.context.orm.em.fork()
  async function accept(of: Service, count: number, more: object = {}): Promise<string[]> {
    const emails = Array.from({ length: count }, () => ({ to: `r${Math.random()}@example.com`, ...RECEIPT, ...more }))
    const { body } = await of.call('POST', 'emails/batch', { emails })
    return (body.data as { emails: { id: string }[] }).emails.map(({ id }) => id)
  }
  const take = async (limit: number, held = NONE) => (await takeQueuedEmails(em(), limit, held)).map(({ id }) => id)
  const setLease = (id: string, lease: string) =>
    sql(em(), `update messages set lease_until = now() + $2::interval where id = $1::uuid`, [id, lease])

  it('gives each email to one worker', async () => {
    const ids = await accept(service, 40)
    const taken = await Promise.all([take(30), take(30), take(30)])
    const all = taken.flat()
    assert.equal(new Set(all).size, all.length)
    const rest = await take(100)
    assert.deepEqual([...all, ...rest].toSorted(), ids.toSorted())
  })

  it('skips an email that another transaction has locked', async () => {
    const [first, second] = await accept(service, 2)
    const release = await lockWith(em(), 'select from messages where id = $1::uuid for update', [first])
    assert.deepEqual(await take(10), [second])
    await release()
    assert.deepEqual(await take(10), [first])
  })

  it('lets workspaces take turns, and counts what a worker has already', async () => {
    const many = await accept(service, 10)
    const few = await accept(other, 2)
    const first = await take(4)
    assert.deepEqual(first.filter((id) => few.includes(id)).toSorted(), few.toSorted())
    const [late] = await accept(other, 1)
    assert.deepEqual(await take(1, new Map([[service.workspaceId, 2]])), [late])
    assert.equal((await take(100)).length, many.length - 2)
  })

  it('leaves scheduled emails until they are due', async () => {
    const [id] = await accept(service, 1, { scheduledAt: new Date(Date.now() + 60_000).toISOString() })
    assert.deepEqual(await take(10), [])
    await sql(em(), 'update messages set due_at = now() where id = $1::uuid', [id])
    assert.deepEqual(await take(10), [id])
  })

  it('gives the email of a dead worker to another one after some time, also if the clock was set back', async () => {
    const [id] = await accept(service, 1)
    assert.deepEqual(await take(10), [id])
    assert.deepEqual(await take(10), [])
    await setLease(id!, '-1 second')
    assert.deepEqual(await take(10), [id])
    await setLease(id!, '1 hour')
    assert.deepEqual(await take(10), [id])
  })

  it('leaves the emails of some workspaces to other workers', async () => {
    const [own] = await accept(service, 1)
    await accept(other, 2)
    const taken = await takeQueuedEmails(em(), 10, NONE, [other.workspaceId])
    assert.deepEqual(taken, [{ id: own, workspaceId: service.workspaceId }])
  })

  it('is kept by a worker for as long as it sends an email', async () => {
    const [id] = await accept(service, 1)
    assert.deepEqual(await take(10), [id])
    await setLease(id!, '1 second')
    await keepQueuedEmails(em(), [id!])
    await eventually('the first lease would be over', async () => {
      const [row] = await sql<{ left: number }>(
        em(),
        'select extract(epoch from lease_until - now())::float8 as left from messages where id = $1::uuid',
        [id],
      )
      return (row!.left > 25 && row!.left < 29.5) || undefined
    })
    assert.deepEqual(await take(10), [])
  })

  it('returns what a process cannot send at once, and leaves it to others', async () => {
    const [id] = await accept(service, 1)
    const { config, dependencies } = service.context
    const sender = { mailFrom: SENDER, links: someLinks }
    const mail = { ...createWorkersMail(config, dependencies, sender), smtp: undefined }
    await sql(em(), `update instance set mail = 'smtp'`)
    const queue = startEmailQueue({ ...dependencies, ...mail }, { connections: 1, idleMs: 20 })
    const isReturned = 'select from messages where id = $1::uuid and lease_until is null and due_at > created_at'
    await eventually('it is returned', async () => (await sql(em(), isReturned, [id])).length > 0 || undefined)
    await queue.stop(1_000)
    await mail.renderer.close()
    assert.deepEqual(await take(10), [id])
  })

  it('sends each email once with two workers, and a scheduled one at its time', async () => {
    const at = Date.now() + 3_000
    const ids = [...(await accept(service, 30)), ...(await accept(other, 30))]
    const later = await accept(service, 2, { scheduledAt: new Date(at).toISOString() })
    await Promise.all([service.startWorker(), service.startWorker()])
    const sent = async (id: string, of: Service) =>
      (await of.call('GET', `emails/${id}`)).body.data.status === 'SENT' ? true : undefined
    for (const id of later) await eventually('the scheduled email is sent', () => sent(id, service))
    assert.ok(Date.now() >= at)
    await eventually('all emails arrive', () => sink.mails.length === ids.length + later.length || undefined)
    assert.equal(new Set(sink.mails.map(({ to }) => to[0])).size, ids.length + later.length)
  })
})
