import assert from 'node:assert/strict'
import { sweepTriggers } from '../../src/automations/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, addressOf, anAutomation, EMAIL, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const STEPS = [EMAIL, wait(60)]

describe('triggers that are found by a sweep', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const em = () => service.context.orm.em.fork()
  const sweep = (options: Parameters<typeof sweepTriggers>[1] = {}) => sweepTriggers({ em: em() }, options)
  const started = async (automationId: string) => {
    const rows = await sql<{ contact_id: string }>(
      em(),
      'select contact_id from trigger_events where $1::uuid = any(automation_ids) order by created_at, id',
      [automationId],
    )
    return rows.map((row) => row.contact_id)
  }
  const eventuallyEnrolled = (automationId: string, contactId: string) =>
    eventually('the contact is enrolled', async () => {
      const rows = await sql(em(), 'select from enrollments where automation_id = $1::uuid and contact_id = $2::uuid', [
        automationId,
        contactId,
      ])
      return rows.length === 1 ? true : undefined
    })

  describe('SEGMENT_ENTERED', () => {
    let tags = 0
    /** A segment of contacts with a tag, and an automation that starts when they enter it. */
    const aSegmentAutomation = async () => {
      const tag = `swept-${(tags += 1)}`
      const { body } = await service.call('POST', 'segments', { name: tag, condition: { tag } })
      const segmentId = body.data.id as string
      const before = await aContact(service, { tags: [tag] })
      const automationId = await anAutomation(service, {
        trigger: 'SEGMENT_ENTERED',
        triggerConfig: { segmentId },
        steps: STEPS,
      })
      return { tag, segmentId, before, automationId }
    }
    const patch = (automationId: string, fields: object) => service.call('PATCH', `automations/${automationId}`, fields)

    it('starts contacts who enter after the activation, once each, in several processes', async () => {
      const { tag, automationId } = await aSegmentAutomation()
      const contacts = []
      for (let n = 0; n < 5; n += 1) contacts.push(await aContact(service, { tags: [tag] }))
      await Promise.all([sweep(), sweep()])
      await sweep()
      assert.deepEqual((await started(automationId)).toSorted(), contacts.toSorted())
      await eventuallyEnrolled(automationId, contacts[0]!)
    })

    it('starts contacts who leave and enter again', async () => {
      const { tag, before, automationId } = await aSegmentAutomation()
      await service.call('DELETE', `contacts/${before}/tags/${tag}`)
      await sweep()
      await service.call('POST', `contacts/${before}/tags`, { tags: [tag] })
      await sweep()
      assert.deepEqual(await started(automationId), [before])
    })

    it('starts none of the contacts who entered while the automation was paused', async () => {
      const { tag, automationId } = await aSegmentAutomation()
      await patch(automationId, { status: 'PAUSED' })
      await aContact(service, { tags: [tag] })
      await sweep()
      await patch(automationId, { status: 'ACTIVE' })
      await sweep()
      assert.deepEqual(await started(automationId), [])
    })

    it('keeps contacts who entered just before a rename or a repeated activation', async () => {
      const { tag, automationId } = await aSegmentAutomation()
      const contactId = await aContact(service, { tags: [tag] })
      await patch(automationId, { name: 'Renamed', status: 'ACTIVE' })
      await sweep()
      assert.deepEqual(await started(automationId), [contactId])
    })

    it('forgets an erased contact', async () => {
      const { before, automationId } = await aSegmentAutomation()
      await service.call('DELETE', `contacts/${before}`)
      await sweep()
      const known = await sql(em(), 'select from segment_members where automation_id = $1::uuid', [automationId])
      assert.equal(known.length, 0)
    })

    it('requires a segment, which is not deleted while the automation is active', async () => {
      const { segmentId, automationId } = await aSegmentAutomation()
      assert.equal((await service.call('DELETE', `segments/${segmentId}`)).refused, '409 segment_in_use')
      const other = { segmentId: '01890000-0000-7000-8000-000000000000' }
      assert.equal((await patch(automationId, { triggerConfig: other })).refused, '400 automation_never_acts')
      assert.equal((await patch(automationId, { triggerConfig: {} })).refused, '400 automation_never_acts')
      await patch(automationId, { status: 'PAUSED' })
      assert.equal((await service.call('DELETE', `segments/${segmentId}`)).status, 200)
    })
  })

  describe('DATE', () => {
    const aDateAutomation = (triggerConfig: object) =>
      anAutomation(service, {
        trigger: 'DATE',
        triggerConfig: { field: 'contact.metadata.day', ...triggerConfig },
        steps: STEPS,
      })
    /** Sweeps an interval in the future, in which the relay of the worker does nothing. */
    const sweepFrom = async (automationId: string, from: string, to: string) => {
      await sql(em(), 'update automations set started_until = $2::timestamptz where id = $1::uuid', [
        automationId,
        from,
      ])
      await sweep({ now: new Date(to) })
    }
    const dated = (day: unknown, metadata: object = {}) => aContact(service, { metadata: { day, ...metadata } })

    it('starts contacts at 9:00 in their time zone on their anniversary, once, even if the sweep is repeated', async () => {
      const automationId = await aDateAutomation({})
      const utc = await dated('1990-05-04')
      const tokyo = await dated('1985-05-04', { timezone: 'Asia/Tokyo' })
      await dated('soon')
      await dated('1990-02-30')
      await dated(504)
      await sweepFrom(automationId, '2030-05-03T23:00:00Z', '2030-05-04T00:00:00Z')
      assert.deepEqual(await started(automationId), [tokyo])
      await sweepFrom(automationId, '2030-05-03T23:00:00Z', '2030-05-04T09:00:00Z')
      await sweepFrom(automationId, '2030-05-03T23:00:00Z', '2030-05-04T09:00:00Z')
      assert.deepEqual(await started(automationId), [tokyo, utc])
      await eventuallyEnrolled(automationId, utc)
      await sweepFrom(automationId, '2031-05-04T08:59:00Z', '2031-05-04T09:00:00Z')
      assert.deepEqual(await started(automationId), [tokyo, utc, utc])
    })

    it('continues where the last sweep ended', async () => {
      const automationId = await aDateAutomation({ timeOfDay: '10:30', timezone: 'Europe/Berlin' })
      const contactId = await dated('1990-07-04')
      await sweepFrom(automationId, '2030-07-04T07:00:00Z', '2030-07-04T08:29:00Z')
      assert.deepEqual(await started(automationId), [])
      await sweep({ now: new Date('2030-07-04T08:30:00Z') })
      assert.deepEqual(await started(automationId), [contactId])
    })

    it('catches up three days, and no more', async () => {
      const automationId = await aDateAutomation({})
      await dated('1990-09-01')
      const second = await dated('1990-09-02')
      await sweepFrom(automationId, '2030-08-20T00:00:00Z', '2030-09-05T08:00:00Z')
      assert.deepEqual(await started(automationId), [second])
    })

    it('starts no date that was reached before the contact or its field was written', async () => {
      const automationId = await aDateAutomation({ repeat: 'ONCE', timezone: 'UTC', timeOfDay: '00:00' })
      const [day, other] = [new Date().toISOString().slice(0, 10), '2001-01-01']
      const born = (contactId: string) =>
        sql(em(), `update contacts set created_at = now() - interval '2 days' where id = $1::uuid`, [contactId])
      const change = (contactId: string, metadata: object) =>
        service.call('PATCH', `contacts/${contactId}`, { metadata })
      const known = await dated(day)
      await born(known)
      await change(known, { day, plan: '2030-01-01' })
      const changed = await dated(other)
      await born(changed)
      await change(changed, { day })
      const imported = { email: await addressOf(service, await dated(other)), metadata: { day } }
      await service.call('POST', 'contacts/bulk', { contacts: [imported] })
      await dated(day)
      await sweepFrom(automationId, new Date(Date.now() - 86_400_000).toISOString(), new Date().toISOString())
      assert.deepEqual(await started(automationId), [known])
    })

    it('uses 28 February in years without 29 February', async () => {
      const automationId = await aDateAutomation({})
      const contactId = await dated('2000-02-29')
      await sweepFrom(automationId, '2031-02-28T00:00:00Z', '2031-03-01T23:00:00Z')
      assert.deepEqual(await started(automationId), [contactId])
      await sweepFrom(automationId, '2032-02-28T00:00:00Z', '2032-02-28T23:00:00Z')
      assert.equal((await started(automationId)).length, 1)
      await sweepFrom(automationId, '2032-02-29T00:00:00Z', '2032-02-29T23:00:00Z')
      assert.equal((await started(automationId)).length, 2)
    })

    it('starts once, days before the date', async () => {
      const automationId = await aDateAutomation({ repeat: 'ONCE', offsetDays: -3 })
      const contactId = await dated('2030-11-02T23:30:00-05:00')
      await dated('2029-11-03')
      await sweepFrom(automationId, '2030-10-31T08:00:00Z', '2030-10-31T10:00:00Z')
      assert.deepEqual(await started(automationId), [contactId])
      await sweepFrom(automationId, '2031-10-31T08:00:00Z', '2031-10-31T10:00:00Z')
      assert.equal((await started(automationId)).length, 1)
    })

    it('starts in the right year if the time zone or the offset crosses New Year', async () => {
      const before = await aDateAutomation({ offsetDays: -3, timezone: 'UTC' })
      const newYear = await aDateAutomation({})
      const early = await dated('1990-01-02')
      const auckland = await dated('1985-01-01', { timezone: 'Pacific/Auckland' })
      const honolulu = await dated('1985-12-31', { timezone: 'Pacific/Honolulu' })
      // 9:00 on New Year in Auckland is the day before in UTC, and 9:00 on New Year's Eve in Honolulu is 19:00.
      await sweepFrom(newYear, '2030-12-31T00:00:00Z', '2030-12-31T19:30:00Z')
      assert.deepEqual(await started(newYear), [honolulu])
      await sweep({ now: new Date('2030-12-31T20:00:00Z') })
      assert.deepEqual(await started(newYear), [honolulu, auckland])
      await sweepFrom(before, '2030-12-30T08:00:00Z', '2030-12-30T09:00:00Z')
      assert.deepEqual(
        (await started(before)).filter((id) => id === early),
        [early],
      )
    })

    it('starts on each anniversary of the creation of a contact', async () => {
      const automationId = await aDateAutomation({ field: 'contact.createdAt', timezone: 'UTC', timeOfDay: '00:00' })
      const contactId = await aContact(service)
      await sql(em(), `update contacts set created_at = '2030-12-10T12:00:00Z' where id = $1::uuid`, [contactId])
      await sweepFrom(automationId, '2030-12-09T23:00:00Z', '2030-12-10T23:00:00Z')
      assert.deepEqual(await started(automationId), [])
      await sweepFrom(automationId, '2031-12-09T23:00:00Z', '2031-12-10T00:00:00Z')
      assert.deepEqual(await started(automationId), [contactId])
    })

    it('starts nothing while it is paused, and no past date after that', async () => {
      const automationId = await aDateAutomation({ timezone: 'UTC', timeOfDay: '00:00' })
      const patch = (status: string) => service.call('PATCH', `automations/${automationId}`, { status })
      await dated(new Date().toISOString().slice(0, 10))
      await patch('PAUSED')
      await sweepFrom(automationId, new Date(Date.now() - 86_400_000).toISOString(), new Date().toISOString())
      await patch('ACTIVE')
      await sweep()
      assert.deepEqual(await started(automationId), [])
    })
  })

  it('reject unknown keys and wrong values of triggerConfig', async () => {
    for (const [triggerConfig, message] of [
      [{ segmentID: 'x' }, /triggerConfig\.segmentID is unknown.*segmentId/],
      [{ segmentId: 'x' }, /segmentId must be the ID of a segment/],
      [{ offsetDay: 1 }, /offsetDay is unknown.*offsetDays/],
      [{ offsetDays: 367 }, /offsetDays must be an integer from -366 to 366/],
      [{ field: 'birthday' }, /field must be contact\.createdAt or contact\.metadata\.KEY/],
      [{ repeat: 'MONTHLY' }, /repeat must be one of: YEARLY, ONCE/],
      [{ timeOfDay: '24:00' }, /timeOfDay must be a time of day/],
      [{ timezone: 'Mars/Olympus' }, /timezone must be contact, or a time zone/],
    ] as const) {
      const answer = await service.call('POST', 'automations', { name: 'x', trigger: 'DATE', triggerConfig, steps: [] })
      assert.equal(answer.status, 400)
      assert.match(JSON.stringify(answer.body), message)
    }
  })
})

describe('a sweep for triggers', () => {
  // Without a worker, whose own sweeps would start the others.
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })
  const started = async (automationId: string) => {
    const text = 'select contact_id from trigger_events where $1::uuid = any(automation_ids)'
    const rows = await sql<{ contact_id: string }>(service.context.orm.em.fork(), text, [automationId])
    return rows.map((row) => row.contact_id).toSorted()
  }
  const sweep = (now = new Date()) => sweepTriggers({ em: service.context.orm.em }, { now })
  const contacts = async (fields: (n: number) => object, of = service) => {
    const ids = []
    for (let n = 0; n < 5; n += 1) ids.push(await aContact(of, fields(n)))
    return ids
  }

  it('starts several pages of contacts who entered a segment, and none who were in it or are of another workspace', async () => {
    const condition = { tag: 'paged' }
    const { body } = await service.call('POST', 'segments', { name: 'Paged', condition })
    await contacts(() => ({ tags: ['paged'] }))
    const trigger = { trigger: 'SEGMENT_ENTERED', triggerConfig: { segmentId: body.data.id } }
    const automationId = await anAutomation(service, { ...trigger, steps: STEPS })
    await contacts(() => ({ tags: ['paged'] }), await openWorkspace({ worker: false }))
    const entered = await contacts((n) => (n === 2 ? {} : { tags: ['paged'] }))
    await sweep()
    assert.deepEqual(await started(automationId), entered.toSpliced(2, 1).toSorted())
  })

  it('starts several pages of contacts whose date is reached, and none of another workspace', async () => {
    const trigger = { trigger: 'DATE', triggerConfig: { field: 'contact.metadata.day', timezone: 'UTC' } }
    const automationId = await anAutomation(service, { ...trigger, steps: STEPS })
    const dated = (n: number) => ({ metadata: { day: n === 2 ? '1990-05-05' : '1990-05-04' } })
    await contacts(dated, await openWorkspace({ worker: false }))
    const reached = await contacts(dated)
    await sql(service.context.orm.em.fork(), 'update automations set started_until = $2 where id = $1::uuid', [
      automationId,
      '2030-05-04T08:00:00Z',
    ])
    await sweep(new Date('2030-05-04T10:00:00Z'))
    assert.deepEqual(await started(automationId), reached.toSpliced(2, 1).toSorted())
  })
})
