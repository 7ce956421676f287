import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const SEQUENCE = { steps: [EMAIL, wait(60), EMAIL] }

describe('an enrollment that is ended through the API', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const em = () => service.context.orm.em.fork()
  const end = (automationId: string, contactId: string, options = {}) =>
    service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`, undefined, options)
  const list = async (automationId: string, query = '') =>
    (await service.call('GET', `automations/${automationId}/enrollments${query}`)).body.data as {
      id: string
      status: string
      contactId: string
    }[]
  const handleOf = (automationId: string, contactId: string) =>
    service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
  const mailed = (contactId: string, count: number) =>
    eventually('the email arrives', async () =>
      (await activityOf(service, contactId)).length === count ? true : undefined,
    )

  it('is CANCELLED in the list and in Temporal, and its contact may enter again', async () => {
    const automationId = await anAutomation(service, SEQUENCE)
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await mailed(contactId, 1)
    const [before] = await list(automationId)
    assert.partialDeepStrictEqual(before, { contactId, status: 'ACTIVE', paused: false, version: 1, endedAt: null })
    const ended = await end(automationId, contactId)
    assert.deepEqual(ended.body, { data: { id: contactId, deleted: true } })
    assert.deepEqual(
      (await list(automationId)).map(({ id, status }) => [id, status]),
      [[before!.id, 'CANCELLED']],
    )
    await eventually('Temporal has it as cancelled', async () =>
      (await handleOf(automationId, contactId).describe()).status.name === 'CANCELLED' ? true : undefined,
    )
    assert.equal((await end(automationId, contactId)).refused, '404 not_enrolled')
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    await mailed(contactId, 2)
    assert.deepEqual(
      (await list(automationId)).map(({ status }) => status),
      ['ACTIVE', 'CANCELLED'],
    )
  })

  it('is found by an email address, and returns 404 in another workspace', async () => {
    const automationId = await anAutomation(service, SEQUENCE)
    const contactId = await aContact(service, { externalId: 'ends-4711' })
    await enroll(service, automationId, contactId)
    const other = await service.newKey()
    assert.equal((await end(automationId, contactId, { key: other })).refused, '404 automation_not_found')
    const outsider = await service.call('GET', `automations/${automationId}/enrollments`, undefined, { key: other })
    assert.equal(outsider.refused, '404 automation_not_found')
    assert.equal((await end(automationId, 'nobody')).refused, '404 not_enrolled')
    assert.equal((await end(automationId, 'external:ends-4711')).status, 200)
  })

  it('does not affect a later enrollment, no matter how late its workflow is cancelled', async () => {
    const automationId = await anAutomation(service, SEQUENCE)
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await mailed(contactId, 1)
    const { enrollments } = service.context.dependencies
    const late = enrollments.end.bind(enrollments)
    const calls: (() => Promise<void>)[] = []
    enrollments.end = (...of) => {
      calls.push(() => late(...of))
      return Promise.resolve()
    }
    try {
      assert.equal((await end(automationId, contactId)).status, 200)
    } finally {
      enrollments.end = late
    }
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    await mailed(contactId, 2)
    for (const call of calls) await call()
    const { status } = await handleOf(automationId, contactId).describe()
    assert.equal(status.name, 'RUNNING')
    assert.deepEqual(
      (await list(automationId)).map((enrollment) => enrollment.status),
      ['ACTIVE', 'CANCELLED'],
    )
  })

  it('is not started again by an earlier event that is still being delivered', async () => {
    const trigger = { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'ends' } }
    const automationId = await anAutomation(service, { ...SEQUENCE, ...trigger })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await mailed(contactId, 1)
    const { enrollments } = service.context.dependencies
    const enter = enrollments.enter.bind(enrollments)
    const entered = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    enrollments.enter = async (...of) => {
      begun.resolve()
      await entered.promise
      return enter(...of)
    }
    try {
      const fired = service.call('POST', `contacts/${contactId}/tags`, { tags: ['ends'] })
      await begun.promise
      assert.equal((await end(automationId, contactId)).status, 200)
      entered.resolve()
      await fired
    } finally {
      enrollments.enter = enter
      entered.resolve()
    }
    await eventually('its workflow is over', async () =>
      (await handleOf(automationId, contactId).describe()).status.name === 'RUNNING' ? undefined : true,
    )
    assert.deepEqual(
      (await list(automationId)).map(({ status }) => status),
      ['CANCELLED'],
    )
    assert.equal((await activityOf(service, contactId)).length, 1)
  })

  it('is not started by an event from before a DELETE that found no enrollment', async () => {
    const automationId = await anAutomation(service, { ...SEQUENCE, triggerConfig: { eventName: 'pending' } })
    const contactId = await aContact(service)
    const { enrollments } = service.context.dependencies
    const enter = enrollments.enter.bind(enrollments)
    enrollments.enter = () => Promise.reject(new Error('Temporal is unavailable'))
    try {
      await anEvent(service, contactId, 'pending')
      assert.equal((await end(automationId, contactId)).status, 200)
    } finally {
      enrollments.enter = enter
    }
    const rows = await sql(em(), `select from outbox where kind = 'START' and contact_id = $1::uuid`, [contactId])
    assert.equal(rows.length, 0)
    assert.equal((await end(automationId, contactId)).refused, '404 not_enrolled')
    // The next event starts an enrollment.
    await anEvent(service, contactId, 'pending')
    await mailed(contactId, 1)
  })

  it('dismisses a deferred email', async () => {
    const automationId = await anAutomation(service, { ...SEQUENCE, steps: [wait(60), EMAIL] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const [row] = await list(automationId)
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim)
       select gen_random_uuid(), workspace_id, contact_id, automation_id, id, gen_random_uuid(), 'DEFERRED', gen_random_uuid()
       from enrollments where id = $1::uuid`,
      [row!.id],
    )
    await end(automationId, contactId)
    const [message] = await activityOf(service, contactId)
    assert.deepEqual(
      [message!.status, message!.error],
      ['DISMISSED', 'The enrollment ended before the message could be sent'],
    )
  })
})

describe('the list of enrollments', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  it('returns consistent pages while contacts enter, and filters by status', async () => {
    const automationId = await anAutomation(service, SEQUENCE)
    const contacts: string[] = []
    const enter = async () => {
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      contacts.unshift(contactId)
    }
    for (let n = 0; n < 5; n += 1) await enter()
    await sql(
      service.context.orm.em.fork(),
      `update enrollments set status = 'STOPPED', ended_at = now(), wakes_at = null, ended_by = '{"cause":"EMAIL_REJECTED"}' where contact_id = $1::uuid`,
      [contacts[1]],
    )
    const path = `automations/${automationId}/enrollments`
    const seen: string[] = []
    let cursor: string | null = null
    const all = [...contacts]
    do {
      const { body }: Awaited<ReturnType<Service['call']>> = await service.call(
        'GET',
        `${path}?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...body.data.map((enrollment: { contactId: string }) => enrollment.contactId))
      cursor = body.pagination.nextCursor
      await enter()
    } while (cursor !== null)
    assert.deepEqual(seen, all)
    const stopped = await service.call('GET', `${path}?status=STOPPED`)
    assert.deepEqual(
      stopped.body.data.map((enrollment: { contactId: string }) => enrollment.contactId),
      [all[1]],
    )
    assert.deepEqual(stopped.body.pagination, { limit: 50, nextCursor: null })
    for (const wrong of ['x', '1.nobody', `17637993456789011.${automationId}`, `1.${automationId}0`, ''])
      assert.equal((await service.call('GET', `${path}?cursor=${wrong}`)).refused, '400 invalid_request')
    // The largest possible cursor does not cause an error in Postgres.
    const far = `9999999999999999.${automationId}`
    assert.equal((await service.call('GET', `${path}?cursor=${far}`)).status, 200)
  })
})
