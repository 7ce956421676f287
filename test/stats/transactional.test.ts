import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** Emails of the fixture: their kind, when they were accepted, their outcome, and seconds until they were sent. */
const PAST = [
  // 25 receipts, sent after 1 to 25 seconds: the median is 13, and 5% took longer than 23.8.
  ...Array.from({ length: 25 }, (_, n) => ({ of: 'receipt', hoursAgo: 2, status: 'SENT', seconds: n + 1 })),
  { of: 'receipt', hoursAgo: 30, status: 'SENT', seconds: 500 },
  { of: 'login', hoursAgo: 1, status: 'SENT', seconds: 1, isBounced: true },
  { of: 'login', hoursAgo: 1, status: 'SENT', seconds: 3 },
  { of: 'login', hoursAgo: 1, status: 'FAILED' },
  { of: 'login', hoursAgo: 1, status: 'DEFERRED' },
  { of: 'login', hoursAgo: 1, status: 'SUPPRESSED' },
  { of: 'login', hoursAgo: 1, status: 'UNCONFIRMED' },
  { of: 'login', hoursAgo: 1, status: 'DISMISSED' },
  { of: 'login', hoursAgo: 1, status: 'SENDING' },
  { of: 'plain', hoursAgo: 3, status: 'CAPTURED', seconds: 2 },
  // Accepted 5 hours ago, for 3 hours later: it took 4 seconds.
  { of: 'plain', hoursAgo: 5, scheduledIn: 3, status: 'SENT', seconds: 4 },
  { of: 'login', hoursAgo: 1, status: 'QUEUED', isCancelled: true },
] as const

const NOTHING = { delivered: 0, bounced: 0, failed: 0, waiting: 0, suppressed: 0, unconfirmed: 0 }

describe('the report on transactional emails', () => {
  let service: Service
  let templateId: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    const template = { name: 'Receipt', kind: 'EMAIL', format: 'HTML', subject: 'Receipt', html: '<p>Thanks</p>' }
    templateId = (await service.call('POST', 'templates', template)).body.data.id as string
    await accept(service, PAST)
    const other = await openWorkspace({ worker: false })
    await accept(other, PAST.slice(-3))
  })
  const em = () => service.context.orm.em.fork()

  const contentOf = (kind: (typeof PAST)[number]['of']) =>
    kind === 'receipt'
      ? { templateId }
      : { subject: 'Sign in', text: 'Code', ...(kind === 'login' && { tags: ['login', 'auth'] }) }

  /** Accepts emails and gives them the past of the fixture. */
  async function accept(of: Service, past: readonly (typeof PAST)[number][]): Promise<void> {
    for (const { of: kind, hoursAgo, status, ...more } of past) {
      const content = contentOf(kind)
      const { body } = await of.call('POST', 'emails', { to: 'ada@example.com', ...content })
      const { id } = body.data as { id: string }
      await sql(
        em(),
        `update emails set created_at = now() - make_interval(hours => $2::integer), cancelled_at = case when $3 then now() end,
           scheduled_at = now() - make_interval(hours => $2::integer) + make_interval(hours => $4::integer)
         where id = $1::uuid`,
        [id, hoursAgo, 'isCancelled' in more, 'scheduledIn' in more ? more.scheduledIn : null],
      )
      await sql(
        em(),
        `update messages set status = $2, results = $3::text[],
           sent_at = (select coalesce(scheduled_at, created_at) from emails where id = $1::uuid) + make_interval(secs => $4::float8)
         where id = $1::uuid`,
        [id, status, 'isBounced' in more ? ['HARD_BOUNCED'] : [], 'seconds' in more ? more.seconds : null],
      )
    }
  }
  const report = async (hours: number) =>
    (await service.call('GET', `reports/transactional?hours=${hours}`)).body.data as {
      total: Record<string, number>
      groups: Record<string, unknown>[]
    }

  it('counts emails by template or tag and by outcome, with the time until they were sent', async () => {
    const { total, groups } = await report(24)
    assert.equal(groups.length, 3)
    assert.partialDeepStrictEqual(groups, [
      {
        ...{ templateId, templateName: 'Receipt', tag: null, emails: 25, ...NOTHING, delivered: 25 },
        ...{ medianSeconds: 13, p95Seconds: 23.8 },
      },
      {
        ...{ templateId: null, templateName: null, tag: 'login', emails: 8 },
        ...{ delivered: 1, bounced: 1, failed: 1, waiting: 2, suppressed: 1, unconfirmed: 2 },
        ...{ medianSeconds: 2, p95Seconds: null },
      },
      {
        ...{ templateId: null, templateName: null, tag: null, emails: 2, ...NOTHING, delivered: 2 },
        ...{ medianSeconds: 3, p95Seconds: null },
      },
    ])
    assert.deepEqual([total.emails, total.delivered, total.bounced], [35, 28, 1])
    const ago = Date.now() - Date.parse(groups[2]!['lastSentAt'] as string)
    assert.ok(Math.abs(ago - 2 * 3_600_000) < 60_000, `${ago} ms ago`)
  })

  it('counts more hours on request, and nothing without emails', async () => {
    assert.equal((await report(48)).total.emails, 36)
    const empty = await openWorkspace({ worker: false })
    const { data } = (await empty.call('GET', 'reports/transactional')).body
    assert.deepEqual([data.hours, data.total.emails, data.total.medianSeconds, data.groups], [24, 0, null, []])
    assert.equal((await service.call('GET', 'reports/transactional?hours=721')).status, 400)
  })
})
