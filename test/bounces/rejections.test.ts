import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { recordBounce } from '../../src/bounces/record-bounce.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { foldCounters } from '../../src/counters/index.ts'
import { aCampaign, campaignIs } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, addressOf, EMAIL, enroll, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, useServiceAndSink } from '../support/shared-service.ts'
import { assertCountersMatch } from '../support/stats.ts'

interface Bounce {
  kind: string
  category: string
  status: string | null
  source: string
}

/** The replies of mail servers, and what they mean for the recipient. */
const REPLIES: [
  at: 'rcpt' | 'data',
  code: number,
  text: string,
  kind?: string,
  category?: string,
  suppressed?: true,
][] = [
  ['rcpt', 550, '5.1.1 User unknown', 'HARD', 'MAILBOX_NOT_FOUND', true],
  ['data', 550, '5.1.1 User unknown', 'HARD', 'MAILBOX_NOT_FOUND', true],
  ['rcpt', 550, 'no such user here', 'HARD', 'MAILBOX_NOT_FOUND', true],
  ['rcpt', 550, '5.1.2 Bad destination domain', 'HARD', 'DOMAIN_NOT_FOUND', true],
  ['rcpt', 550, '5.2.1 The account is disabled', 'HARD', 'MAILBOX_DISABLED', true],
  ['rcpt', 552, '5.2.2 Mailbox full', 'SOFT', 'MAILBOX_FULL'],
  ['rcpt', 550, '5.7.1 Delivery not authorized'],
  ['data', 554, '5.7.1 Message contains spam'],
  ['data', 552, '5.3.4 Message too big'],
  ['rcpt', 550, 'No'],
]

describe('a rejection by the mail server', () => {
  let service: Service
  let other: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => (other = await openWorkspace()))
  after(() => assertCountersMatch(service.context.orm.em, service.workspaceId))

  const em = () => service.context.orm.em.fork()
  const data = async <Body>(path: string, of = service) => (await of.call('GET', path)).body.data as Body
  const bouncesOf = (contactId: string) => data<Bounce[]>(`bounces?contactId=${contactId}`)
  const suppressedBy = async (contactId: string, of = service) =>
    (await data<{ suppressedBy: string | null }>(`contacts/${contactId}`, of)).suppressedBy
  const messagesOf = (contactId: string) =>
    sql<{ id: string; status: string }>(em(), 'select id, status from messages where contact_id = $1::uuid', [
      contactId,
    ])
  /** Waits until a contact's email has failed, and what follows from that is recorded. */
  const failure = (contactId: string) =>
    eventually('the rejection is recorded', async () => {
      const message = (await messagesOf(contactId)).find(({ status }) => status === 'FAILED')
      if (!message) return undefined
      const pending = await sql(em(), `select from outbox where kind = 'BOUNCE' and message_id = $1::uuid`, [
        message.id,
      ])
      return pending.length === 0 ? message : undefined
    })
  const reject = (to: string, text: string, code = 550, at: 'rcpt' | 'data' = 'rcpt') =>
    sink.behave({ code, text, at, ...(at === 'rcpt' && { to }) })

  it('is a bounce if it concerns the recipient', async () => {
    const wrong: string[] = []
    for (const [at, code, text, kind, category, suppressed] of REPLIES) {
      // A new automation for each reply: so many rejections would pause a shared one.
      const automationId = await anAutomation(service)
      const contactId = await aContact(service)
      reject(await addressOf(service, contactId), text, code, at)
      await enroll(service, automationId, contactId)
      await failure(contactId)
      const found = (await bouncesOf(contactId)).map((bounce) => [bounce.kind, bounce.category, bounce.source])
      const expected = kind === undefined ? [] : [[kind, category, 'rejection']]
      const is = JSON.stringify([found, await suppressedBy(contactId)])
      const should = JSON.stringify([expected, suppressed ? 'BOUNCED' : null])
      if (is !== should) wrong.push(`${code} ${text}: ${is}, not ${should}`)
      // After several rejections in a row, Dripline assumes a fault of the mail server. An accepted email resets that.
      sink.behave('accept')
      const accepted = await aContact(service)
      await enroll(service, automationId, accepted)
      await eventually(
        'it accepts an email',
        async () => (await messagesOf(accepted))[0]?.status === 'SENT' || undefined,
      )
    }
    assert.deepEqual(wrong, [])
  })

  it('leaves the enrollments of the contact, and its address is not tried again', async () => {
    const contactId = await aContact(service)
    const email = await addressOf(service, contactId)
    const sameAddress = await aContact(other, { email })
    const tried: string[] = []
    sink.behave((to) => (tried.push(to), to === email ? { code: 550, text: '5.1.1 User unknown' } : undefined))
    await enroll(service, await anAutomation(service, { steps: [EMAIL, wait(1440), EMAIL] }), contactId)
    await failure(contactId)
    const { data } = (await service.call('GET', `contacts/${contactId}/enrollments`)).body
    assert.equal(data[0].status, 'ACTIVE')
    const { status: answer } = await service.call('POST', 'emails', { to: email, subject: 'S', text: 'T' })
    assert.equal(answer, 202)
    await eventually(
      'the email is suppressed',
      async () => (await messagesOf(contactId)).some((message) => message.status === 'SUPPRESSED') || undefined,
    )
    assert.equal(tried.filter((to) => to === email).length, 1)
    assert.equal(await suppressedBy(sameAddress, other), null)
  })

  it('keeps a step that follows at once from mailing the address', async () => {
    const contactId = await aContact(service)
    const email = await addressOf(service, contactId)
    const tried: string[] = []
    sink.behave((to) => (tried.push(to), to === email ? { code: 550, text: '5.1.1 User unknown' } : undefined))
    await enroll(service, await anAutomation(service, { steps: [EMAIL, EMAIL, EMAIL] }), contactId)
    await failure(contactId)
    await eventually('the enrollment has ended', async () => {
      const rows = await sql(em(), `select from enrollments where contact_id = $1::uuid and status = 'COMPLETED'`, [
        contactId,
      ])
      return rows.length > 0 || undefined
    })
    assert.deepEqual((await messagesOf(contactId)).map(({ status }) => status).toSorted(), [
      'FAILED',
      'SUPPRESSED',
      'SUPPRESSED',
    ])
    assert.equal(tried.filter((to) => to === email).length, 1)
    assert.equal((await bouncesOf(contactId)).length, 1)
  })

  it('counts in the reports of a campaign and of the domain, and for webhooks', async () => {
    const { workspaceId } = service
    const { body } = await service.call('POST', 'webhooks', { events: ['message.bounced', 'message.failed'] })
    const [listId, domain] = [await aList(service), `${workspaceId}.example`]
    const contactIds = []
    for (const name of ['gone', 'here', 'there'])
      contactIds.push(await aContact(service, { email: `${name}@${domain}` }))
    await service.call('POST', `lists/${listId}/contacts`, { contactIds })
    reject(`gone@${domain}`, '5.1.1 User unknown')
    const campaignId = await aCampaign(service, [listId])
    await campaignIs(service, campaignId, 'SENT')
    const expected = { sent: 2, delivered: 2, bounced: 1, softBounced: 0 }
    /** Waits until a report counts the bounce and the two others: its numbers may be a moment late. */
    const counts = async (read: () => Promise<{ sent: number; bounced: number } | undefined>) => {
      const found = await eventually('all are counted', async () => {
        await foldCounters(em(), 1_000)
        const results = await read()
        return results && results.sent + results.bounced === 3 ? results : undefined
      })
      assert.partialDeepStrictEqual(found, expected)
    }
    interface Domain {
      domain: string
      sent: number
      bounced: number
    }
    await counts(async () => (await data<{ results: Domain }>(`campaigns/${campaignId}/report`)).results)
    await counts(async () =>
      (await data<{ domains: Domain[] }>('reports/domains')).domains.find((each) => each.domain === domain),
    )
    const events = await eventually('the webhook has two events', async () => {
      const polled = await data<{ events: { type: string; data: object }[] }>(
        `webhooks/${body.data.id as string}/events`,
      )
      return polled.events.length === 2 ? polled.events : undefined
    })
    assert.deepEqual(
      events.map(({ type }) => type),
      ['message.failed', 'message.bounced'],
    )
    assert.partialDeepStrictEqual(events[1]!.data, { bounce: 'HARD', category: 'MAILBOX_NOT_FOUND' })
  })

  it('of an address without a contact suppresses the address', async () => {
    const to = `nobody@${service.workspaceId}.example`
    reject(to, '5.1.1 User unknown')
    await service.call('POST', 'emails', { to, subject: 'S', text: 'T' })
    await eventually(
      'it is suppressed',
      async () => (await data<object[]>(`suppressions?email=${to}`)).length === 1 || undefined,
    )
  })

  it('does not hide a bounce after the email was retried', async () => {
    const contactId = await aContact(service)
    const email = await addressOf(service, contactId)
    reject(email, '5.1.1 User unknown')
    await enroll(service, await anAutomation(service), contactId)
    const { id } = await failure(contactId)
    const [suppression] = await data<{ id: string }[]>(`suppressions?email=${email}`)
    await service.call('DELETE', `suppressions/${suppression!.id}`)
    sink.behave('accept')
    assert.equal((await service.call('POST', `messages/${id}/retry`)).status, 202)
    await eventually('it is sent', async () => (await messagesOf(contactId))[0]?.status === 'SENT' || undefined)
    const message = { id, workspaceId: service.workspaceId, contactId, originId: id, recipient: email }
    const report = { kind: 'HARD', category: 'MAILBOX_NOT_FOUND', status: '5.1.1', diagnostic: null } as const
    const result = await recordBounce(
      service.context.dependencies,
      { ...message, isUnderWay: false, createdAt: new Date() },
      { ...report, providerVerdict: null, source: 'smtp', sourceId: null },
    )
    assert.equal(result, 'recorded')
    assert.equal(await suppressedBy(contactId), 'BOUNCED')
    assert.deepEqual(
      (await bouncesOf(contactId)).map(({ source }) => source),
      ['smtp', 'rejection'],
    )
  })
})
