import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { aContact } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** A recipient of the fixture, and the result of their message. Times are minutes after the start of the campaign. */
interface Fate {
  to: string
  status: string
  sent?: number
  opened?: number
  clicked?: number
  results?: string[]
}

const FATES: readonly Fate[] = [
  { to: 'a@one.example', status: 'SENT', sent: 0, opened: 10, clicked: 70 },
  { to: 'b@One.example', status: 'SENT', sent: 0, opened: 59, results: ['MACHINE_OPENED'] },
  { to: 'c@one.example', status: 'SENT', sent: 1, results: ['HARD_BOUNCED'] },
  { to: 'd@one.example', status: 'QUEUED' },
  { to: 'e@one.example', status: 'SUPPRESSED' },
  { to: 'a@two.example', status: 'SENT', sent: 1, opened: 61, results: ['UNSUBSCRIBED'] },
  { to: 'b@two.example', status: 'FAILED', results: ['REJECTED'] },
  { to: 'c@two.example', status: 'DEFERRED' },
  { to: 'a@bücher.example', status: 'CAPTURED', sent: 1, results: ['COMPLAINED'] },
  { to: 'b@xn--bcher-kva.example', status: 'FAILED' },
  { to: 'a@four.example', status: 'UNCONFIRMED' },
  { to: 'a@five.example', status: 'SENDING' },
  { to: 'b@five.example', status: 'SENT', sent: 0, opened: 48 * 60, clicked: 48 * 60 },
]

const NONE = {
  ...{ recipients: 0, queued: 0, sending: 0, deferred: 0, failed: 0, unconfirmed: 0, suppressed: 0, dismissed: 0 },
  ...{ sent: 0, delivered: 0, bounced: 0, softBounced: 0, blocked: 0, opened: 0, machineOpened: 0, clicked: 0 },
  ...{ unsubscribed: 0, complained: 0 },
}

describe('recipients of a campaign', () => {
  let service: Service
  let campaignId: string
  let start: Date
  before(async () => {
    const other = await openWorkspace({ worker: false })
    await aSentCampaign(other, FATES.slice(0, 3))
    service = await openWorkspace({ worker: false })
    await aSentCampaign(service, FATES.slice(3, 7))
    ;({ campaignId, start } = await aSentCampaign(service, FATES))
  })
  const em = () => service.context.orm.em.fork()

  /** Creates a campaign that started five minutes ago, with recipients in all states. */
  async function aSentCampaign(of: Service, fates: readonly Fate[]) {
    const unit = of.context.orm.em.fork()
    const { body } = await of.call('POST', 'campaigns', { name: 'News', subject: 'News', text: 'Hello' })
    const id = body.data.id as string
    const [row] = await sql<{ started: string }>(
      unit,
      `update campaigns set status = 'SENDING', started_at = date_trunc('minute', now()) - interval '5 minutes'
       where id = $1::uuid returning started_at::text as started`,
      [id],
    )
    for (const { to, status, sent, opened, clicked, results = [] } of fates) {
      const contactId = await contactOf(of, to)
      const times = [sent, opened, clicked].map((minutes) => minutes ?? null)
      await sql(
        unit,
        `insert into messages (id, workspace_id, contact_id, campaign_id, status, due_at, claim, recipient, results,
           sent_at, opened_at, clicked_at)
         select $1::uuid, workspace_id, $3::uuid, id, $4, now(), $1::uuid, $5, $6::text[], started_at + $7 * interval '1 minute',
           started_at + $8 * interval '1 minute', started_at + $9 * interval '1 minute'
         from campaigns where id = $2::uuid`,
        [newId(), id, contactId, status, ['QUEUED', 'SUPPRESSED'].includes(status) ? null : to, results, ...times],
      )
    }
    return { campaignId: id, start: new Date(row!.started) }
  }

  /** Returns a contact, whom another campaign may have emailed. */
  async function contactOf(of: Service, email: string): Promise<string> {
    const { body } = await of.call('GET', `contacts/${encodeURIComponent(`email:${email}`)}`)
    return (body as { data?: { id: string } }).data?.id ?? aContact(of, { email })
  }

  describe('by domain', () => {
    const domains = async (query = '') => {
      const { status, body } = await service.call('GET', `campaigns/${campaignId}/domains${query}`)
      assert.equal(status, 200)
      return body.data as Record<'total' | 'others', object> & { domains: object[]; otherDomains: number }
    }
    const ONE = {
      ...NONE,
      ...{ recipients: 5, queued: 1, suppressed: 1, sent: 3, delivered: 2, bounced: 1 },
      ...{ opened: 2, machineOpened: 1, clicked: 1 },
    }
    const TWO = { ...NONE, recipients: 3, deferred: 1, failed: 1, sent: 1, delivered: 1, bounced: 1, opened: 1 }

    it('counts statuses and results, the largest domains first, and the others together', async () => {
      assert.deepEqual(await domains('?limit=2'), {
        total: {
          ...{ recipients: 13, queued: 1, sending: 1, deferred: 1, failed: 2, unconfirmed: 1, suppressed: 1 },
          ...{ dismissed: 0, sent: 6, delivered: 5, bounced: 2, softBounced: 0, blocked: 0 },
          ...{ opened: 4, machineOpened: 1, clicked: 2, unsubscribed: 1, complained: 1 },
        },
        domains: [
          { domain: 'one.example', ...ONE },
          { domain: 'two.example', ...TWO, unsubscribed: 1 },
        ],
        otherDomains: 4,
        others: {
          ...{ ...NONE, recipients: 5, sending: 1, failed: 1, unconfirmed: 1, sent: 2, delivered: 2 },
          ...{ opened: 1, clicked: 1, complained: 1 },
        },
      })
    })

    it('lists a domain once that recipients spell in two ways, and no others if all are listed', async () => {
      const { domains: all, otherDomains, others } = await domains()
      assert.deepEqual(
        all.map((each) => (each as { domain: string }).domain),
        ['one.example', 'two.example', 'five.example', 'xn--bcher-kva.example', 'four.example'],
      )
      assert.partialDeepStrictEqual(all[3], { recipients: 2, failed: 1, sent: 1, complained: 1 })
      assert.deepEqual([otherDomains, others], [0, NONE])
    })

    it('counts nothing before the campaign starts', async () => {
      const { body } = await service.call('POST', 'campaigns', { name: 'Draft', subject: 'News', text: 'Hello' })
      const { data } = (await service.call('GET', `campaigns/${body.data.id}/domains`)).body
      assert.deepEqual(data, { total: NONE, domains: [], otherDomains: 0, others: NONE })
    })
  })

  describe('over time', () => {
    const minutesLater = (minutes: number) => new Date(start.getTime() + minutes * 60_000).toISOString()

    it('counts sent emails by minute, and first opens and clicks by hour of the first two days', async () => {
      const { data } = (await service.call('GET', `campaigns/${campaignId}/timeline`)).body
      assert.deepEqual(data, {
        hours: [
          { at: minutesLater(0), opened: 2, clicked: 0 },
          { at: minutesLater(60), opened: 1, clicked: 1 },
        ],
        minutes: [
          { at: minutesLater(0), sent: 3 },
          { at: minutesLater(1), sent: 3 },
        ],
      })
    })

    it('counts no emails that were sent more than an hour ago', async () => {
      const { campaignId: older } = await aSentCampaign(service, FATES)
      await sql(
        em(),
        `update messages set sent_at = sent_at - interval '61 minutes' where campaign_id = $1::uuid and recipient like 'b@%'`,
        [older],
      )
      const { minutes } = (await service.call('GET', `campaigns/${older}/timeline`)).body.data as {
        minutes: { sent: number }[]
      }
      assert.deepEqual(
        minutes.map(({ sent }) => sent),
        [1, 3],
      )
    })
  })

  describe('by outcome', () => {
    /** Reads all pages of two messages, newest first. */
    async function recipientsWith(outcome: string): Promise<string[]> {
      const found: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query = `campaignId=${campaignId}&outcome=${outcome}&limit=2${cursor && `&cursor=${cursor}`}`
        const { status, body } = await service.call('GET', `messages?${query}`)
        assert.equal(status, 200)
        const page = body as { data: { to: string }[]; pagination: { nextCursor: string | null } }
        found.push(...page.data.map(({ to }) => to))
        cursor = page.pagination.nextCursor
      }
      return found
    }

    it('lists the messages that reports count', async () => {
      const found: Record<string, string[]> = {}
      const outcomes = ['OPENED', 'NOT_OPENED', 'MACHINE_OPENED', 'CLICKED', 'BOUNCED', 'UNSUBSCRIBED', 'COMPLAINED']
      for (const outcome of outcomes) found[outcome] = await recipientsWith(outcome)
      assert.deepEqual(found, {
        OPENED: ['b@five.example', 'a@two.example', 'b@One.example', 'a@one.example'],
        NOT_OPENED: ['a@bücher.example'],
        MACHINE_OPENED: ['b@One.example'],
        CLICKED: ['b@five.example', 'a@one.example'],
        BOUNCED: ['b@two.example', 'c@one.example'],
        UNSUBSCRIBED: ['a@two.example'],
        COMPLAINED: ['a@bücher.example'],
      })
    })

    it('requires a campaign', async () => {
      const { status, body } = await service.call('GET', 'messages?outcome=OPENED')
      assert.deepEqual([status, body.error], [400, 'outcome requires campaignId'])
    })
  })
})
