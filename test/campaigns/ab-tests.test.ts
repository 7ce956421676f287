import assert from 'node:assert/strict'
import type { Behavior, SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { decisionTime } from '../../src/campaigns/decide-winner.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { campaignIs, readCampaign, type CampaignRead } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aList } from '../support/factories.ts'
import { assertCountersMatch, recount } from '../support/stats.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

interface Read extends CampaignRead {
  abTest?: {
    variants: { subject: string; recipients: number; sent: number; opened: number; clicked: number }[]
    decidesAt: string | null
    winner: number | null
  }
}

const PEOPLE = 60
const TEST = {
  variants: [{ subject: 'Two' }, { subject: 'Three' }],
  testPercent: 50,
  winnerBy: 'OPENED',
  afterMinutes: 60,
}

describe('an A/B test', () => {
  let service: Service
  let sink: SmtpSink
  let list: string
  after(() => assertCountersMatch(service.context.orm.em, service.workspaceId))
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    list = await aList(service)
    const contacts = Array.from({ length: PEOPLE }, (_, n) => ({ email: `reader-${n}@example.com`, listId: list }))
    await service.call('POST', 'contacts/bulk', { contacts })
    await look(true)
  })

  const em = () => service.context.orm.em.fork()
  const look = (isLooked: boolean) =>
    sql(
      em(),
      `insert into senders (workspace_id, track_opens, track_clicks, updated_at) values ($1::uuid, $2, $2, now())
       on conflict (workspace_id) do update set track_opens = $2, track_clicks = $2`,
      [service.workspaceId, isLooked],
    )
  const create = (fields: object = {}) => {
    const content = { name: 'News', subject: 'One', html: '<p>Hello</p>', audience: { listIds: [list] } }
    return service.call('POST', 'campaigns', { ...content, ...fields })
  }
  const begun = async (abTest: object = TEST, schedule: object = {}) => {
    const { status, body } = await create({ abTest })
    assert.equal(status, 201, JSON.stringify(body))
    const { id } = body.data as { id: string }
    return { id, answer: await service.call('POST', `campaigns/${id}/schedule`, schedule) }
  }
  const startWhile = async (behavior: Behavior) => {
    sink.behave(behavior)
    return begun()
  }
  const read = (id: string) => readCampaign(service, id) as Promise<Read>
  const isSent = (id: string) => campaignIs(service, id, 'SENT') as Promise<Read>
  const subjects = (from: number) => {
    const counts: Record<string, number> = {}
    for (const { headers } of sink.mails.slice(from)) {
      const [, subject = ''] = /^Subject: (.*)$/m.exec(headers.replaceAll('\r', '')) ?? []
      counts[subject] = (counts[subject] ?? 0) + 1
    }
    return counts
  }
  const asked = (id: string) =>
    eventually('the test is sent', async () => {
      const campaign = await read(id)
      return campaign.abTest?.decidesAt == null ? undefined : campaign
    })
  /** When the list says that the winner is chosen. */
  const winnerAt = async (id: string) => {
    const { data } = (await service.call('GET', 'campaigns?limit=100')).body as {
      data: { id: string; winnerAt: string | null }[]
    }
    return data.find((campaign) => campaign.id === id)!.winnerAt
  }
  /** Records opens of a variant, as if this many recipients had opened it. */
  const open = async (id: string, variant: number, count: number) => {
    await sql(
      em(),
      `update messages set opened_at = now() where id in (
         select id from messages where campaign_id = $1 and variant = $2 and sent_at is not null order by id limit $3)`,
      [id, variant, count],
    )
    await recount(em())
  }
  /** Makes the decision due, and wakes the campaign. */
  const decide = async (id: string) => {
    await sql(em(), `update campaigns set decides_at = now() where id = $1`, [id])
    await service.context.dependencies.enrollments.campaign(service.workspaceId, id)
  }

  it('sends each variant to some recipients and the best one to the rest, once each', async () => {
    const from = sink.mails.length
    const { id, answer } = await begun()
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    const { status, stats, abTest } = await asked(id)
    assert.equal(status, 'SENDING')
    const sent = abTest!.variants.map((variant) => variant.sent)
    const inTest = sent.reduce((sum, each) => sum + each, 0)
    assert.ok(inTest > 10 && inTest < 50 && sent.every((each) => each > 0), JSON.stringify(sent))
    assert.deepEqual([stats['sent'], stats['queued'], stats['recipients']], [inTest, PEOPLE - inTest, PEOPLE])
    assert.deepEqual(subjects(from), { One: sent[0], Two: sent[1], Three: sent[2] })
    assert.ok(Math.abs(Date.parse(abTest!.decidesAt!) - Date.now() - 3_600_000) < 120_000)
    assert.equal(abTest!.winner, null)
    assert.equal(await winnerAt(id), abTest!.decidesAt)

    await open(id, 2, 2)
    await open(id, 1, 1)
    // A paused campaign decides nothing.
    await service.call('POST', `campaigns/${id}/pause`)
    await decide(id)
    await service.call('POST', `campaigns/${id}/resume`)
    const done = await isSent(id)
    const best = [sent[1]! > 0 ? 1 / sent[1]! : 0, 2 / sent[2]!]
    const winner = best[1]! > best[0]! ? 2 : 1
    assert.equal(done.abTest!.winner, winner)
    assert.equal(await winnerAt(id), null)
    assert.deepEqual(
      done.abTest!.variants.map((variant) => [variant.sent, variant.opened]),
      sent.map((each, n) => [n === winner ? each + PEOPLE - inTest : each, [0, 1, 2][n]]),
    )
    assert.equal(done.stats['sent'], PEOPLE)
    assert.equal(new Set(sink.mails.slice(from).map(({ to }) => to[0])).size, PEOPLE)
    assert.equal(sink.mails.length - from, PEOPLE)
    // A retry sends the same variant.
    await sql(em(), `update messages set status = 'FAILED' where campaign_id = $1 and variant = 1`, [id])
    await recount(em())
    const before = sink.mails.length
    const { body } = await service.call('POST', 'messages/retry', { campaignId: id, status: 'FAILED' })
    await eventually('they are sent again', () =>
      sink.mails.length - before >= (body.data.retried as number) ? true : undefined,
    )
    assert.deepEqual(Object.keys(subjects(before)), ['Two'])
  })

  it('does not wait for deferred messages, before or after its decision', async () => {
    const { id } = await startWhile({ code: 450, text: '4.2.1 Full', at: 'rcpt', to: 'reader-1@example.com' })
    const { stats } = await asked(id)
    await decide(id)
    const done = await eventually('all others are sent', async () => {
      const campaign = await read(id)
      return campaign.stats['sent'] === PEOPLE - 1 ? campaign : undefined
    })
    assert.ok(stats['queued']! > 0)
    assert.equal(done.stats['deferred'], 1)
    sink.behave('accept')
    await service.call('POST', `campaigns/${id}/cancel`)
  })

  it('is not decided while all of its messages are deferred', async () => {
    const { id } = await startWhile({ code: 450, text: '4.2.2 Full', at: 'rcpt' })
    await eventually('all messages of the test are deferred', async () => {
      const [left] = await sql<{ queued: number; deferred: number }>(
        em(),
        `select count(*) filter (where status <> 'DEFERRED')::integer as queued, count(*)::integer as deferred
         from messages where campaign_id = $1::uuid and due_at < 'infinity'`,
        [id],
      )
      return (left!.deferred > 10 && left!.queued === 0) || undefined
    })
    assert.equal(await decisionTime(em(), id), undefined)
    assert.equal((await read(id)).abTest!.decidesAt, null)
    sink.behave('accept')
    await sql(em(), `update messages set due_at = now() where campaign_id = $1::uuid and status = 'DEFERRED'`, [id])
    await service.context.dependencies.enrollments.campaign(service.workspaceId, id)
    await asked(id)
    await service.call('POST', `campaigns/${id}/cancel`)
  })

  it('can use templates', async () => {
    const made = await service.call('POST', 'templates', { name: 'Other', subject: 'Of a template', html: '<p>Hi</p>' })
    const templateId = made.body.data.id as string
    const from = sink.mails.length
    const { id } = await begun({ ...TEST, variants: [{ templateId }], testPercent: 100 })
    const { abTest } = await isSent(id)
    assert.deepEqual(Object.keys(subjects(from)).toSorted(), ['Of a template', 'One'])
    assert.equal(abTest!.variants[1]!.subject, 'Of a template')
  })

  it('keeps the content and the template version of the campaign when only the test is changed', async () => {
    const made = await service.call('POST', 'templates', { name: 'T', subject: 'First', html: '<p>First</p>' })
    const templateId = made.body.data.id as string
    const { id } = (await create({ templateId, subject: undefined, html: undefined })).body.data as { id: string }
    await service.call('PUT', `templates/${templateId}`, { name: 'T', subject: 'Second', html: '<p>Draft</p>' })
    for (const abTest of [null, TEST]) {
      const { status, body } = await service.call('PATCH', `campaigns/${id}`, { abTest })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.data.subject, body.data.templateVersion], ['First', 1])
    }
    const [content] = await sql<{ html: string }>(
      em(),
      `select html from campaign_contents where campaign_id = $1 and variant = 1 and locale = ''`,
      [id],
    )
    assert.match(content!.html, /First/)
  })

  it('leaves the remaining recipients when it is cancelled', async () => {
    const { id } = await begun()
    await asked(id)
    await service.call('POST', `campaigns/${id}/cancel`)
    const { stats } = await eventually('all are dismissed', async () => {
      const campaign = await read(id)
      return campaign.stats['queued'] === 0 ? campaign : undefined
    })
    assert.equal(stats['sent']! + stats['dismissed']!, PEOPLE)
  })

  it('is rejected if no winner can be determined, or it has no variants', async () => {
    for (const abTest of [
      { ...TEST, variants: [] },
      { ...TEST, variants: [{}] },
      { ...TEST, variants: [{ subject: 'x', templateId: newId() }] },
      { ...TEST, variants: Array.from({ length: 4 }, () => ({ subject: 'x' })) },
      { ...TEST, testPercent: 0 },
      { ...TEST, winnerBy: 'SENT' },
      { ...TEST, afterMinutes: 0 },
    ])
      assert.equal((await create({ abTest })).status, 400, JSON.stringify(abTest))
    assert.equal(
      (await create({ abTest: { ...TEST, variants: [{ templateId: newId() }] } })).refused,
      '404 template_not_found',
    )
    const unclosed = await create({ abTest: { ...TEST, variants: [{ subject: 'x' }, { subject: '{{ x' }] } })
    assert.equal(unclosed.refused, '400 invalid_template')
    assert.match(unclosed.body.error as string, /^abTest\.variants\[1\]\.subject is not a valid template/)
    assert.equal(unclosed.headers.get('x-error-param'), '/abTest/variants/1/subject')
    const incomplete = '400 campaign_incomplete'
    assert.equal((await begun(TEST, { localTime: '2040-01-01T09:00' })).answer.refused, incomplete)
    assert.equal((await begun({ ...TEST, variants: [{ subject: ' ' }] })).answer.refused, incomplete)
    await look(false)
    const { answer } = await begun()
    assert.equal(answer.refused, incomplete)
    assert.match(answer.body.error as string, /trackOpens/)
    await look(true)
    // A change of other fields keeps the test. A change of the content has to repeat it.
    const { id } = (await create({ abTest: TEST })).body.data as { id: string }
    await service.call('PATCH', `campaigns/${id}`, { name: 'Other' })
    assert.equal((await read(id)).abTest?.variants.length, 3)
    await service.call('PATCH', `campaigns/${id}`, { abTest: { ...TEST, variants: [{ subject: 'Only' }] } })
    assert.deepEqual(
      (await read(id)).abTest?.variants.map(({ subject }) => subject),
      ['One', 'Only'],
    )
    await service.call('PATCH', `campaigns/${id}`, { subject: 'x', html: '<p>x</p>' })
    assert.equal((await read(id)).abTest, undefined)
  })

  it('is limited to the total size of one template, because senders read most of it', async () => {
    const made = await service.call('POST', 'templates', { kind: 'PARTIAL', name: 'much', html: '漢'.repeat(250_000) })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const translations = ['de', 'fr', 'it', 'es', 'pt'].map((locale) => ({ locale, subject: locale }))
    const html = "<p>{% render 'much' %}</p>"
    const { body } = await service.call('POST', 'templates', { name: 'Long', subject: 'Long', html, translations })
    assert.ok(body.data, JSON.stringify(body))
    const templateId = body.data.id as string
    const campaignFields = { templateId, subject: undefined, html: undefined }
    const variants = [{ templateId }]
    const refused = await create({ ...campaignFields, abTest: { ...TEST, variants } })
    assert.equal(refused.refused, '400 invalid_template')
    assert.match(refused.body.error as string, /4,000,000 characters together/)
    const { id } = (await create(campaignFields)).body.data as { id: string }
    const changed = await service.call('PATCH', `campaigns/${id}`, { abTest: { ...TEST, variants } })
    assert.equal(changed.refused, '400 invalid_template')
  })
})
