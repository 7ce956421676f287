// cspell:ignore onyl payd placd plced Plaecd rder shiped strat stxxt
import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, anEvent, EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

interface Effects {
  matchingAutomations: number
  started: object[]
  continued: object[]
  ended: object[]
  alreadyEnrolled: object[]
  refused: object[]
}

describe('what an event did', () => {
  let service: Service
  let other: Service
  before(async () => {
    service = await openWorkspace()
    other = await openWorkspace({ worker: false })
  })

  /** An automation that waits for an event after `name` starts it. */
  const waiting = (name: string, awaited: string, fields: object = {}) =>
    anAutomation(service, {
      name,
      triggerConfig: { eventName: name },
      steps: [
        { type: 'WAIT_FOR_EVENT', eventName: awaited, timeoutMinutes: 60 },
        { type: 'WAIT', delayMinutes: 60 },
        EMAIL,
      ],
      ...fields,
    })
  const waits = (contactId: string, automationId: string) =>
    eventually('the step waits', async () => {
      const rows = await sql(
        service.context.orm.em.fork(),
        'select from step_runs where contact_id = $1::uuid and automation_id = $2::uuid and finished_at is null',
        [contactId, automationId],
      )
      return rows.length > 0 || undefined
    })
  const fire = async (contactId: string, name: string, data?: object) => {
    const { status, body } = await anEvent(service, contactId, name, data)
    assert.equal(status, 202)
    const { matchingAutomations, started, continued, ended, alreadyEnrolled, refused } = body.data as Effects
    return { matchingAutomations, started, continued, ended, alreadyEnrolled, refused }
  }

  it('is in the response and in the history, by automation', async () => {
    const contactId = await aContact(service)
    const project = await waiting('project', 'project created')
    const trial = await waiting('trial', 'never', {
      exitOn: [{ eventName: 'project created' }],
      goal: { eventName: 'subscribed' },
    })
    await fire(contactId, 'project')
    await fire(contactId, 'trial')
    await waits(contactId, project)
    await waits(contactId, trial)
    const starting = await anAutomation(service, {
      name: 'Tips',
      triggerConfig: { eventName: 'project created' },
      steps: [EMAIL],
    })
    const filtered = await anAutomation(service, {
      name: 'Large projects',
      triggerConfig: { eventName: 'project created' },
      entry: { filter: { eventData: 'size', is: 'more', value: 10 } },
      steps: [EMAIL],
    })
    const effects = await fire(contactId, 'Project created', { size: 3 })
    assert.deepEqual(effects, {
      matchingAutomations: 2,
      started: [{ automationId: starting, name: 'Tips' }],
      continued: [{ automationId: project, name: 'project' }],
      ended: [{ automationId: trial, name: 'trial', status: 'EXITED' }],
      alreadyEnrolled: [],
      refused: [{ automationId: filtered, name: 'Large projects', rule: 'FILTER' }],
    })
    const { body } = await service.call('GET', `contacts/${contactId}/events?name=project%20created`)
    assert.partialDeepStrictEqual(body.data, [effects])
    assert.partialDeepStrictEqual((await service.call('GET', 'events?name=project%20created')).body.data, [effects])
  })

  it('is that of the first one if two that continue a step come at once', async () => {
    const contactId = await aContact(service)
    const automationId = await waiting('at once', 'answered')
    await fire(contactId, 'at once')
    await waits(contactId, automationId)
    const both = await Promise.all([fire(contactId, 'answered'), fire(contactId, 'answered')])
    assert.deepEqual(both.map(({ continued }) => continued.length).toSorted(), [0, 1])
  })

  it('is that of the first one if two that end an enrollment come at once', async () => {
    const contactId = await aContact(service)
    const automationId = await waiting('goal', 'never', { goal: { eventName: 'paid' } })
    await fire(contactId, 'goal')
    await waits(contactId, automationId)
    const both = await Promise.all([fire(contactId, 'paid'), fire(contactId, 'paid')])
    assert.deepEqual(
      both.map(({ ended }) => ended).toSorted((a, b) => a.length - b.length),
      [[], [{ automationId, name: 'goal', status: 'GOAL_REACHED' }]],
    )
  })

  it('is recorded later if the enrollment that it ends is only being recorded', async () => {
    const contactId = await aContact(service)
    const automationId = await waiting('early', 'never', { exitOn: [{ eventName: 'early stop' }] })
    await Promise.all([fire(contactId, 'early'), fire(contactId, 'early stop')])
    await fire(contactId, 'early stop')
    // Which of the two events ended it depends on their order.
    await eventually('it has ended', async () => {
      const { body } = await service.call('GET', `contacts/${contactId}/events?name=early%20stop`)
      const ended = (body.data as Effects[]).flatMap((event) => event.ended)
      return JSON.stringify(ended) === JSON.stringify([{ automationId, name: 'early', status: 'EXITED' }]) || undefined
    })
  })

  it('names no automation that was deleted', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { triggerConfig: { eventName: 'gone' }, steps: [EMAIL] })
    await fire(contactId, 'gone')
    await service.call('DELETE', `automations/${automationId}`)
    const { body } = await service.call('GET', `contacts/${contactId}/events`)
    assert.deepEqual(body.data[0].started, [{ automationId, name: null }])
  })

  it('is nothing, with a warning if the name is similar to one that is used', async () => {
    // The names that are used are remembered for half a minute.
    service = await openWorkspace()
    await waiting('order.placed', 'order.shipped', { exitOn: [{ eventName: 'order.cancelled' }] })
    const condition = { event: 'newsletter.opened', atLeast: 1 }
    await service.call('POST', 'segments', { name: 'Readers', condition })
    await waiting('step 1', 'start')
    await anAutomation(other, { triggerConfig: { eventName: 'theirs.only' }, steps: [EMAIL] })
    const contactId = await aContact(service)
    const warned = (name: string, similar: string) =>
      `/name: nothing uses the event "${name}"; did you mean "${similar}"?`
    const rows: Record<string, [name: string, warning: string | null]> = {
      'one character of the trigger': ['order.plced', warned('order.plced', 'order.placed')],
      'two characters': ['order-place', warned('order-place', 'order.placed')],
      'three characters': ['orders_placd', null],
      'another case': ['Order.Plaecd', warned('Order.Plaecd', 'order.placed')],
      'the event of a step': ['order.shiped', warned('order.shiped', 'order.shipped')],
      'the event of an exit rule': ['order.canceled', warned('order.canceled', 'order.cancelled')],
      'the event of a segment': ['newsletter', null],
      'almost the event of a segment': ['newsletters.opened', warned('newsletters.opened', 'newsletter.opened')],
      'swapped letters of a short name': ['strat', warned('strat', 'start')],
      'two letters of a short name': ['stxxt', null],
      'a used one': ['order.cancelled', null],
      'another number': ['step 2', null],
      'of another workspace': ['theirs.onyl', null],
      'not ASCII': ['örder.placed', warned('?rder.placed', 'order.placed')],
    }
    await checkRows(rows, async ([name, warning]) => {
      const { body, headers } = await anEvent(service, contactId, name)
      assert.equal(headers.get('x-warning'), warning)
      assert.equal(body.data.matchingAutomations, 0)
    })
    const bulk = [
      { contactId, name: 'order.plced' },
      { contactId, name: 'order.plced' },
      { contactId, name: 'fine' },
    ]
    const { headers } = await service.call('POST', 'events/bulk', { events: bulk })
    assert.equal(headers.get('x-warning'), `/events/0${warned('order.plced', 'order.placed')}`)
  })

  it('is removed with a name that was sent by mistake', async () => {
    const [contactId, theirs] = [await aContact(service), await aContact(other)]
    for (const name of ['invoice.payd', 'Invoice.Payd', 'invoice.paid']) await fire(contactId, name)
    await anEvent(other, theirs, 'invoice.payd')
    await waiting('invoice.paid', 'invoice.refunded')
    const names = async () =>
      new Map(
        ((await service.call('GET', 'events/names?limit=100')).body.data as { name: string; similarTo: string }[]).map(
          ({ name, similarTo }) => [name, similarTo],
        ),
      )
    assert.equal((await names()).get('Invoice.Payd'), 'invoice.paid')
    assert.equal((await names()).get('invoice.paid'), null)
    const remove = (name: string) => service.call('DELETE', `events/names/${name}`)
    const used = await remove('invoice.paid')
    assert.deepEqual(
      [used.refused, used.body.error],
      ['409 event_name_in_use', 'The event is used by the automation "invoice.paid". Change that first'],
    )
    assert.deepEqual((await remove('INVOICE.payd')).body.data, { name: 'INVOICE.payd', deleted: true })
    assert.equal((await names()).has('Invoice.Payd'), false)
    assert.equal((await remove('invoice.payd')).refused, '404 event_name_not_found')
    const { body } = await service.call('GET', `contacts/${contactId}/events`)
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      ['invoice.paid'],
    )
    assert.equal((await other.call('GET', `contacts/${theirs}/events`)).body.data.length, 1)
  })
})
