import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { setFields } from '../../src/contacts/write-queries.ts'
import { leaveByConditions } from '../../src/enrollments/leave-sweep.ts'
import { receiveFeedback } from '../../src/bounces/feedback.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { EVENT_TYPES } from '../../src/webhooks/event-types.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'
import type { Service } from '../support/service.ts'
import { aWebhook, eventsOf, recorded } from '../support/webhook-events.ts'
import { PUBLIC_URL, useServiceAndSink } from '../support/shared-service.ts'

const ONE_CLICK = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }

describe('the events of webhooks', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  before(() => aWebhook(service))

  const em = () => service.context.orm.em.fork()
  const typesOf = async (contactId: string) => (await eventsOf(service, { contactId })).map(({ type }) => type)
  const ofType = async (type: string, id: string) =>
    eventually(`${type} of ${id}`, async () =>
      (await eventsOf(service)).find((event) => event.type === type && event.data['id'] === id),
    )
  const mailTo = (address: string) =>
    eventually(`an email to ${address}`, () => sink.mails.find(({ to }) => to[0] === address))
  /** Returns the link in the header of the email to a contact. */
  async function unsubscribeLink(contactId: string): Promise<string> {
    const { headers } = readMail(await mailTo(await addressOf(service, contactId)))
    const [, url] = /^<([^<>]+)>$/.exec(headers['list-unsubscribe'] ?? '')!
    return url!.replace(PUBLIC_URL, `http://127.0.0.1:${service.port}`)
  }

  it('record an update by a transaction that began before the contact was created', async () => {
    const [begun, created] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
    const updating = em().transactional(async (unit) => {
      await sql(unit, 'select now()')
      begun.resolve()
      await setFields(unit, await created.promise, { firstName: 'Grace' })
    })
    await begun.promise
    const id = await aContact(service)
    created.resolve(id)
    await updating
    assert.deepEqual(
      (await eventsOf(service, { contactId: id })).map(({ type, data }) => [type, data['firstName']]),
      [
        ['contact.created', null],
        ['contact.updated', 'Grace'],
      ],
    )
  })

  it('record a created and an updated contact', async () => {
    const id = await aContact(service, {
      externalId: 'e-1',
      firstName: 'Ada',
      tags: ['vip'],
      metadata: { plan: 'pro' },
    })
    const email = await addressOf(service, id)
    const data = { id, email, externalId: 'e-1', firstName: 'Ada' }
    const [created, ...others] = await eventsOf(service, { contactId: id })
    assert.deepEqual([created!.type, created!.data, others], ['contact.created', data, []])
    await service.call('PATCH', `contacts/${id}`, { firstName: 'Grace', metadata: { plan: 'free' } })
    await service.call('PATCH', `contacts/${id}`, { firstName: 'Grace' })
    await service.call('POST', `contacts/${id}/tags`, { tags: ['new'] })
    await service.call('DELETE', `contacts/${id}/tags/new`)
    assert.deepEqual(
      (await eventsOf(service, { contactId: id })).slice(1).map(({ type, data }) => [type, data['changed']]),
      [
        ['contact.updated', ['firstName', 'metadata']],
        ['contact.updated', ['tags']],
        ['contact.updated', ['tags']],
      ],
    )
  })

  it('record the contacts of a bulk request', async () => {
    const contacts = [1, 2, 3].map((n) => ({ email: `bulk-${n}@example.com` }))
    await service.call('POST', 'contacts/bulk', { contacts })
    await service.call('POST', 'contacts/bulk', {
      contacts: [...contacts.map((one) => ({ ...one, firstName: 'Ada' })), { email: 'bulk-4@example.com' }],
    })
    const events = (await eventsOf(service)).filter(({ data }) => String(data['email']).startsWith('bulk-'))
    const count = (type: string) => events.filter((event) => event.type === type).length
    assert.deepEqual([count('contact.created'), count('contact.updated')], [4, 3])
  })

  it('record an erased contact by ID only, and no longer have its other events', async () => {
    const id = await aContact(service, { tags: ['gone'], firstName: 'Personal' })
    const listId = await aList(service)
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    await service.call('DELETE', `contacts/${id}`)
    assert.deepEqual(await eventsOf(service, { contactId: id }), [])
    const left = (await eventsOf(service)).filter(({ data }) => JSON.stringify(data).includes(id))
    assert.deepEqual(
      left.map(({ type, data }) => [type, data]),
      [['contact.deleted', { id }]],
    )
  })

  it('record an opt-out from all marketing email, and its end', async () => {
    const id = await aContact(service)
    const email = await addressOf(service, id)
    const { body } = await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    await service.call('POST', 'suppressions', { email, reason: 'MANUAL' })
    await service.call('DELETE', `suppressions/${body.data.id as string}`)
    const events = (await eventsOf(service, { contactId: id })).slice(1)
    assert.deepEqual(
      events.map(({ type, data }) => [type, data['listId'], data['email']]),
      [
        ['contact.unsubscribed', null, email],
        ['contact.resubscribed', null, email],
      ],
    )
  })

  it('record a campaign with its emails, and an opt-out from its list', async () => {
    const listId = await aList(service)
    const id = await aContact(service)
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    const campaign = await service.call('POST', 'campaigns', {
      name: 'News',
      subject: 'News',
      text: 'Hello',
      audience: { listIds: [listId] },
    })
    const campaignId = campaign.body.data.id as string
    await service.call('POST', `campaigns/${campaignId}/schedule`, { at: '2999-01-01T00:00:00Z' })
    await service.call('POST', `campaigns/${campaignId}/pause`, {})
    assert.equal((await ofType('campaign.paused', campaignId)).data['status'], 'PAUSED')
    await service.call('POST', `campaigns/${campaignId}/cancel`, {})
    await service.call('POST', `campaigns/${campaignId}/schedule`, {})
    const started = await ofType('campaign.started', campaignId)
    assert.deepEqual([started.data['name'], started.data['status']], ['News', 'SENDING'])
    assert.equal((await ofType('campaign.finished', campaignId)).data['status'], 'SENT')
    const sent = await recorded(service, id, 'message.sent')
    assert.deepEqual(
      [sent.data['campaignId'], sent.data['to'], sent.data['status'], sent.data['automationId']],
      [campaignId, await addressOf(service, id), 'SENT', null],
    )
    await fetch(await unsubscribeLink(id), ONE_CLICK)
    assert.equal((await recorded(service, id, 'contact.unsubscribed')).data['listId'], null)
    assert.deepEqual(await typesOf(id), ['contact.created', 'list.joined', 'message.sent', 'contact.unsubscribed'])
  })

  it('record an opt-out from a list, and its end', async () => {
    const [listId, id] = [await aList(service), await aContact(service)]
    await service.call('PATCH', `lists/${listId}`, { public: true })
    await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId } })
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    await recorded(service, id, 'enrollment.completed')
    await fetch(await unsubscribeLink(id), { method: 'POST', body: new URLSearchParams({ choice: 'lists' }) })
    assert.equal((await recorded(service, id, 'contact.unsubscribed')).data['listId'], listId)
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id, resubscribe: true })
    assert.equal((await recorded(service, id, 'contact.resubscribed')).data['listId'], listId)
    assert.deepEqual((await typesOf(id)).slice(4, 7), ['enrollment.completed', 'list.left', 'contact.unsubscribed'])
  })

  it('record who joins and leaves a list', async () => {
    const [listId, id] = [await aList(service), await aContact(service)]
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    await service.call('DELETE', `lists/${listId}/contacts/${id}`)
    const events = (await eventsOf(service, { contactId: id })).slice(1)
    assert.deepEqual(
      events.map(({ type, data }) => [type, data['listId'], data['contactId']]),
      [
        ['list.joined', listId, id],
        ['list.left', listId, id],
      ],
    )
  })

  it('record an enrollment that completes, with its email', async () => {
    const id = await aContact(service, { externalId: 'e-2' })
    const automationId = await anAutomation(service)
    await enroll(service, automationId, id)
    const { data } = await recorded(service, id, 'enrollment.completed')
    assert.deepEqual([data['automationId'], data['externalId'], data['status']], [automationId, 'e-2', 'COMPLETED'])
    const sent = await recorded(service, id, 'message.sent')
    assert.deepEqual(
      [sent.data['subject'], sent.data['automationId'], sent.data['enrollmentId']],
      ['Hello', automationId, data['id']],
    )
    assert.deepEqual(await typesOf(id), [
      'contact.created',
      'enrollment.started',
      'message.sent',
      'enrollment.completed',
    ])
  })

  it('record how enrollments end early', async () => {
    const rules = {
      steps: [wait(60)],
      exitOn: [{ condition: { metadata: 'state', is: 'equal', value: 'gone' } }],
      goal: { eventName: 'bought' },
    }
    const automationId = await anAutomation(service, rules)
    const [exits, reaches, cancelled] = await Promise.all([1, 2, 3].map(() => aContact(service)))
    for (const id of [exits!, reaches!, cancelled!]) {
      await enroll(service, automationId, id)
      await recorded(service, id, 'enrollment.started')
    }
    await service.call('PATCH', `contacts/${exits!}`, { metadata: { state: 'gone' } })
    await leaveByConditions({ em: em() })
    assert.ok((await recorded(service, exits!, 'enrollment.exited')).data['rule'])
    await anEvent(service, reaches!, 'bought')
    await recorded(service, reaches!, 'enrollment.goal_reached')
    await service.call('DELETE', `automations/${automationId}/enrollments/${cancelled!}`)
    await recorded(service, cancelled!, 'enrollment.cancelled')
  })

  it('record an email that is rejected, and that its enrollment stops', async () => {
    // Not because of the recipient: the suppression of a bounce could end the enrollment first.
    sink.behave({ code: 550, text: '5.7.1 Not authorized', at: 'rcpt' })
    const id = await aContact(service)
    await enroll(service, await anAutomation(service, { onSendFailure: 'STOP' }), id)
    const failed = await recorded(service, id, 'message.failed')
    assert.match(String(failed.data['reason']), /5\.7\.1/)
    assert.equal((await recorded(service, id, 'enrollment.exited')).data['status'], 'STOPPED')
  })

  it('record an email that is deferred', async () => {
    sink.behave({ code: 451, text: '4.7.1 Later', at: 'rcpt' })
    const id = await aContact(service)
    await enroll(service, await anAutomation(service), id)
    assert.match(String((await recorded(service, id, 'message.deferred')).data['reason']), /4\.7\.1/)
  })

  it('record an email of which it is unknown whether it was sent', async () => {
    sink.behave('cut')
    const id = await aContact(service)
    await enroll(service, await anAutomation(service), id)
    await recorded(service, id, 'message.unconfirmed')
  })

  it('record a suppressed email', async () => {
    const id = await aContact(service)
    await service.call('POST', 'suppressions', { email: await addressOf(service, id), reason: 'UNSUBSCRIBED' })
    const receipt = { ...EMAIL, category: 'transactional' }
    await enroll(service, await anAutomation(service, { steps: [EMAIL, receipt] }), id)
    assert.ok((await recorded(service, id, 'message.suppressed')).data['reason'])
  })

  const NO_DETAILS = { category: null, status: null, diagnostic: null, providerVerdict: null, returnPath: null }
  it('record bounces, complaints, opens and clicks', async () => {
    const id = await aContact(service)
    const to = await addressOf(service, id)
    await enroll(service, await anAutomation(service), id)
    const { data } = await recorded(service, id, 'message.sent')
    const secret = await readLinkSecret(em())
    const report = (kind: 'HARD' | 'COMPLAINT' | 'UNSUBSCRIBE', of: { category?: 'MAILBOX_NOT_FOUND' } = {}) =>
      receiveFeedback(service.context.dependencies, secret, service.workspaceId, 'postmark', [
        { ...NO_DETAILS, kind, recipient: to, messageId: null, id: kind, diagnostic: 'No mailbox', ...of },
      ])
    await report('HARD', { category: 'MAILBOX_NOT_FOUND' })
    const bounced = await recorded(service, id, 'message.bounced')
    const details = { bounce: 'HARD', category: 'MAILBOX_NOT_FOUND', reason: 'No mailbox', to }
    assert.partialDeepStrictEqual(bounced.data, { id: data['id'], ...details })
    await report('COMPLAINT')
    await report('UNSUBSCRIBE')
    assert.equal((await recorded(service, id, 'message.complained')).data['id'], data['id'])
    const bounces = (await typesOf(id)).filter((type) => type === 'message.bounced')
    assert.equal(bounces.length, 1)
    await sql(
      em(),
      `insert into message_visits (message_id, kind, url, links, at, visitor) values
         ($1::uuid, 'OPEN', '', 1, now() - interval '1 minute', 'UNDECIDED'),
         ($1::uuid, 'CLICK', 'https://shop.example/', 1, now() - interval '1 minute', 'UNDECIDED')`,
      [data['id']],
    )
    await recorded(service, id, 'message.opened')
    assert.equal((await recorded(service, id, 'message.clicked')).data['url'], 'https://shop.example/')
  })

  it('record a delivery that a provider reports, once', async () => {
    const { body } = await service.call('POST', 'emails', {
      to: 'arrived@example.com',
      subject: 'Receipt',
      text: 'Paid',
    })
    const id = body.data.id as string
    await ofType('message.sent', id)
    const email = async () =>
      (await service.call('GET', `emails/${id}`)).body.data as unknown as {
        status: string
        messageId: string
        events: { type: string }[]
      }
    const { messageId } = await email()
    const report = async (event: string) =>
      receiveFeedback(service.context.dependencies, await readLinkSecret(em()), service.workspaceId, 'ses', [
        { ...NO_DETAILS, kind: 'DELIVERED', recipient: 'arrived@example.com', messageId, id: event },
      ])
    assert.deepEqual(await report('first'), ['recorded'])
    assert.deepEqual(await report('second'), ['known'])
    const { data } = await ofType('message.delivered', id)
    assert.deepEqual([data['to'], data['status'], data['reason']], ['arrived@example.com', 'SENT', null])
    const delivered = (await eventsOf(service)).filter(({ type }) => type === 'message.delivered')
    assert.equal(delivered.length, 1)
    const { events, status } = await email()
    assert.deepEqual([status, ...events.map(({ type }) => type)], ['SENT', 'accepted', 'sent', 'delivered'])
    const listed = (await service.call('GET', 'messages')).body.data as unknown as { id: string; deliveredAt: string }[]
    assert.ok(listed.find((message) => message.id === id)?.deliveredAt)
  })

  it('record a transactional email to an address without a contact', async () => {
    const { body } = await service.call('POST', 'emails', {
      to: 'nobody@example.com',
      subject: 'Receipt',
      text: 'Paid',
    })
    const { data, contactId } = await ofType('message.sent', body.data.id as string)
    assert.deepEqual([data['to'], data['subject'], data['contactId']], ['nobody@example.com', 'Receipt', null])
    assert.ok(contactId)
  })

  it('record a finished import', async () => {
    const text = 'email\nimported-1@example.com\nimported-2@example.com\nwrong\n'
    const { body } = await service.call('POST', 'imports', { name: 'x.csv', text, consent: 'SUBSCRIBED', start: true })
    const id = body.data.id as string
    const { data } = await ofType('import.finished', id)
    assert.deepEqual([data['status'], data['created'], data['failed']], ['DONE', 2, 1])
  })

  it('are not recorded for a workspace without an enabled webhook of the type', async () => {
    const { id: workspaceId } = await createWorkspace(service.context.orm.em, { name: 'Quiet', mode: 'test' })
    const key = await service.newKey({ workspaceId })
    const create = (email: string) => service.call('POST', 'contacts', { email }, { key })
    await create('none@example.com')
    const { id } = await aWebhook(service, { events: ['contact.deleted'] }, { key })
    await create('other@example.com')
    await service.call('PATCH', `webhooks/${id}`, { events: ['contact.created'] }, { key })
    await create('wanted@example.com')
    await service.call('PATCH', `webhooks/${id}`, { status: 'DISABLED' }, { key })
    await create('disabled@example.com')
    assert.deepEqual(
      (await eventsOf(service, { workspaceId })).map(({ data }) => data['email']),
      ['wanted@example.com'],
    )
  })

  it('are delivered to each webhook of the type that has a URL', async () => {
    const { id: workspaceId } = await createWorkspace(service.context.orm.em, { name: 'Two', mode: 'test' })
    const key = await service.newKey({ workspaceId })
    // No worker sends to this port.
    const url = 'http://127.0.0.1:9/'
    const all = await aWebhook(service, { url }, { key })
    const some = await aWebhook(service, { url, events: ['contact.updated'] }, { key })
    await aWebhook(service, { url: null }, { key })
    await service.call('POST', 'contacts', { email: 'a@example.com' }, { key })
    await service.call('POST', 'contacts', { email: 'a@example.com', firstName: 'Ada' }, { key })
    const rows = await sql<{ endpoint_id: string; type: string }>(
      em(),
      `select delivery.endpoint_id, type from webhook_deliveries delivery join webhook_events on position = event_position
       where workspace_id = $1::uuid order by position`,
      [workspaceId],
    )
    const typesTo = (id: string) => rows.filter(({ endpoint_id }) => endpoint_id === id).map(({ type }) => type)
    assert.deepEqual(typesTo(all.id), ['contact.created', 'contact.updated'])
    assert.deepEqual(typesTo(some.id), ['contact.updated'])
    assert.equal(rows.length, 3)
  })

  it('each have a test in this file', () => {
    const source = readFileSync(new URL(import.meta.url), 'utf8')
    assert.deepEqual(
      EVENT_TYPES.filter((type) => !source.includes(`'${type}'`)),
      [],
    )
  })
})
