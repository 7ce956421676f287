import assert from 'node:assert/strict'
import { recordBounce } from '../../src/bounces/record-bounce.ts'
import type { BounceKind } from '../../src/bounces/categories.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { countChanges } from '../../src/messages/changes-queries.ts'
import { writeOutcomes } from '../../src/messages/store-queries.ts'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { newId } from '../../src/platform/ids.ts'
import { signLink } from '../../src/signed-links/links.ts'
import { decideVisits, updateVisits } from '../../src/tracking/queries.ts'
import { foldCounters } from '../../src/counters/index.ts'
import { aCampaign } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { assertCountersMatch, recount } from '../support/stats.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

interface Row {
  id: string
  contactId: string
  recipient: string
}
type Results = Record<string, number>

const utcDay = () => new Date().toISOString().slice(0, 10)

const NOTHING = {
  ...{ sent: 0, delivered: 0, bounced: 0, softBounced: 0, blocked: 0, opened: 0, machineOpened: 0, clicked: 0 },
  ...{ unsubscribed: 0, complained: 0 },
}

describe('reports', () => {
  let service: Service
  useServiceAndSink((started) => ({ service } = started))
  after(() => assertCountersMatch(service.context.orm.em, service.workspaceId))

  const em = () => service.context.orm.em.fork()
  const fold = () => eventually('no change is left', async () => (await foldCounters(em(), 1_000)) === 0 || undefined)
  const get = async (path: string, key = service.key) => {
    await fold()
    const { status, body } = await service.call('GET', path, undefined, { key })
    assert.equal(status, 200)
    // eslint-disable-next-line @typescript-eslint/no-unsafe-return -- the tests look into reports of all shapes
    return body.data
  }
  const messagesOf = (id: string) =>
    sql<Row>(
      em(),
      `select id, contact_id as "contactId", recipient from messages
       where (campaign_id = $1::uuid or automation_id = $1::uuid) and status = 'SENT' order by recipient`,
      [id],
    )
  const allSent = (id: string, total: number) =>
    eventually(`${total} messages are sent`, async () => {
      const rows = await messagesOf(id)
      return rows.length === total ? rows : undefined
    })
  const addresses = [
    'a@one.example',
    'b@one.example',
    'c@One.example',
    'd@two.example',
    'e@two.example',
    'f@three.example',
  ]

  /** Sends a campaign to six contacts at three domains. */
  async function aMailedCampaign(prefix: string, fields: object = {}) {
    const listId = await aList(service)
    for (const address of addresses) await aContact(service, { email: `${prefix}-${address}`, listId })
    const id = await aCampaign(service, [listId], fields)
    return { id, messages: await allSent(id, addresses.length) }
  }
  async function bounce({ id, contactId, recipient }: Row, kind: BounceKind) {
    const { workspaceId } = service
    const of = { id, workspaceId, contactId, originId: id, recipient, isUnderWay: false, createdAt: new Date() }
    const details = { category: null, status: null, diagnostic: null, providerVerdict: null }
    const report = { kind, ...details, source: 'test', sourceId: newId() }
    assert.equal(await recordBounce(service.context.dependencies, of, report), 'recorded')
  }
  const visit = async (messageId: string, kind: 'OPEN' | 'CLICK', visitor: string, url = '') => {
    await sql(
      em(),
      `insert into message_visits (message_id, kind, url, links, at, visitor)
       values ($1::uuid, $2, $3, 2, now() - interval '1 minute', $4)`,
      [messageId, kind, url, visitor === 'PERSON' ? 'UNDECIDED' : visitor],
    )
    if (visitor !== 'PERSON') return em().transactional((unit) => updateVisits(unit, [messageId]))
    // The worker may do it at the same time.
    await eventually('the visit counts as a person', async () => {
      await decideVisits(em(), 1_000)
      const decided = `select from message_visits where message_id = $1::uuid and kind = $2 and url = $3 and visitor = 'PERSON'`
      return (await sql(em(), decided, [messageId, kind, url])).length > 0 || undefined
    })
  }
  const attribute = (messageId: string, visitor: string) =>
    em().transactional(async (unit) => {
      await sql(unit, 'update message_visits set visitor = $2, at = now() where message_id = $1::uuid', [
        messageId,
        visitor,
      ])
      await updateVisits(unit, [messageId])
    })
  /** Records that the mail server accepted a message that is in flight. */
  const accept = async (unit: EntityManager, id: string, recipient: string) => {
    const [row] = await sql<{ claim: string }>(unit, 'select claim from messages where id = $1::uuid', [id])
    const content = { message_id: `<${id}>`, recipient, subject: 'Hello', html: null, text: null }
    const outcome = { id, claim: row!.claim, status: 'SENT' as const, response: '250', error: null, ...content }
    await countChanges(unit, await writeOutcomes(unit, [outcome]))
  }
  const unsubscribe = async (contactId: string, originId: string, form: Record<string, string>) => {
    const token = signLink(await readLinkSecret(em()), 'unsubscribe', { contactId, originId })
    const url = `http://127.0.0.1:${service.port}/unsubscribe/${token}`
    const { status } = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
    assert.equal(status, 200)
  }
  /** Counts the results in the tables. */
  async function counted(where: string, parameters: unknown[]): Promise<Results> {
    const has = (kind: string) => `exists (select from bounces where message_id = message.id and kind = '${kind}')`
    const visited = (of: string) => `exists (select from message_visits where message_id = message.id and ${of})`
    const of = (condition: string) => `count(*) filter (where ${condition})::integer`
    const [row] = await sql<Results>(
      em(),
      `select count(*)::integer as sent, ${of(`not ${has('HARD')}`)} as delivered, ${of(has('HARD'))} as bounced,
         ${of(has('SOFT'))} as "softBounced", ${of(has('BLOCKED'))} as blocked, ${of('opened_at is not null')} as opened,
         ${of(`'MACHINE_OPENED' = any(results)`)} as "machineOpened", ${of(visited(`kind = 'CLICK' and visitor = 'PERSON'`))} as clicked,
         ${of('unsubscribed_at is not null')} as unsubscribed, ${of(has('COMPLAINT'))} as complained
       from messages message where status = 'SENT' and (${where})`,
      parameters,
    )
    return row!
  }

  it('add up to what the tables contain, by campaign, step, domain, day and link', async () => {
    const link = 'https://shop.example/a?contact='
    const { id, messages } = await aMailedCampaign('mixed')
    const [a, b, c, d, e, f] = messages as [Row, Row, Row, Row, Row, Row]
    await bounce(a, 'HARD')
    await bounce(b, 'SOFT')
    await bounce(c, 'COMPLAINT')
    await bounce(e, 'UNSUBSCRIBE')
    await bounce(f, 'BLOCKED')
    for (const { id } of [c, d, f]) await visit(id, 'OPEN', 'PERSON')
    await visit(a.id, 'OPEN', 'MACHINE')
    await visit(b.id, 'OPEN', 'EARLY')
    // A machine opened it first.
    await attribute(d.id, 'MACHINE')
    await attribute(b.id, 'UNDECIDED')
    await visit(c.id, 'CLICK', 'PERSON', `${link}c`)
    await visit(d.id, 'CLICK', 'PERSON', `${link}d`)
    await visit(d.id, 'CLICK', 'PERSON', 'https://shop.example/b')
    await visit(f.id, 'CLICK', 'PERSON', 'https://shop.example/b')
    await visit(f.id, 'CLICK', 'BURST', `${link}f`)
    await unsubscribe(d.contactId, id, { 'List-Unsubscribe': 'One-Click' })
    await unsubscribe(d.contactId, id, { 'List-Unsubscribe': 'One-Click' })

    const automationId = await anAutomation(service, { steps: [EMAIL, { ...EMAIL, subject: 'Second' }] })
    for (const { contactId } of [b, f]) await enroll(service, automationId, contactId)
    const steps = await allSent(automationId, 4)
    await bounce(steps[0]!, 'HARD')
    await visit(steps[3]!.id, 'OPEN', 'PERSON')
    // The last email of the enrollment counts as the one that the link is from.
    const [enrollment] = await sql<{ id: string }>(
      em(),
      'select id from enrollments where automation_id = $1::uuid and contact_id = $2::uuid',
      [automationId, f.contactId],
    )
    await unsubscribe(f.contactId, enrollment!.id, { choice: 'nothing' })

    const assertReports = async () => {
      const campaign = await get(`campaigns/${id}/report`)
      assert.deepEqual(campaign.results, await counted('campaign_id = $1::uuid', [id]))
      assert.deepEqual(
        campaign.days.map(({ date, ...results }: Results) => (assert.ok(date), results)),
        [campaign.results],
      )
      const verified = await service.call('POST', 'campaigns/verify-report', campaign)
      assert.equal(verified.body.data.isValid, true)

      const automation = await get(`automations/${automationId}/report?days=1`)
      assert.deepEqual(automation.total, await counted('automation_id = $1::uuid', [automationId]))
      for (const { stepId, ...results } of automation.steps)
        assert.deepEqual(results, await counted('step_id = $1::uuid', [stepId]))
      assert.equal(automation.days.length, 1)

      const report = await get('reports/domains?days=2')
      assert.deepEqual(report.total, await counted('workspace_id = $1::uuid', [service.workspaceId]))
      for (const { domain, reputation, ...results } of report.domains) {
        assert.deepEqual(reputation, [])
        const where = `workspace_id = $2::uuid and recipient ilike '%@' || $1`
        assert.deepEqual(results, await counted(where, [domain, service.workspaceId]))
      }
      assert.deepEqual(report.others, NOTHING)
      const sums = Object.fromEntries(
        Object.keys(NOTHING).map((name) => [
          name,
          report.days.reduce((sum: number, day: Results) => sum + day[name]!, 0),
        ]),
      )
      assert.deepEqual(sums, report.total)
      await assertCountersMatch(em(), service.workspaceId)
      return { campaign, automation, report }
    }
    const { campaign, automation, report } = await assertReports()
    // Of the three, one was opened first by a machine. Its click implies an open.
    assert.deepEqual(campaign.results, {
      ...{ sent: 6, delivered: 5, bounced: 1, softBounced: 1, blocked: 1, opened: 3, machineOpened: 3, clicked: 3 },
      ...{ unsubscribed: 2, complained: 1 },
    })
    assert.partialDeepStrictEqual(automation.total, { sent: 4, bounced: 1, opened: 1, unsubscribed: 1 })
    assert.deepEqual(
      report.domains.map(({ domain, sent }: { domain: string; sent: number }) => [domain, sent]),
      [
        ['one.example', 5],
        ['three.example', 3],
        ['two.example', 2],
      ],
    )
    assert.deepEqual(campaign.links, [
      { variant: null, url: 'https://shop.example/b', clicks: 2 },
      { variant: null, url: `${link}c`, clicks: 1 },
      { variant: null, url: `${link}d`, clicks: 1 },
    ])
    assert.deepEqual(campaign.variants, [])

    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['campaigns:read'] })
    const withoutContacts = await get(`campaigns/${id}/report`, key)
    assert.deepEqual(withoutContacts.links, [
      { variant: null, url: 'https://shop.example/b', clicks: 2 },
      { variant: null, url: 'https://shop.example/a', clicks: 2 },
    ])

    const one = await get('reports/domains?domain=One.Example')
    assert.deepEqual(one.domains, [report.domains[0]])
    assert.equal(one.days.length, 1)
    const largest = await get('reports/domains?limit=1')
    assert.deepEqual([largest.domains.length, largest.others.sent], [1, 5])

    for (const { contactId } of [a, d, f])
      assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    const erased = await assertReports()
    assert.equal(erased.campaign.results.sent, 3)
    assert.deepEqual(
      erased.campaign.links.map(({ url }: { url: string }) => url),
      [`${link}c`],
    )
    const left = await sql<{ url: string }>(em(), 'select url from link_clicks where automation_id = $1::uuid', [id])
    assert.deepEqual(left, [{ url: `${link}c` }], 'no URL of an erased contact is kept')
    const days = `select from domain_days where domain = 'three.example' and workspace_id = $1::uuid`
    assert.deepEqual(await sql(em(), days, [service.workspaceId]), [], 'no domain of erased contacts is kept')
  })

  it('have the results of each variant of a campaign', async () => {
    const abTest = { variants: [{ subject: 'Other news' }], testPercent: 100, winnerBy: 'CLICKED', afterMinutes: 60 }
    const { id, messages } = await aMailedCampaign('tested', { abTest })
    await bounce(messages[0]!, 'HARD')
    await visit(messages[1]!.id, 'CLICK', 'PERSON', 'https://shop.example')
    const { variants, results, links } = await get(`campaigns/${id}/report`)
    assert.ok(variants.length > 0)
    for (const { variant, ...of } of variants)
      assert.deepEqual(of, await counted('campaign_id = $1::uuid and variant = $2', [id, variant]))
    const sum = (name: string) => (variants as Results[]).reduce((total, each) => total + each[name]!, 0)
    assert.deepEqual([sum('sent'), sum('bounced'), sum('clicked')], [results.sent, 1, 1])
    const [clicked] = await sql<{ variant: number }>(em(), 'select variant from messages where id = $1::uuid', [
      messages[1]!.id,
    ])
    assert.deepEqual(links, [{ ...clicked, url: 'https://shop.example', clicks: 1 }])
  })

  it('have the results of the campaigns, variants and steps that use a template', async () => {
    const aTemplate = async () => {
      const { body } = await service.call('POST', 'templates', { name: `T ${newId()}`, subject: 'Hi', text: 'Hi' })
      return body.data.id as string
    }
    const [templateId, other] = [await aTemplate(), await aTemplate()]
    const own = { subject: undefined, text: undefined }
    const plain = await aMailedCampaign('templated', { ...own, templateId })
    const abTest = { variants: [{ templateId: other }], testPercent: 100, winnerBy: 'CLICKED', afterMinutes: 60 }
    const tested = await aMailedCampaign('tested-template', { ...own, templateId, abTest })
    const steps = [
      { type: 'EMAIL', templateId },
      { type: 'EMAIL', templateId: other },
    ]
    const automationId = await anAutomation(service, { steps })
    await enroll(service, automationId, plain.messages[0]!.contactId)
    const [first] = await allSent(automationId, 2)
    await bounce(plain.messages[0]!, 'SOFT')
    await bounce(first!, 'COMPLAINT')

    const { total, uses } = await get(`templates/${templateId}/report`)
    const [step, variant, campaign] = uses
    assert.deepEqual([step.automationId, step.campaignId, step.variant], [automationId, null, null])
    assert.deepEqual([variant.campaignId, variant.variant, variant.stepId], [tested.id, 0, null])
    assert.deepEqual([campaign.campaignId, campaign.variant, uses.length], [plain.id, null, 3])
    const { body } = await service.call('GET', `automations/${automationId}`)
    assert.equal(step.stepId, body.data.steps[0].id)
    const expected = await counted(
      'campaign_id = $1::uuid or campaign_id = $2::uuid and variant = 0 or step_id = $3::uuid',
      [plain.id, tested.id, step.stepId],
    )
    assert.deepEqual(total, expected)
    assert.deepEqual([campaign.softBounced, step.sent], [1, 1])
  })

  it('count a message with a list that its contact leaves as unsubscribed', async () => {
    const { id, messages } = await aMailedCampaign('left')
    const [{ contactId }] = messages as [Row]
    await sql(
      em(),
      'update lists set public = true where id in (select list_id from list_members where contact_id = $1::uuid)',
      [contactId],
    )
    await unsubscribe(contactId, id, { choice: 'lists' })
    assert.equal((await get(`campaigns/${id}/report`)).results.unsubscribed, 1)
  })

  it('have the results of each day on which emails were sent', async () => {
    const { messages } = await aMailedCampaign('dated')
    const [today, yesterday, weekAgo, older] = messages as [Row, Row, Row, Row]
    const daysAgo: [Row, number][] = [
      [yesterday, 1],
      [weekAgo, 6],
      [older, 40],
    ]
    for (const [{ id }, days] of daysAgo)
      await sql(
        em(),
        `update messages set sent_at = sent_at - make_interval(days => $2::integer) where id = $1::uuid`,
        [id, days],
      )
    await recount(em())
    // A bounce counts on the day on which the email was sent.
    await bounce(weekAgo, 'HARD')
    await bounce(today, 'SOFT')
    const byDay = async (days: number) => {
      const report = await get(`reports/domains?days=${days}`)
      return (report.days as { date: string; sent: number; bounced: number; softBounced: number }[]).map((day) => {
        const ago = Math.round((Date.parse(utcDay()) - Date.parse(day.date)) / 86_400_000)
        return [ago, day.bounced, day.softBounced] as const
      })
    }
    const week = await byDay(7)
    assert.deepEqual(
      week.map(([ago]) => ago),
      [6, 1, 0],
    )
    assert.equal(week[0]![1], 1)
    assert.deepEqual(
      (await byDay(2)).map(([ago]) => ago),
      [1, 0],
    )
    assert.deepEqual(
      (await byDay(90)).map(([ago]) => ago),
      [40, 6, 1, 0],
    )
  })

  it('count an outcome that is recorded while its message becomes SENT', async () => {
    const { id, messages } = await aMailedCampaign('raced')
    const [message] = messages as [Row]
    await sql(em(), `update messages set status = 'SENDING', sent_at = null, recipient = null where id = $1::uuid`, [
      message.id,
    ])
    await recount(em())
    const accepted = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const accepting = em().transactional(async (unit) => {
      await accept(unit, message.id, message.recipient)
      accepted.resolve()
      await released.promise
    })
    await accepted.promise
    let isDone = false
    const recorded = bounce(message, 'HARD').then(() => (isDone = true))
    await eventually('the bounce is recorded, or waits', async () => {
      const blocked = await sql(
        em(),
        `select from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
      )
      return isDone || blocked.length > 0 || undefined
    })
    released.resolve()
    await Promise.all([accepting, recorded])
    assert.partialDeepStrictEqual((await get(`campaigns/${id}/report`)).results, { sent: 6, bounced: 1 })
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('count what happens to a message in flight', async () => {
    const { id: campaignId, messages } = await aMailedCampaign('early')
    const [{ id, contactId, recipient }] = messages as [Row]
    await sql(em(), `update messages set status = 'SENDING', sent_at = null, recipient = null where id = $1::uuid`, [
      id,
    ])
    await recount(em())
    await visit(id, 'OPEN', 'EARLY')
    await unsubscribe(contactId, campaignId, { choice: 'nothing' })
    await em().transactional((unit) => accept(unit, id, recipient))
    assert.partialDeepStrictEqual((await get(`campaigns/${campaignId}/report`)).results, {
      machineOpened: 1,
      unsubscribed: 1,
    })
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('reject days out of range, and contain no domains of other workspaces', async () => {
    for (const days of ['0', '367', 'x'])
      assert.equal((await service.call('GET', `reports/domains?days=${days}`)).refused, '400 invalid_request')
    assert.deepEqual((await get('reports/domains', await service.newKey())).domains, [])
  })
})
