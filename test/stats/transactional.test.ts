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

  /** Accepts emails and gives them the past of the fixture. */
  async function accept(of: Service, past: readonly (typeof PAST)[number][]): Promise<void> {
    for (const { of: kind, hoursAgo, status, ...more } of past) {
      const content =
        kind === 'receipt' ? { templateId } : { subject: 'Sign in', text: 'Code', tags: ['login', 'auth'] }
      const { body } = await of.call('POST', 'emails', { to: 'ada@example.com', ...content })
      const { id } = body.data as { id: string }
      await sql(
        em(),
        `update emails set created_at = now() - make_interval(hours => $2::integer), cancelled_at = case when $3 then now() end
         where id = $1::uuid`,
        [id, hoursAgo, 'isCancelled' in more],
      )
      await sql(
        em(),
        `update messages set status = $2, results = $3::text[],
           sent_at = (select created_at from emails where id = $1::uuid) + make_interval(secs => $4::float8)
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
    assert.equal(groups.length, 2)
    assert.partialDeepStrictEqual(groups, [
      {
        ...{ templateId, templateName: 'Receipt', tag: null, emails: 25, ...NOTHING, delivered: 25 },
        ...{ medianSeconds: 13, p95Seconds: 23.8 },
      },
      {
        ...{ templateId: null, templateName: null, tag: 'login', emails: 6 },
        ...{ delivered: 1, bounced: 1, failed: 1, waiting: 1, suppressed: 1, unconfirmed: 1 },
        ...{ medianSeconds: 2, p95Seconds: null },
      },
    ])
    assert.deepEqual([total.emails, total.delivered, total.bounced], [31, 26, 1])
  })

  it('counts more hours on request, and nothing without emails', async () => {
    assert.equal((await report(48)).total.emails, 32)
    const empty = await openWorkspace({ worker: false })
    const { data } = (await empty.call('GET', 'reports/transactional')).body
    assert.deepEqual([data.hours, data.total.emails, data.total.medianSeconds, data.groups], [24, 0, null, []])
    assert.equal((await service.call('GET', 'reports/transactional?hours=721')).status, 400)
  })
})
