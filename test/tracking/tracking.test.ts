import assert from 'node:assert/strict'
import { createHash, createSecretKey } from 'node:crypto'
import PostalMime from 'postal-mime'
import type { ReceivedMail, SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { signLink } from '../../src/signed-links/links.ts'
import { signVisit } from '../../src/signed-links/visit-links.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { aMember } from '../support/members.ts'
import { aCampaign, campaignIs } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { activityOf, addressOf, aContact, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { assertCountersMatch, recount } from '../support/stats.ts'
import type { Service } from '../support/service.ts'
import { PUBLIC_URL, useServiceAndSink } from '../support/shared-service.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const LINKS = [
  'https://shop.example/a?x=1&y=2',
  'https://shop.example/b',
  'https://shop.example/c',
  'https://shop.example/d',
]
const HTML = `<html><body>${LINKS.map((url) => `<a href="${url.replaceAll('&', '&amp;')}">Go</a>`).join(' ')}</body></html>`

interface Seen {
  id: string
  status: string
  html: string
  openedAt: string | null
  clickedAt: string | null
  clicks: { url: string; at: string }[]
}

describe('tracking', () => {
  let service: Service
  let sink: SmtpSink
  after(() => assertCountersMatch(service.context.orm.em, service.workspaceId))
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    await setTracking({ trackOpens: true, trackClicks: true })
  })

  const em = () => service.context.orm.em.fork()
  const setTracking = (tracking: object) =>
    sql(
      em(),
      `insert into senders (workspace_id, track_opens, track_clicks, updated_at)
       select $1::uuid, ($2::jsonb ->> 'trackOpens')::boolean, ($2::jsonb ->> 'trackClicks')::boolean, now()
       on conflict (workspace_id) do update set track_opens = excluded.track_opens, track_clicks = excluded.track_clicks`,
      [service.workspaceId, JSON.stringify(tracking)],
    )
  const htmlOf = async ({ headers, body }: ReceivedMail) =>
    (await PostalMime.parse(`${headers}\r\n\r\n${body}`)).html ?? ''
  /** Replaces the public URL of a link with the current address of the service. */
  const here = (url: string) => url.replace(PUBLIC_URL, `http://127.0.0.1:${service.port}`)
  const visit = (url: string, agent = CHROME, method = 'GET') =>
    fetch(here(url), { method, redirect: 'manual', headers: { 'user-agent': agent } })
  const messageOf = async (contactId: string) => (await activityOf(service, contactId))[0] as unknown as Seen
  const visitsOf = (messageId: string) =>
    sql<{ kind: string; url: string; visitor: string; visits: number }>(
      em(),
      'select kind, url, visitor, visits from message_visits where message_id = $1::uuid order by kind, url',
      [messageId],
    )
  /** Simulates the passage of time. */
  const later = async (messageId: string, seconds: number) => {
    for (const [table, column, key] of [
      ['messages', 'sent_at', 'id'],
      ['message_visits', 'at', 'message_id'],
      ['message_visits', 'last_at', 'message_id'],
    ])
      await sql(
        em(),
        `update ${table} set ${column} = ${column} - make_interval(secs => $2::float8) where ${key} = $1::uuid`,
        [messageId, seconds],
      )
    // The counters of a day do not follow a message that is moved to another one.
    await recount(em())
  }

  /** Sends an email with links to a contact. @returns the tracked links by their targets */
  async function mailed(step: object = {}, agoSeconds = 3_600) {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [{ ...EMAIL, html: HTML, ...step }] })
    await enroll(service, automationId, contactId)
    const address = await addressOf(service, contactId)
    const mail = await eventually('the email', () => sink.mails.find(({ to }) => to[0] === address))
    const message = await eventually('it is recorded', async () => {
      const found = await messageOf(contactId)
      return found?.status === 'SENT' ? found : undefined
    })
    await sql(em(), 'update messages set sent_at = now() - make_interval(secs => $2::float8) where id = $1::uuid', [
      message.id,
      agoSeconds,
    ])
    await recount(em())
    const body = await htmlOf(mail)
    const ways = [...body.matchAll(/<a href="([^"]+)">Go/g)].map(([, url]) => url!)
    const [, picture] = /<img src="([^"]+)"/.exec(body) ?? []
    return { contactId, automationId, messageId: message.id, body, ways, picture: picture ?? '' }
  }

  it('is off by default, and only an owner can enable it', async () => {
    const { browser } = await aMember(service, 'owner')
    const { workspaceId } = service
    const assertTracks = async (isOn: boolean) => {
      const { body } = await browser.ask('GET', 'sender', { workspaceId })
      assert.partialDeepStrictEqual(body.data, { trackOpens: isOn, trackClicks: isOn })
    }
    await assertTracks(true)
    await browser.ask('PUT', 'sender', { workspaceId, body: { fromName: 'Orchard' } })
    await assertTracks(false)
    const { ways, picture } = await mailed()
    assert.deepEqual([ways.map((url) => url.replaceAll('&amp;', '&')), picture], [LINKS, ''])
    await browser.ask('PUT', 'sender', { workspaceId, body: { trackOpens: true, trackClicks: true } })
    await assertTracks(true)
  })

  it('replaces links except those to unsubscribe, and stores the original content', async () => {
    const { contactId, ways, picture, body } = await mailed()
    assert.equal(ways.length, LINKS.length)
    for (const url of [...ways.map((way) => way.replace('/c/', '/o/')), picture])
      assert.ok(url.startsWith(`${PUBLIC_URL}/o/`), url)
    assert.match(body, /href="https:\/\/mail\.example\.com\/unsubscribe\/[\w-]{66}"/)
    const { html } = await messageOf(contactId)
    assert.ok(html.includes('href="https://shop.example/b"') && !html.includes('/o/'))
  })

  it('does not change transactional emails', async () => {
    const { ways, picture } = await mailed({ category: 'transactional' })
    assert.deepEqual([ways.at(-1), picture], [LINKS.at(-1), ''])
  })

  it('counts a person’s click after the delay, and redirects', async () => {
    const { contactId, automationId, messageId, ways } = await mailed()
    const answer = await visit(ways[0]!)
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, LINKS[0]])
    assert.equal((await visit(ways[0]!)).status, 302)
    assert.deepEqual(await visitsOf(messageId), [{ kind: 'CLICK', url: LINKS[0], visitor: 'UNDECIDED', visits: 1 }])
    assert.equal((await messageOf(contactId)).clickedAt, null)
    await later(messageId, 16)
    const seen = await eventually('it counts', async () => {
      const message = await messageOf(contactId)
      return message.clickedAt === null ? undefined : message
    })
    // Who clicked has opened the email, also if images are blocked.
    assert.deepEqual([seen.openedAt, seen.clicks.map(({ url }) => url)], [seen.clickedAt, [LINKS[0]]])
    const stats = (await service.call('GET', `automations/${automationId}/stats`)).body.data
    assert.deepEqual([stats.steps[0].opened, stats.steps[0].clicked, stats.steps[0].messages.sent], [1, 1, 1])
    const count = async (condition: object) =>
      (await service.call('POST', 'segments/count', { condition })).body.data.contactCount as number
    const about = { automation: automationId }
    assert.equal(await count({ activity: 'CLICKED', ...about, withinDays: 1 }), 1)
    assert.equal(await count({ activity: 'OPENED', ...about }), 1)
    assert.equal(await count({ activity: 'OPENED', campaign: newId() }), 0)
    assert.equal(await count({ activity: 'CLICKED', campaign: newId() }), 0)
  })

  it('counts a person’s open', async () => {
    const { contactId, messageId, picture } = await mailed()
    const answer = await visit(picture)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/gif'])
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    await later(messageId, 16)
    await eventually('it counts', async () => ((await messageOf(contactId)).openedAt === null ? undefined : true))
  })

  it('ignores machines and visits that come too early for a person, but counts a later visit by a person', async () => {
    const { contactId, messageId, ways, picture } = await mailed({}, 0)
    await visit(ways[0]!)
    await visit(picture)
    await later(messageId, 3_600)
    await visit(ways[1]!, 'python-requests/2.32.3')
    await visit(ways[2]!, CHROME, 'HEAD')
    assert.deepEqual(
      (await visitsOf(messageId)).map(({ visitor }) => visitor),
      ['EARLY', 'MACHINE', 'MACHINE', 'EARLY'],
    )
    await visit(ways[0]!)
    await later(messageId, 16)
    await eventually('it counts', async () => ((await messageOf(contactId)).clickedAt === null ? undefined : true))
    const { openedAt, clickedAt } = await messageOf(contactId)
    assert.equal(openedAt, clickedAt)
  })

  it("is part of a campaign's stats, and is deleted when its contact is erased", async () => {
    const listId = await aList(service)
    const contactId = await aContact(service, { listId })
    const id = await aCampaign(service, [listId], { html: HTML })
    const clicks = async () => (await service.call('GET', `campaigns/${id}`)).body.data.clicked as number
    await campaignIs(service, id, 'SENT')
    const address = await addressOf(service, contactId)
    const body = await htmlOf(sink.mails.find(({ to }) => to[0] === address)!)
    const { id: messageId } = await messageOf(contactId)
    await later(messageId, 3_600)
    await visit(/<a href="([^"]+)">Go/.exec(body)![1]!)
    await later(messageId, 16)
    await eventually('it counts', async () => (await clicks()) === 1 || undefined)
    const [listed] = (await service.call('GET', 'campaigns')).body.data as object[]
    assert.partialDeepStrictEqual(listed, { id, clicked: 1, opened: 1 })
    const condition = { activity: 'CLICKED', campaign: id }
    assert.equal((await service.call('POST', 'segments/count', { condition })).body.data.contactCount, 1)
    await service.call('DELETE', `contacts/${contactId}`)
    assert.equal(await clicks(), 0)
  })

  it('rejects forged and truncated tokens, and tokens of other kinds', async () => {
    const { contactId, messageId, ways } = await mailed()
    const token = ways[0]!.split('/').at(-1)!
    const bytes = Buffer.from(token, 'base64url')
    const elsewhere = Buffer.concat([bytes.subarray(0, -LINKS[0]!.length), Buffer.from('https://evil.example')])
    const secret = await readLinkSecret(em())
    const of = { contactId, messageId: '<0123456789ab@x>', url: LINKS[0]!, links: 4 }
    for (const forged of [
      elsewhere.toString('base64url'),
      bytes.subarray(0, -1).toString('base64url'),
      `${token}=`,
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      'x',
      'A'.repeat(5_000),
      encodeURIComponent('https://evil.example'),
      signLink(secret, 'unsubscribe', { contactId, originId: newId() }),
      signVisit(secret, 'open', of)!,
      signVisit(createSecretKey(createHash('sha256').update('another').digest()), 'click', of)!,
    ]) {
      const answer = await visit(`${PUBLIC_URL}/c/${forged}`)
      assert.deepEqual([answer.status, answer.headers.get('location')], [404, null], forged)
    }
    assert.deepEqual(await visitsOf(messageId), [])
    // A link of a deleted email still redirects.
    const gone = await visit(`${PUBLIC_URL}/c/${signVisit(secret, 'click', of)}`)
    assert.deepEqual([gone.status, gone.headers.get('location')], [302, LINKS[0]])
    // A POST is not redirected: it could create an account on another site.
    assert.notEqual((await visit(ways[0]!, CHROME, 'POST')).status, 302)
  })
})
