import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, anEvent, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { type Process, startWorkerProcess } from '../support/processes.ts'

const DAY = 24 * 60
/** MOVE_CONTACTS and MOVE_KILLS set more for a longer run. */
const CONTACTS = Number(process.env['MOVE_CONTACTS'] || 300)
const KILLS = Number(process.env['MOVE_KILLS'] || 6)
const KILL_EVERY_MS = Math.max(2_500, (CONTACTS / KILLS) * 50)
const DEADLINE_MS = Math.max(240_000, CONTACTS * 500)
const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'Hi' })

/** The plans of the contacts. Each takes another branch, and waits there. */
const PLANS = ['wait', 'date', 'event'] as const

const until = (at: string) => ({ type: 'WAIT_UNTIL', until: { at }, timezone: 'UTC' })
const event = (eventName: string) => ({
  ...{ type: 'WAIT_FOR_EVENT', eventName, timeoutMinutes: DAY },
  received: [email('received')],
  timedOut: [email('timed out')],
})
const branch = (name: string, steps: unknown[]) => ({
  ...{ name, steps },
  if: { metadata: 'plan', is: 'equal', value: name },
})

describe('a move while workers are killed', () => {
  let instance: Instance
  let sink: SmtpSink
  let worker: Process
  before(async () => {
    sink = await startSmtpSink()
    instance = await startInstance({ worker: false, env: { SMTP_URL: sink.url } })
    worker = startWorkerProcess(instance, { SMTP_URL: sink.url })
  })
  after(async () => {
    await worker.kill()
    await instance.stop()
    await sink.close()
  })

  const em = () => instance.context.orm.em.fork()
  const inBatches = async (run: (n: number) => Promise<unknown>) => {
    for (let first = 0; first < CONTACTS; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, n) => run(first + n)))
  }

  it('moves each contact once, and sends each email at most once', async function () {
    this.timeout(3 * DEADLINE_MS)
    const id = await anAutomation(instance, {
      steps: [
        email('first'),
        {
          type: 'CONDITION',
          branches: [
            branch('wait', [wait(DAY), email('waited')]),
            branch('date', [until('2099-01-01T09:00'), email('dated')]),
            branch('event', [event('ordered')]),
          ],
        },
        email('last'),
      ],
    })
    const contactIds: string[] = []
    await inBatches(async (n) => {
      contactIds[n] = await aContact(instance, { metadata: { plan: PLANS[n % 3] } })
      await enroll(instance, id, contactIds[n])
    })
    const waiting = `select from enrollments where automation_id = $1::uuid and wakes_at > now() + interval '1 hour'`
    await eventually(
      'all wait',
      async () => (await sql(em(), waiting, [id])).length === CONTACTS || undefined,
      DEADLINE_MS,
    )

    const { body } = await instance.call('GET', `automations/${id}`)
    const [first, condition, last] = body.data.steps
    const [waited, dated, received] = condition.branches.map((each: { steps: unknown[] }) => each.steps)
    const choose = {
      ...condition,
      branches: [
        // The wait is removed, the date is in the past, and another event is awaited.
        branch('wait', [waited[1]]),
        branch('date', [{ ...dated[0], until: { at: '2020-01-01T09:00' } }, dated[1]]),
        branch('event', [{ ...received[0], eventName: 'paid' }]),
      ],
    }
    await instance.call('POST', `automations/${id}/publish`, {
      steps: [email('too late'), first, choose, last, email('new')],
      inside: 'MOVE',
    })
    const paying = inBatches((n) => (n % 3 === 2 ? anEvent(instance, contactIds[n]!, 'paid') : Promise.resolve()))
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay(KILL_EVERY_MS)
      await worker.kill()
      worker = startWorkerProcess(instance, { SMTP_URL: sink.url })
    }
    await paying
    const completed = `select from enrollments where automation_id = $1::uuid and status = 'COMPLETED' and version = 2`
    await eventually(
      'all complete',
      async () => (await sql(em(), completed, [id])).length === CONTACTS || undefined,
      DEADLINE_MS,
    )

    // A message that a killed worker left unconfirmed has no subject.
    const messages = await sql<{ contact_id: string; step_id: string; status: string }>(
      em(),
      `select contact_id, step_id, status from messages where automation_id = $1::uuid`,
      [id],
    )
    const published = (await instance.call('GET', `automations/${id}`)).body.data.steps as { id: string }[]
    const own = { wait: waited[1].id, date: dated[1].id, event: received[0].received[0].id }
    for (const [n, contactId] of contactIds.entries()) {
      const mailed = messages.filter(({ contact_id }) => contact_id === contactId).map(({ step_id }) => step_id)
      const expected = [first.id, own[PLANS[n % 3]!], last.id, published.at(-1)!.id]
      assert.deepEqual(mailed.toSorted(), expected.toSorted())
    }
    const others = messages.filter(({ status }) => status !== 'SENT' && status !== 'UNCONFIRMED')
    assert.deepEqual(others, [])
    const sent = sink.mails.map(({ to, headers }) => `${to[0]} ${/^Subject: (.*)$/m.exec(headers)?.[1]?.trim()}`)
    assert.equal(new Set(sent).size, sent.length)
    assert.ok(sent.length >= messages.filter(({ status }) => status === 'SENT').length)
  })
})
