import assert from 'node:assert/strict'
import { foldCounters } from '../../src/counters/index.ts'
import { keepWaiting, advanceEnrollment, recountPositions } from '../../src/enrollments/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aCampaign } from '../support/campaigns.ts'
import { aContact, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { assertCountersMatch, recount } from '../support/stats.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const STEPS = [wait(60), EMAIL, wait(30), wait(30), { ...EMAIL, subject: 'Second' }, wait(1_440)]

interface Stats {
  enrolled: number
  active: number
  completed: number
  ending: { waiting: number }
  refused: Record<string, number>
  steps: {
    stepId: string
    waiting: number
    nextWakeAt: string | null
    messages: Record<string, number>
    branches: { branch: string; passed: number }[]
  }[]
}

describe('stats', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  const em = () => service.context.orm.em.fork()
  const getStats = async (id: string): Promise<Stats> => {
    const { body } = await service.call('GET', `automations/${id}/stats`)
    return (body as { data: Stats }).data
  }
  const stepIds = async (id: string): Promise<string[]> => {
    const { body } = await service.call('GET', `automations/${id}`)
    return (body as { data: { steps: { id: string }[] } }).data.steps.map((step) => step.id)
  }
  /** Waits until messages of an automation have a status. */
  const waitForStatus = async (id: string, expected: number, status: string) => {
    await eventually(`${expected} are ${status}`, async () => {
      const { body } = await service.call('GET', `messages?automationId=${id}&status=${status}`)
      return (body as { data: unknown[] }).data.length === expected || undefined
    })
  }

  it('count the enrollments at each step of an automation, and the messages by status', async () => {
    const id = await anAutomation(service, { steps: [EMAIL, wait(30), wait(30), { ...EMAIL, subject: 'Second' }] })
    const [first, , , second] = await stepIds(id)
    const contacts = await Promise.all([1, 2, 3].map(() => aContact(service)))
    for (const contact of contacts) await enroll(service, id, contact)
    await waitForStatus(id, 3, 'SENT')
    const { steps, ...whole } = await eventually('all wait', async () => {
      const stats = await getStats(id)
      return stats.steps.some(({ waiting }) => waiting === 3) ? stats : undefined
    })
    assert.partialDeepStrictEqual(whole, { enrolled: 3, active: 3, completed: 0, cancelled: 0, erased: 0, paused: 0 })
    const of = (stepId: string | undefined) => steps.find((step) => step.stepId === stepId)!
    assert.partialDeepStrictEqual(of(first), { waiting: 0, messages: { sent: 3, sending: 0 } })
    assert.partialDeepStrictEqual(of(second), { waiting: 3, due: 0, messages: { sent: 0 } })
    const minutes = (Date.parse(of(second).nextWakeAt!) - Date.now()) / 60_000
    assert.ok(minutes > 55 && minutes <= 60, `the next is in ${minutes} minutes`)
    await assertCountersMatch(em(), service.workspaceId)
    // One enrollment was ended, and one contact erased.
    await service.call('DELETE', `automations/${id}/enrollments/${contacts[0]}`)
    await service.call('DELETE', `contacts/${contacts[1]}`)
    const after = await getStats(id)
    assert.partialDeepStrictEqual(after, { enrolled: 3, active: 1, cancelled: 1, erased: 1 })
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('count the contacts who took each branch, and those who wait in one', async () => {
    const forEvent = {
      type: 'WAIT_FOR_EVENT',
      eventName: 'project.created',
      timeoutMinutes: 120,
      received: [EMAIL],
      timedOut: [],
    }
    const isPro = { name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [wait(60), EMAIL] }
    const steps = [{ type: 'CONDITION', branches: [isPro], else: [forEvent] }, wait(30), EMAIL]
    const id = await anAutomation(service, { steps, exitOn: [{ eventName: 'left' }] })
    const contacts = await Promise.all(['pro', 'free', 'free'].map((plan) => aContact(service, { metadata: { plan } })))
    for (const contact of contacts) await enroll(service, id, contact)
    const { body } = await service.call('GET', `automations/${id}`)
    const [condition, , last] = body.data.steps
    const [, proEmail] = condition.branches[0].steps
    const [waiting] = condition.else
    const stats = await eventually('all have taken a branch', async () => {
      const now = await getStats(id)
      const step = now.steps.find(({ stepId }) => stepId === waiting.id)
      return step?.waiting === 2 && step.nextWakeAt !== null ? now : undefined
    })
    const of = (step: { id: string }) => stats.steps.find(({ stepId }) => stepId === step.id)
    assert.partialDeepStrictEqual(of(condition), { waiting: 0, passed: 3 })
    assert.deepEqual(
      of(condition)!.branches.toSorted((a, b) => a.branch.localeCompare(b.branch)),
      [
        { branch: '0', passed: 1 },
        { branch: 'else', passed: 2 },
      ],
    )
    assert.partialDeepStrictEqual(of(proEmail), { waiting: 1, due: 0 })
    const minutes = (Date.parse(of(waiting)!.nextWakeAt!) - Date.now()) / 60_000
    assert.ok(minutes > 115 && minutes <= 120, `the next times out in ${minutes} minutes`)
    await service.call('POST', `contacts/${contacts[1]}/events`, { name: 'project.created' })
    await eventually('the email is sent and the last wait has begun', async () => {
      const now = await getStats(id)
      return now.steps.find(({ stepId }) => stepId === last.id)?.waiting === 1 || undefined
    })
    await assertCountersMatch(em(), service.workspaceId)
    await service.call('DELETE', `contacts/${contacts[2]}`)
    await service.call('POST', `contacts/${contacts[0]}/events`, { name: 'left' })
    assert.partialDeepStrictEqual(await getStats(id), { enrolled: 3, active: 1, exited: 1, cancelled: 0, erased: 1 })
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('stay at the later step if a late attempt at an earlier one ends', async () => {
    const id = await anAutomation(service, { steps: [EMAIL, wait(30), EMAIL] })
    const contactId = await aContact(service)
    await enroll(service, id, contactId)
    await waitForStatus(id, 1, 'SENT')
    const read = async () => {
      const { body } = await service.call('GET', `automations/${id}/enrollments`)
      return body.data[0] as { id: string; nextStepId: string; nextAt: string }
    }
    const { body } = await service.call('GET', `automations/${id}`)
    const [first, , last] = body.data.steps as { id: string }[]
    const at = await eventually('it waits', async () => {
      const enrollment = await read()
      return enrollment.nextStepId === last!.id ? enrollment : undefined
    })
    const step = { enrollmentId: at.id, automationId: id, version: 1 }
    await keepWaiting(em(), { ...step, stepId: first!.id, until: new Date() })
    assert.deepEqual(await read(), at)
    await advanceEnrollment(em(), { ...step, stepId: last!.id, at: new Date() })
    assert.equal((await read()).nextStepId, null)
    await recountPositions(em())
    assert.equal((await read()).nextStepId, last!.id)
  })

  it('do not depend on whether changes have already been added up', async () => {
    const id = await anAutomation(service, { steps: STEPS })
    for (const contact of [await aContact(service), await aContact(service)]) await enroll(service, id, contact)
    const before = await getStats(id)
    await eventually('no change is left', async () => (await foldCounters(em(), 3)) === 0 || undefined)
    const left = 'select from counter_changes where workspace_id = $1::uuid'
    assert.deepEqual(await sql(em(), left, [service.workspaceId]), [])
    assert.deepEqual(await getStats(id), before)
    assert.equal(before.steps[0]!.waiting, 2)
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('count paused enrollments, and the age of the oldest due one', async () => {
    const paused = await anAutomation(service, { steps: [wait(1), EMAIL] })
    await enroll(service, paused, await aContact(service))
    await service.call('PATCH', `automations/${paused}`, { status: 'PAUSED' })
    await sql(em(), `update enrollments set wakes_at = now() - interval '1 minute' where automation_id = $1::uuid`, [
      paused,
    ])
    assert.partialDeepStrictEqual((await getStats(paused)).steps[0]!, { waiting: 1, due: 1, nextWakeAt: null })
    await recountPositions(em())
    await recount(em())
    assert.partialDeepStrictEqual((await getStats(paused)).steps[0]!, { waiting: 1, due: 0 })
  })

  it('no longer count entries that were refused once their automation is deleted', async () => {
    const id = await anAutomation(service, {
      trigger: 'EVENT',
      triggerConfig: { eventName: 'refused' },
      steps: [EMAIL],
    })
    await service.call('PATCH', `automations/${id}`, { status: 'PAUSED' })
    for (const contact of [await aContact(service), await aContact(service), await aContact(service)])
      await service.call('POST', `contacts/${contact}/events`, { name: 'refused' })
    assert.equal((await getStats(id)).refused.paused, 3)
    assert.equal((await service.call('DELETE', `automations/${id}`)).status, 200)
    const left = 'select from automations where id = $1::uuid'
    await eventually('it is deleted', async () => (await sql(em(), left, [id])).length === 0 || undefined)
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('count deferred messages and rejected ones', async () => {
    sink.behave({ code: 451, text: 'Come later', at: 'rcpt' })
    const id = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, id, await aContact(service))
    await waitForStatus(id, 1, 'DEFERRED')
    assert.partialDeepStrictEqual((await getStats(id)).steps[0], { waiting: 1, due: 1, messages: { deferred: 1 } })
    const [ours, theirs] = await Promise.all([
      service.call('GET', 'stats'),
      service.call('GET', 'stats', undefined, { key: await service.newKey() }),
    ])
    assert.deepEqual([ours.body.data.deferred, theirs.body.data.deferred], [1, 0])
    sink.behave('accept')
    await waitForStatus(id, 1, 'SENT')
    const done = await eventually('it is completed', async () => {
      const now = await getStats(id)
      return now.completed === 1 ? now : undefined
    })
    assert.partialDeepStrictEqual(done, {
      active: 0,
      ending: { waiting: 0 },
      steps: [{ messages: { deferred: 0, sent: 1 } }],
    })
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('include the requested automations, with their last days', async () => {
    const ids = [await anAutomation(service), await anAutomation(service)]
    await enroll(service, ids[0]!, await aContact(service))
    await waitForStatus(ids[0]!, 1, 'SENT')
    const requested = [...ids.toReversed(), service.workspaceId, 'nonsense']
    const { body } = await service.call('GET', `automations/stats?ids=${requested.join()}`)
    assert.deepEqual(
      body.data.map((each: { automationId: string; messages: { sent: number } }) => [
        each.automationId,
        each.messages.sent,
      ]),
      [
        [ids[1], 0],
        [ids[0], 1],
      ],
    )
    assert.deepEqual(
      body.data[1].days.map(({ messages }: { messages: { sent: number } }) => messages.sent),
      [0, 0, 0, 0, 0, 0, 1],
    )
  })

  it('add up for a workspace: each message to send has an outcome', async () => {
    const mailed = await anAutomation(service, { steps: [EMAIL, wait(30), EMAIL] })
    for (const contact of [await aContact(service), await aContact(service)]) await enroll(service, mailed, contact)
    await waitForStatus(mailed, 2, 'SENT')
    await eventually('both wait', async () => {
      const wakes = await sql(em(), 'select from enrollments where automation_id = $1::uuid and wakes_at > now()', [
        mailed,
      ])
      return wakes.length === 2 || undefined
    })
    const quarter = 900_000
    const since = new Date(Math.floor(Date.now() / quarter) * quarter - 4 * quarter).toISOString()
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const { body } = await service.call('GET', `flow?since=${since}&until=${until}&minutes=15`)
    const { data } = body as { data: { messages: Record<string, number>; waiting: number }[] }
    const sum = (of: (interval: (typeof data)[number]) => number) =>
      data.reduce((total, interval) => total + of(interval), 0)
    const [all] = await sql<{ messages: number; waiting: number }>(
      em(),
      `select (select count(*)::integer from messages where workspace_id = $1::uuid) as messages,
         (select count(*)::integer from enrollments where workspace_id = $1::uuid and status = 'ACTIVE') as waiting`,
      [service.workspaceId],
    )
    assert.equal(
      sum(({ messages }) => Object.values(messages).reduce((a, b) => a + b, 0)),
      all!.messages,
    )
    assert.equal(
      sum(({ waiting }) => waiting),
      all!.waiting,
    )
    const now = await service.call('GET', 'stats')
    // A campaign's messages also count.
    const listId = await aList(service)
    await aContact(service, { listId })
    sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    await aCampaign(service, [listId])
    await eventually('the campaign’s message is deferred', async () =>
      (await service.call('GET', 'stats')).body.data.deferred === 1 ? true : undefined,
    )
    assert.partialDeepStrictEqual(now.body.data, { unconfirmed: 0, sending: 0 })
    for (const wrong of ['2026-11-21T09:31:00Z', '2020-11-21T09:30:00Z'])
      assert.equal((await service.call('GET', `flow?since=${wrong}&until=${until}`)).refused, '400 invalid_request')
  })
})
