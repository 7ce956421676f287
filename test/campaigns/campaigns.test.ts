import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { queuePage } from '../../src/campaigns/recipients.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { anAttempt, prepareRecipients, prepareRetry } from '../support/campaign-claims.ts'
import { aCampaign, campaignIs, readCampaign, type CampaignRead } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { activityOf, addressOf, aContact, aList } from '../support/factories.ts'
import { lockWith } from '../support/locks.ts'
import { assertCountersMatch, recount } from '../support/stats.ts'
import { readMail } from '../support/read-mail.ts'
import { REAL_PAGE_SIZES, withPageSizes } from '../support/page-sizes.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const CONTENT = { subject: 'News for {{ contact.firstName | default: "you" }}', html: '<p>Hello</p>' }

const SENDING = `update campaigns set status = 'SENDING', started_at = now(), last_place = 1000000000 where id = $1`

describe('campaigns', () => {
  let service: Service
  let sink: SmtpSink
  let gate: Promise<void> | undefined
  useServiceAndSink((started) => ({ service, sink } = started), { onMail: () => gate })
  afterEach(() => (gate = undefined))

  const em = () => service.context.orm.em.fork()
  let count = 0
  const create = async (fields: object): Promise<string> => {
    const { status, body } = await service.call('POST', 'campaigns', {
      name: `Campaign ${(count += 1)}`,
      ...CONTENT,
      ...fields,
    })
    assert.equal(status, 201, JSON.stringify(body))
    return body.data.id as string
  }
  const schedule = (id: string, body: object = {}) => service.call('POST', `campaigns/${id}/schedule`, body)
  const read = (id: string) => readCampaign(service, id)
  const becomes = (id: string, status: string) => campaignIs(service, id, status)
  /** Runs the workflow of a campaign, which would wait until the next recipient is due. */
  const wake = (id: string) => service.context.dependencies.enrollments.campaign(service.workspaceId, id)
  const counts = (id: string, status: string, count: number) =>
    eventually(`${count} are ${status}`, async () => (await read(id)).stats[status] === count || undefined)
  const put = (list: string, contactIds: string[]) => service.call('POST', `lists/${list}/contacts`, { contactIds })
  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to[0] === address)
  const oneIsMailed = (addresses: string[]) =>
    eventually('one is mailed', () => addresses.some((address) => mailsTo(address).length > 0) || undefined)
  /** Creates a list with this many contacts. */
  async function createRecipients(n: number, fields: object = {}) {
    const list = await aList(service)
    const contacts = await Promise.all(Array.from({ length: n }, () => aContact(service, fields)))
    await put(list, contacts)
    const addresses = await Promise.all(contacts.map((id) => addressOf(service, id)))
    return { list, contacts, addresses }
  }

  it('mail each contact of their lists and segments once, record that, and mail no contact of the excluded ones', async () => {
    const { list, contacts, addresses } = await createRecipients(3)
    const other = await createRecipients(2, { tags: ['of-the-segment'] })
    const both = await aContact(service, { tags: ['of-the-segment'] })
    await put(list, [both])
    const out = await aContact(service)
    const excluded = await aList(service)
    await put(list, [out])
    await put(excluded, [out])
    const segment = await service.call('POST', 'segments', { name: 'Tagged', condition: { tag: 'of-the-segment' } })
    const audience = { listIds: [list], segmentIds: [segment.body.data.id], exclude: { listIds: [excluded] } }
    const counted = await service.call('POST', 'campaigns/count', { audience })
    assert.equal(counted.body.data.contactCount, 6)
    const id = await create({ audience })
    assert.equal((await schedule(id)).status, 202)
    const { stats } = await becomes(id, 'SENT')
    assert.deepEqual([stats['recipients']!, stats['sent']!, stats['erased']!], [6, 6, 0])
    const all = [...addresses, ...other.addresses, await addressOf(service, both)]
    for (const address of all) assert.equal(mailsTo(address).length, 1)
    assert.equal(mailsTo(await addressOf(service, out)).length, 0)
    const { headers } = readMail(mailsTo(addresses[0]!)[0]!)
    assert.equal(headers['subject'], 'News for you')
    // Without a bounce domain, nothing would receive a mailto.
    assert.match(headers['list-unsubscribe']!, /^<https:\/\/mail\.example\.com\/unsubscribe\/[\w-]+>$/)
    assert.equal(headers['list-id'], `<${list}.mail.example.com>`)
    assert.equal(headers['feedback-id'], `${id}:${service.workspaceId}:campaign:dripline`)
    const [message] = (await activityOf(service, contacts[0]!)) as unknown as Record<string, unknown>[]
    assert.partialDeepStrictEqual(message, { campaignId: id, automationId: null, status: 'SENT' })
    assert.equal((await service.call('GET', `messages?campaignId=${id}`)).body.data.length, 6)
    await assertCountersMatch(service.context.orm.em, service.workspaceId)
  })

  it('count who would get them, and others of the audience by the first reason why not', async () => {
    const { list, addresses } = await createRecipients(5)
    const suppress = (email: string, reason: string) => service.call('POST', 'suppressions', { email, reason })
    await suppress(addresses[0]!, 'UNSUBSCRIBED')
    await suppress(addresses[1]!, 'UNSUBSCRIBED')
    await suppress(addresses[1]!, 'BOUNCED')
    await suppress(addresses[2]!.toUpperCase(), 'UNSUBSCRIBED')
    // Neither is in the audience.
    await suppress(await addressOf(service, await aContact(service)), 'MANUAL')
    await suppress('without-a-contact@example.com', 'MANUAL')
    const unconfirmed = await aContact(service, { tags: ['unconfirmed'] })
    await sql(em(), 'update contacts set unconfirmed = true where id = $1::uuid', [unconfirmed])
    const segment = await service.call('POST', 'segments', { name: newId(), condition: { tag: 'unconfirmed' } })
    const audience = { listIds: [list], segmentIds: [segment.body.data.id] }
    const count = async (category?: string) =>
      (await service.call('POST', 'campaigns/count', { audience, category })).body.data as object
    assert.deepEqual(await count(), {
      contactCount: 2,
      suppressed: [
        { reason: 'UNSUBSCRIBED', count: 2 },
        { reason: 'BOUNCED', count: 1 },
        { reason: 'UNCONFIRMED', count: 1 },
      ],
    })
    assert.deepEqual(await count('transactional'), { contactCount: 5, suppressed: [{ reason: 'BOUNCED', count: 1 }] })
  })

  it('warn about a variable that no contact has', async () => {
    const { headers } = await service.call('POST', 'campaigns', {
      name: 'x',
      subject: 'x',
      text: '{{ contact.firstNam }}',
    })
    assert.match(headers.get('x-warning') ?? '', /contact\.firstNam .* not a known variable.*contact\.firstName/)
  })

  it('pause where they are, and continue with the recipients who got no email', async () => {
    const { list, addresses } = await createRecipients(40)
    const held = Promise.withResolvers<void>()
    gate = held.promise
    const id = await aCampaign(service, [list])
    await oneIsMailed(addresses)
    const paused = service.call('POST', `campaigns/${id}/pause`)
    await becomes(id, 'PAUSED')
    held.resolve()
    gate = undefined
    assert.equal((await paused).body.data.status, 'PAUSED')
    const mailed = () => addresses.filter((address) => mailsTo(address).length > 0).length
    const before = mailed()
    assert.ok(before < 40, `${before} were mailed`)
    // Another run of the campaign sends nothing, while another campaign is sent.
    await wake(id)
    await becomes(await aCampaign(service, [(await createRecipients(1)).list]), 'SENT')
    assert.equal(mailed(), before)
    assert.equal((await service.call('POST', `campaigns/${id}/resume`)).body.data.status, 'SENDING')
    const { stats } = await becomes(id, 'SENT')
    assert.equal(stats['sent']!, 40)
    for (const address of addresses) assert.equal(mailsTo(address).length, 1)
  })

  it('are cancelled: recipients without an email are DISMISSED, and the report adds up', async () => {
    const { list, addresses } = await createRecipients(30)
    const id = await aCampaign(service, [list], { throttlePerHour: 3_600 })
    await oneIsMailed(addresses)
    await service.call('POST', `campaigns/${id}/cancel`)
    const { stats } = await eventually('it is final', async () => {
      const campaign = await read(id)
      return campaign.stats['queued']! + campaign.stats['sending']! === 0 ? campaign : undefined
    })
    assert.equal(stats['recipients']!, 30)
    assert.equal(stats['sent']! + stats['dismissed']!, 30)
    assert.ok(stats['dismissed']! > 0 && stats['sent']! > 0)
    const { data: report } = (await service.call('GET', `campaigns/${id}/report`)).body
    assert.deepEqual(report.reasons, [
      { status: 'DISMISSED', reason: 'The campaign was cancelled before it could be sent', count: stats['dismissed']! },
    ])
    const verify = async (given: object) =>
      (await service.call('POST', 'campaigns/verify-report', given)).body.data.isValid as boolean
    assert.equal(await verify(report), true)
    assert.equal(await verify({ ...report, stats: { ...stats, sent: stats['sent']! + 1 } }), false)
  })

  it('mail the contacts who were in their lists at the start, no matter what is changed or deleted later', async () => {
    const { list, contacts, addresses } = await createRecipients(3)
    const excluded = await aList(service)
    await put(excluded, [contacts[0]!])
    const id = await create({ audience: { listIds: [list], exclude: { listIds: [excluded] } }, throttlePerHour: 720 })
    const segment = await service.call('POST', 'segments', {
      name: 'None',
      condition: { metadata: 'plan', is: 'equal', value: 'none' },
    })
    const later = await create({
      audience: { listIds: [list], exclude: { listIds: [excluded], segmentIds: [segment.body.data.id] } },
    })
    const at = new Date(Date.now() + 3_600_000).toISOString()
    await schedule(later, { at })
    assert.equal((await service.call('DELETE', `lists/${excluded}`)).refused, '409 list_in_use')
    assert.equal((await service.call('DELETE', `segments/${segment.body.data.id}`)).refused, '409 segment_in_use')
    await service.call('POST', `campaigns/${later}/cancel`)
    await schedule(id)
    await oneIsMailed(addresses)
    assert.equal((await service.call('DELETE', `lists/${excluded}`)).status, 200)
    // Leaving the list still takes effect until the last email.
    assert.equal((await service.call('DELETE', `lists/${list}`)).refused, '409 list_in_use')
    await service.call('DELETE', `lists/${list}/contacts/${contacts[2]}`)
    await sql(em(), 'update campaigns set throttle_per_hour = null, next_at = null where id = $1', [id])
    await wake(id)
    const { stats } = await becomes(id, 'SENT')
    assert.deepEqual([stats['recipients']!, stats['sent']!], [2, 2])
    assert.equal(mailsTo(addresses[0]!).length, 0)
  })

  it('cannot be scheduled with an excluded list that is being deleted, which would mail its contacts', async () => {
    const [list, excluded] = [await aList(service), await aList(service)]
    const contactId = await aContact(service, { listId: list })
    await service.call('POST', `lists/${excluded}/contacts`, { contactId })
    const id = await create({ audience: { listIds: [list], exclude: { listIds: [excluded] } } })
    const other = await create({ audience: { listIds: [excluded] } })
    // The deletion waits in its first page.
    const release = await lockWith(em(), 'select from list_members where list_id = $1::uuid for update', [excluded])
    const deletion = service.call('DELETE', `lists/${excluded}`)
    const begun = 'select from lists where id = $1 and deleting_since is not null'
    await eventually('it has begun', async () => (await sql(em(), begun, [excluded]))[0])
    let isAnswered = false
    const scheduling = Promise.all([schedule(id), schedule(other)]).finally(() => (isAnswered = true))
    const waiting = `select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database() and query like '%from lists where%'`
    await eventually('it waits for the deletion, or is answered', async () =>
      isAnswered || (await sql(em(), waiting)).length > 0 ? true : undefined,
    )
    await release()
    assert.equal((await deletion).status, 200)
    for (const { refused } of await scheduling) assert.match(refused ?? '', /^(404 list_not_found|400 audience_empty)/)
    assert.equal((await activityOf(service, contactId)).length, 0)
  })

  it('pause if a part of their audience is deleted, and name it in the error of a resume', async () => {
    const { list, addresses } = await createRecipients(1)
    const excluded = await aList(service)
    const id = await create({ audience: { listIds: [list], exclude: { listIds: [excluded] } } })
    await schedule(id, { at: new Date(Date.now() + 3_600_000).toISOString() })
    await sql(em(), 'delete from lists where id = $1', [excluded])
    await sql(em(), 'update campaigns set scheduled_at = now() where id = $1', [id])
    await wake(id)
    await becomes(id, 'PAUSED')
    assert.equal((await service.call('POST', `campaigns/${id}/resume`)).refused, '404 list_not_found')
    assert.equal(mailsTo(addresses[0]!).length, 0)
  })

  it('finalize the messages of a dead process when they are cancelled, and can then be deleted', async () => {
    const { list } = await createRecipients(2)
    const id = await aCampaign(service, [list], { throttlePerHour: 360 })
    await counts(id, 'sent', 1)
    await service.call('POST', `campaigns/${id}/pause`)
    await sql(
      em(),
      `update messages set status = 'SENDING', lease_until = now() - interval '1 minute' where campaign_id = $1 and status = 'QUEUED'`,
      [id],
    )
    await recount(em())
    await service.call('POST', `campaigns/${id}/cancel`)
    await counts(id, 'unconfirmed', 1)
    assert.equal((await service.call('DELETE', `campaigns/${id}`)).status, 200)
  })

  it('mail the other recipients while many messages are deferred', async () => {
    const { list, addresses } = await createRecipients(1)
    sink.behave({ code: 452, text: 'mailbox full', at: 'rcpt', to: addresses[0]! })
    const id = await aCampaign(service, [list])
    await counts(id, 'deferred', 1)
    // Deferred messages do not keep further recipients from being queued.
    const more = await Promise.all(Array.from({ length: 3 }, () => aContact(service)))
    await put(list, more)
    await sql(em(), `update campaigns set materialized = false, last_place = 1000000000 where id = $1`, [id])
    await wake(id)
    await counts(id, 'sent', 3)
    sink.behave('accept')
    await sql(em(), 'update messages set due_at = now() where campaign_id = $1', [id])
    await wake(id)
    await becomes(id, 'SENT')
  })

  it('retry nothing after a pause or a cancellation, and cannot be deleted before all messages are final', async () => {
    const { list, addresses } = await createRecipients(2)
    sink.behave({ code: 550, text: 'no', at: 'rcpt' })
    const id = await aCampaign(service, [list], { throttlePerHour: 360 })
    await counts(id, 'failed', 1)
    await service.call('POST', `campaigns/${id}/pause`)
    sink.behave('accept')
    const [failed] = (await service.call('GET', `messages?campaignId=${id}&status=FAILED`)).body.data as {
      id: string
    }[]
    await service.call('POST', `messages/${failed!.id}/retry`)
    assert.equal(await prepareRetry(service, failed!.id), undefined)
    // The other message is in flight, so that the worker does not dismiss it.
    await sql(
      em(),
      `update messages set status = 'SENDING', lease_until = now() + interval '1 hour' where campaign_id = $1 and status <> 'FAILED'`,
      [id],
    )
    await recount(em())
    try {
      await sql(em(), `update campaigns set status = 'CANCELLED' where id = $1`, [id])
      assert.equal(await prepareRetry(service, failed!.id), undefined)
      assert.equal((await service.call('DELETE', `campaigns/${id}`)).refused, '409 campaign_status_wrong')
      assert.deepEqual(addresses.flatMap(mailsTo), [])
    } finally {
      // Later suites wait for emails in flight.
      await sql(em(), `update messages set lease_until = now() where campaign_id = $1 and status = 'SENDING'`, [id])
    }
  })

  it('report rejected messages without addresses, and retry them', async () => {
    const { list, addresses } = await createRecipients(3)
    sink.behave({ code: 550, text: `refused for ${addresses[0]!}`, at: 'rcpt', to: addresses[0]! })
    const id = await aCampaign(service, [list])
    const { stats } = await becomes(id, 'SENT')
    assert.deepEqual([stats['sent']!, stats['failed']!], [2, 1])
    // The scope for reports does not include contacts: addresses are removed from the responses of the server.
    const { reasons } = (await service.call('GET', `campaigns/${id}/report`)).body.data
    assert.deepEqual(reasons, [{ status: 'FAILED', reason: '550', count: 1 }])
    sink.behave('accept')
    const retried = await service.call('POST', 'messages/retry', { status: 'FAILED', campaignId: id })
    assert.equal(retried.body.data.retried, 1)
    await counts(id, 'sent', 3)
    for (const address of addresses) assert.equal(mailsTo(address).length, 1)
  })

  it('continue after a template error for one recipient, whose message is FAILED', async () => {
    const list = await aList(service)
    const good = await aContact(service, { metadata: { items: ['a'] } })
    const bad = await aContact(service, { metadata: { items: 'x'.repeat(60_000), n: 60_000 } })
    await put(list, [good, bad])
    const text = '{% for i in (1..contact.metadata.n) %}{{ contact.metadata.items }}{% endfor %}Hi'
    const id = await aCampaign(service, [list], { text })
    const { stats } = await becomes(id, 'SENT')
    assert.deepEqual([stats['sent']!, stats['failed']!], [1, 1])
  })

  it('wait for their time, and become a DRAFT again if they are cancelled before it', async () => {
    const { list, addresses } = await createRecipients(1)
    const id = await create({ audience: { listIds: [list] } })
    const scheduled = await schedule(id, { at: new Date(Date.now() + 3_600_000).toISOString() })
    assert.equal(scheduled.body.data.status, 'SCHEDULED')
    assert.equal((await service.call('PATCH', `campaigns/${id}`, { name: 'x' })).refused, '409 campaign_status_wrong')
    assert.equal((await service.call('DELETE', `campaigns/${id}`)).refused, '409 campaign_status_wrong')
    assert.equal((await service.call('POST', `campaigns/${id}/cancel`)).body.data.status, 'DRAFT')
    assert.equal((await service.call('PATCH', `campaigns/${id}`, { name: 'Changed' })).body.data.name, 'Changed')
    const at = new Date(Date.now() + 5_000).toISOString()
    assert.equal((await schedule(id, { at })).status, 202)
    const { startedAt } = await becomes(id, 'SENT')
    assert.ok(Date.parse(startedAt) >= Date.parse(at))
    assert.equal(mailsTo(addresses[0]!).length, 1)
    assert.equal((await service.call('DELETE', `campaigns/${id}`)).status, 200)
  })

  it('are duplicated as a DRAFT with their content, A/B test and audience, without their schedule and results', async () => {
    const { list, addresses } = await createRecipients(1)
    const template = await service.call('POST', 'templates', { name: newId(), subject: 'Of the template', text: 'Hi' })
    const audience = { listIds: [list], segmentIds: [], exclude: { listIds: [await aList(service)], segmentIds: [] } }
    const abTest = {
      variants: [{ subject: 'Another' }, { templateId: template.body.data.id }],
      ...{ testPercent: 100, winnerBy: 'CLICKED', afterMinutes: 5 },
    }
    const content = { previewText: 'Preview', category: 'transactional', throttlePerHour: 1_000_000 }
    const id = await create({ name: '🎉'.repeat(200), audience, abTest, ...content })
    await schedule(id)
    const { throttlePerHour, ...sent } = (await becomes(id, 'SENT')) as CampaignRead & Record<string, unknown>
    const duplicated = await service.call('POST', `campaigns/${id}/duplicate`)
    assert.equal(duplicated.status, 201)
    const copy = duplicated.body.data as typeof sent & { id: string; abTest: { variants: object[] } }
    assert.equal(copy['name'], `Copy of ${'🎉'.repeat(192)}`)
    for (const field of ['subject', 'html', 'text', 'previewText', 'format', 'category', 'audience'])
      assert.deepEqual(copy[field], sent[field], field)
    assert.equal(copy['throttlePerHour'], throttlePerHour)
    assert.deepEqual(
      [copy.status, copy.startedAt, copy['scheduledAt'], copy['finishedAt']],
      ['DRAFT', null, null, null],
    )
    assert.deepEqual([copy.stats['recipients'], copy.abTest.variants.length], [0, 3])
    assert.equal(duplicated.headers.get('etag'), '"1"')

    // The copy has its own content, and is sent like any other campaign.
    assert.equal((await service.call('DELETE', `campaigns/${id}`)).status, 200)
    assert.equal((await schedule(copy.id)).status, 202)
    await becomes(copy.id, 'SENT')
    assert.equal(mailsTo(addresses[0]!).length, 2)
  })

  it('are sent at a local time in the time zone of each contact', async () => {
    const list = await aList(service)
    // Names of time zones that are missing from the standard list.
    const others = ['Asia/Kolkata', 'asia/calcutta', 'Europe/Kyiv', 'Etc/UTC']
    // `Intl` accepts these abbreviations, which are ambiguous.
    const none = ['Nowhere/At_All', 'PST', 'ist']
    const zones = ['Pacific/Kiritimati', 'europe/berlin', 'America/New_York', ...none, ...others]
    const contacts = await Promise.all(zones.map((timezone) => aContact(service, { metadata: { timezone } })))
    await put(list, contacts)
    const id = await create({ audience: { listIds: [list] } })
    const localTime = '2030-03-31T02:30'
    assert.equal((await schedule(id, { localTime, fallbackTimeZone: 'Asia/Tokyo' })).status, 202)
    await service.call('POST', `campaigns/${id}/pause`)
    // Simulates that the first of them is due.
    await sql(em(), SENDING, [id])
    await wake(id)
    const query = `select contact_id, to_char(due_at at time zone 'UTC', 'DD HH24:MI') as due from messages where campaign_id = $1`
    const rows = await eventually('all are queued', async () => {
      const queued = await sql<{ contact_id: string; due: string }>(em(), query, [id])
      return queued.length === zones.length ? queued : undefined
    })
    assert.deepEqual(
      contacts.map((contact) => rows.find(({ contact_id }) => contact_id === contact)!.due),
      // Berlin's clocks skip that hour: the email is sent as much later.
      [
        '30 12:30',
        '31 01:30',
        '31 06:30',
        ...none.map(() => '30 17:30'),
        '30 21:00',
        '30 21:00',
        '31 00:30',
        '31 02:30',
      ],
    )
    await service.call('POST', `campaigns/${id}/cancel`)
  })

  it('keep their content when their template is deleted', async () => {
    const { list } = await createRecipients(1)
    const template = {
      name: 'Soon gone',
      subject: 'News of {{ contact.fristName | default: 1 }}',
      html: '<p>Hello</p>',
      text: 'Hi',
    }
    const templateId = (await service.call('POST', 'templates', template)).body.data.id as string
    const id = await create({ subject: undefined, html: undefined, templateId, audience: { listIds: [list] } })
    assert.equal((await service.call('GET', `campaigns/${id}`)).body.data.html, null)
    // The preview warns about a variable that no contact has.
    const preview = await service.call('POST', `templates/${templateId}/preview`, {})
    assert.deepEqual(
      preview.body.data.unknownVariables.map(({ variable }: { variable: string }) => variable),
      ['contact.fristName'],
    )
    await schedule(id)
    await becomes(id, 'SENT')
    assert.equal((await service.call('DELETE', `templates/${templateId}`)).status, 200)
    const { subject, html, text, format } = (await service.call('GET', `campaigns/${id}`)).body.data
    assert.deepEqual([subject, text, format], [template.subject, 'Hi', 'HTML'])
    assert.match(html as string, /<p>Hello<\/p>/)
  })

  it('warn about content that is not sent because a template is set', async () => {
    const template = { name: 'Beside', subject: 'Its own', html: '<p>x</p>' }
    const templateId = (await service.call('POST', 'templates', template)).body.data.id as string
    const post = (fields: object) => service.call('POST', 'campaigns', { name: 'C', ...fields })
    const warningOf = ({ headers }: Awaited<ReturnType<typeof post>>) => headers.get('x-warning') ?? ''
    const both = await post({ templateId, subject: 'Mine', html: null })
    assert.match(warningOf(both), /^\/subject is not sent, because templateId takes precedence/)
    // The response can be sent back unchanged.
    const { subject } = both.body.data as { subject: string }
    assert.equal(warningOf(await post({ templateId, subject })), '')
    const alone = await service.call('PATCH', `campaigns/${both.body.data.id}`, { subject: 'Mine' })
    assert.match(warningOf(alone), /\/templateId was removed/)
    const withContent = (await post({ subject: 'S', html: '<p>x</p>' })).body.data
    const less = await service.call('PATCH', `campaigns/${withContent.id}`, { subject: 'New', text: 'Hi' })
    assert.match(warningOf(less), /^\/html was removed/)
    const steps = [{ type: 'EMAIL', templateId, subject: 'Mine' }]
    const automation = { name: 'A', trigger: 'SIGNUP', status: 'PAUSED', steps }
    const made = await service.call('POST', 'automations', automation)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.match(warningOf(made), /\/steps\/0\/subject is not sent/)
    const unchanged = { ...automation, steps: (made.body.data as { steps: object[] }).steps }
    assert.equal(warningOf(await service.call('PUT', `automations/${made.body.data.id}`, unchanged)), '')
  })

  it('are not sent to contacts whose local time has already passed', async () => {
    const [list, fallback] = [await aList(service), await aList(service)]
    await aContact(service, { listId: list, metadata: { timezone: 'Pacific/Pago_Pago' } })
    await aContact(service, { listId: list, metadata: { timezone: 'Pacific/Kiritimati' } })
    await aContact(service, { listId: fallback })
    // Twelve hours ago in the first time zone, and still to come in the last one.
    const localTime = new Date(Date.now() + 2 * 3_600_000).toISOString().slice(0, 16)
    const both = await schedule(await create({ audience: { listIds: [list] } }), { localTime, fallbackTimeZone: 'UTC' })
    assert.equal(both.refused, '400 time_in_past')
    assert.match(both.body.error as string, /it is past in pacific\/kiritimati/i)
    // A contact without an email does not prevent the others.
    const quiet = await aContact(service, { listId: fallback, metadata: { timezone: 'Pacific/Kiritimati' } })
    await service.call('POST', 'suppressions', { email: await addressOf(service, quiet), reason: 'UNSUBSCRIBED' })
    const id = await create({ audience: { listIds: [fallback] } })
    const west = await schedule(id, { localTime, fallbackTimeZone: 'Pacific/Kiritimati' })
    assert.equal(west.refused, '400 time_in_past')
    assert.equal((await schedule(id, { localTime, fallbackTimeZone: 'Pacific/Pago_Pago' })).status, 202)
    await service.call('POST', `campaigns/${id}/cancel`)
  })

  it('are not retried for contacts who left their list, even if the list was deleted, nor after a cancellation', async () => {
    const list = await aList(service)
    const [left, stays] = [await aContact(service, { listId: list }), await aContact(service, { listId: list })]
    sink.behave({ code: 550, text: '5.7.1 Not today', at: 'data' })
    const id = await aCampaign(service, [list])
    await becomes(id, 'SENT')
    sink.behave('accept')
    await sql(em(), 'insert into list_opt_outs (list_id, contact_id) values ($1::uuid, $2::uuid)', [list, left])
    assert.equal((await service.call('DELETE', `lists/${list}`)).status, 200)
    const retry = () => service.call('POST', 'messages/retry', { campaignId: id, status: 'FAILED' })
    assert.equal((await retry()).body.data.retried, 2)
    const [toLeft, toStays] = [await addressOf(service, left), await addressOf(service, stays)]
    await eventually('it is sent again', () => mailsTo(toStays)[0])
    const message = await eventually('it is final', async () => {
      const found = (await activityOf(service, left))[0]
      return found?.status === 'SUPPRESSED' ? found : undefined
    })
    assert.deepEqual([message.error, mailsTo(toLeft).length], ['The contact unsubscribed from the list', 0])
  })

  it('send retries requested during a pause when they are resumed, and none when they are cancelled', async () => {
    const { list, addresses } = await createRecipients(1)
    sink.behave({ code: 550, text: '5.7.1 Not today', at: 'data' })
    const failing = await aCampaign(service, [list])
    await becomes(failing, 'SENT')
    sink.behave('accept')
    // Simulates a paused campaign with unsent messages.
    const set = (status: string, pausedFrom: string | null) =>
      sql(em(), 'update campaigns set status = $2, paused_from = $3 where id = $1', [failing, status, pausedFrom])
    await set('PAUSED', 'SENDING')
    const [{ id }] = (await service.call('GET', `messages?campaignId=${failing}`)).body.data as [{ id: string }]
    const retry = () => service.call('POST', `messages/${id}/retry`)
    assert.equal((await retry()).status, 202)
    const pending = `select from outbox where kind = 'RETRY' and message_id = $1::uuid`
    await eventually('it is waiting', async () => (await sql(em(), pending, [id])).length === 0 || undefined)
    await service.call('POST', `campaigns/${failing}/resume`)
    await eventually('it is sent again', () => mailsTo(addresses[0]!)[0])
    await sql(em(), `update messages set status = 'FAILED' where id = $1::uuid`, [id])
    await recount(em())
    await set('CANCELLED', null)
    assert.equal((await retry()).refused, '409 message_not_retryable')
    const all = await service.call('POST', 'messages/retry', { campaignId: failing, status: 'FAILED' })
    assert.equal(all.body.data.retried, 0)
  })

  it('have a report that adds up, no matter how many reasons there are', async () => {
    const id = await aCampaign(service, [(await createRecipients(1)).list])
    await becomes(id, 'SENT')
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, campaign_id, status, claim, attempts, due_at, error)
       select gen_random_uuid(), $1::uuid, gen_random_uuid(), $2::uuid, 'FAILED', gen_random_uuid(), 1, now(), 'Reason ' || n
       from generate_series(1, 130) n`,
      [service.workspaceId, id],
    )
    await recount(em())
    const { reasons, stats } = (await service.call('GET', `campaigns/${id}/report`)).body.data
    assert.deepEqual([stats.failed, reasons.length], [130, 101])
    assert.deepEqual(reasons.at(-1), { status: 'FAILED', reason: 'Other reasons', count: 30 })
    await sql(em(), `delete from messages where campaign_id = $1::uuid and status = 'FAILED'`, [id])
    await recount(em())
  })

  it('are not sent without an audience or content, or at an invalid time', async () => {
    const [empty, { list: full }] = [await aList(service), await createRecipients(1)]
    const [complete, localTime] = [{ audience: { listIds: [full] } }, '2030-02-20T09:00']
    const cases: [fields: object, body: object, refused: string][] = [
      [{ audience: { listIds: [empty] } }, {}, '400 audience_empty'],
      [{}, {}, '400 campaign_incomplete'],
      [{ ...complete, subject: null, html: null }, {}, '400 campaign_incomplete'],
      [{ ...complete, subject: null }, {}, '400 campaign_incomplete'],
      [{ ...complete, html: null, format: 'BLOCKS', design: { blocks: [] } }, {}, '400 campaign_incomplete'],
      // Misspelled fields must not send immediately.
      [complete, { sendAt: '2030-01-01T00:00:00Z' }, '400 invalid_request'],
      [complete, { localTime, timezone: 'Asia/Tokyo' }, '400 invalid_request'],
      [complete, { fallbackTimeZone: 'Asia/Tokyo' }, '400 invalid_request'],
      [complete, { at: '2020-01-01T00:00:00Z' }, '400 time_in_past'],
      [complete, { localTime: '2020-01-01T00:00' }, '400 time_in_past'],
      [complete, { at: '2030-01-01T00:00:00Z', localTime }, '400 invalid_request'],
      [complete, { localTime: '2030-02-30T09:00' }, '400 invalid_request'],
      [complete, { localTime, fallbackTimeZone: 'Mars' }, '400 invalid_request'],
      // Ambiguous.
      [complete, { localTime, fallbackTimeZone: 'PST' }, '400 invalid_request'],
    ]
    const deviations = []
    for (const [fields, body, refused] of cases) {
      const id = await create(fields)
      const found = [(await schedule(id, body)).refused, (await read(id)).status]
      if (found[0] !== refused || found[1] !== 'DRAFT') deviations.push({ fields, body, refused, found })
    }
    assert.deepEqual(deviations, [])
  })

  it('have audiences and messages of their own workspace', async () => {
    const { list } = await createRecipients(1)
    const id = await create({ audience: { listIds: [list] } })
    const key = await service.newKey()
    const theirs = await service.call('POST', 'campaigns', { name: 'x', audience: { listIds: [list] } }, { key })
    assert.equal(theirs.refused, '404 list_not_found')
    const messages = await service.call('GET', `messages?campaignId=${id}`, undefined, { key })
    assert.deepEqual(messages.body.data, [])
  })

  it('are captured in a test workspace', async () => {
    const key = await service.newKey({ mode: 'test' })
    const call = (method: string, path: string, body?: object) => service.call(method, path, body, { key })
    const list = (await call('POST', 'lists', { name: 'x' })).body.data.id
    await call('POST', 'contacts', { email: 'captured@example.com', listId: list })
    const id = (await call('POST', 'campaigns', { name: 'x', ...CONTENT, audience: { listIds: [list] } })).body.data.id
    await call('POST', `campaigns/${id}/schedule`, {})
    const sent = await eventually('it is SENT', async () => {
      const data = (await call('GET', `campaigns/${id}`)).body.data as CampaignRead
      return data.status === 'SENT' ? data : undefined
    })
    assert.equal(sent.stats['captured']!, 1)
    assert.equal(mailsTo('captured@example.com').length, 0)
  })

  describe('of one page', () => {
    withPageSizes(REAL_PAGE_SIZES)

    it('cannot be claimed for a paused campaign, a suppressed or changed contact, or an outdated attempt', async () => {
      const { list, contacts, addresses } = await createRecipients(4)
      const id = await create({ audience: { listIds: [list] } })
      // It is being sent, without a workflow.
      await sql(em(), SENDING, [id])
      const recipients = {
        listIds: [list],
        at: new Date(),
        conditions: [],
        excludedListIds: [],
        excludedConditions: [],
      }
      await queuePage(em(), { id, workspaceId: service.workspaceId, cursor: 0, abTest: null }, recipients, null)
      const store = createMessageStore(service.context.orm.em)
      const prepared = await prepareRecipients(service, id)
      const claim = (n: number, changes: { attempts?: number } = {}) =>
        store.claim(anAttempt({ ...prepared.get(contacts[n]!)!, ...changes }), { status: 'SENDING' })
      await service.call('POST', 'suppressions', { email: addresses[1]!, reason: 'UNSUBSCRIBED' })
      await service.call('PATCH', `contacts/${contacts[2]}`, { email: `moved-${addresses[2]}` })
      const claimed = await Promise.all([claim(0), claim(1), claim(2), claim(3, { attempts: 1 })])
      assert.deepEqual(claimed, [true, false, false, false])
      assert.deepEqual(await Promise.all([claim(0), claim(0, { attempts: 1 })]), [false, false])
      await sql(em(), `update campaigns set status = 'PAUSED' where id = $1`, [id])
      assert.equal(await claim(3), false)
      await sql(em(), `update messages set status = 'DISMISSED' where campaign_id = $1`, [id])
    })
  })
})
