import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { violationsOf } from '../support/axe.ts'
import { aCampaign, campaignIs } from '../support/campaigns.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList } from '../support/factories.ts'
import { recount } from '../support/stats.ts'

/** An address that would break out of an attribute, and become an element. */
const HOSTILE = 'https://shop.example/?q="><b id=broken>'
const HTML = `<p>Hello</p><p><a href="https://shop.example/sale">To the sale</a></p>
<p><a href="${HOSTILE.replaceAll('"', '&quot;')}">Search</a> <a href="https://shop.example/about">About</a></p>`

describe('the report of a campaign in the dashboard', () => {
  const d = onDashboard({ bypassCSP: true })
  const em = () => d.service.context.orm.em.fork()

  /** The rows of a table, each as the texts of its cells. */
  const rowsOf = async (table: string): Promise<string[]> => {
    const rows = d.page.getByRole('table', { name: table, exact: true }).locator('tbody tr, tfoot tr')
    await rows.first().waitFor()
    return (await rows.allInnerTexts()).map((text) => text.split(/\s*[\t\n]\s*/).join(' | '))
  }
  const barsOf = async (chart: string): Promise<(string | null)[]> => {
    const bars = d.page.getByRole('list', { name: chart }).getByRole('listitem')
    await bars.first().waitFor()
    return Promise.all((await bars.all()).map((bar: Locator) => bar.getAttribute('aria-label')))
  }
  const contactsAre = (...expected: string[]) =>
    eventually(`the recipients are ${expected.join(', ')}`, async () => {
      const rows = await d.page.getByRole('table', { name: 'Recipients', exact: true }).locator('tbody tr').all()
      const shown = await Promise.all(rows.map((row) => row.getByRole('link').first().innerText()))
      return shown.toSorted().join() === expected.toSorted().join() || undefined
    })

  /** Sends a campaign to ten domains: three contacts at one.example, two at two.example, and one at each of the others. */
  async function aSentCampaign(): Promise<string> {
    const listId = await aList(d.service)
    const others = Array.from({ length: 8 }, (_, n) => `a@other-${n}.example`)
    const readers = ['a@one.example', 'b@one.example', 'c@one.example', 'a@two.example', 'b@two.example', ...others]
    for (const email of readers) await aContact(d.service, { email, listId })
    const id = await aCampaign(d.service, [listId], { html: HTML, text: null })
    await campaignIs(d.service, id, 'SENT')
    await sql(em(), `update campaigns set started_at = now() - interval '150 minutes' where id = $1::uuid`, [id])
    const results = `update messages set opened_at = now() - $2 * interval '1 minute', clicked_at = now() - $3 * interval '1 minute',
      results = $4::text[] where campaign_id = $1::uuid and recipient = $5`
    await sql(em(), results, [id, 140, 80, [], 'a@one.example'])
    await sql(em(), results, [id, 20, null, [], 'b@one.example'])
    await sql(em(), results, [id, null, null, ['HARD_BOUNCED'], 'a@two.example'])
    await sql(
      em(),
      `insert into message_visits (message_id, kind, url, links, at, visitor)
       select id, 'CLICK', unnest($2::text[]), 3, now(), 'PERSON' from messages
       where campaign_id = $1::uuid and recipient = 'a@one.example'`,
      [id, ['https://shop.example/sale', HOSTILE]],
    )
    await recount(em())
    return id
  }

  it('shows it by domain and over time, and lists the recipients of each figure', async () => {
    const id = await aSentCampaign()
    await d.open(`/campaigns/${id}`)
    await d.isAt('Delivered to 12 of 13 recipients')
    assert.deepEqual(await rowsOf('Delivery by domain'), [
      'one.example | 3 | 3 | 0 | 0 | 66.7% | 33.3%',
      'two.example | 2 | 1 | 1 (50.0%) | 0 | 0.0% | 0.0%',
      ...[0, 1, 2, 3, 4, 5].map((n) => `other-${n}.example | 1 | 1 | 0 | 0 | 0.0% | 0.0%`),
      '2 other domains | 2 | 2 | 0 | 0 | 0.0% | 0.0%',
      'All domains | 13 | 12 | 1 (7.7%) | 0 | 16.7% | 8.3%',
    ])
    const hours = (await barsOf('Opens and clicks by hour')).map((bar) => bar!.split(': ')[1])
    assert.deepEqual(hours, ['1 open, 0 clicks', '0 opens, 1 click', '1 open, 0 clicks'])

    assert.deepEqual(await violationsOf(d.page), [])

    await d.link('2 opened').click()
    await d.page.waitForURL(/recipients=opened#recipients$/)
    await contactsAre('a@one.example', 'b@one.example')
    await d.press('Bounced 1')
    await contactsAre('a@two.example')
    assert.equal(await d.button(/Create segment/).count(), 0)
    await d.press('Clicked 1')
    await contactsAre('a@one.example')
    await d.press('Create segment from 1 contact')
    await d.isAt('Contacts')
    await d.shows('a@one.example')
    assert.equal((await d.read('segments')).length, 1)

    await d.open(`/campaigns/${id}?recipients=clicked`)
    await d
      .row(/a@one\.example/)
      .getByRole('link', { name: 'Sent' })
      .click()
    await d.page.waitForURL(/\/messages\//)
    await d.isAt('News')
    await d.page.goBack()
    await d.row(/a@one\.example/).click()
    await d.isAt('a@one.example')
  })

  it('marks the links that recipients clicked, whatever their address contains', async () => {
    const id = await aSentCampaign()
    await d.open(`/campaigns/${id}`)
    const email = d.page.frameLocator('iframe[title^="Email with the share"]')
    await email.getByText('To the sale 100.0%').waitFor()
    const lines = (await email.locator('p').allInnerTexts()).map((text) => text.trim())
    assert.deepEqual(lines.slice(0, 3), ['Hello', 'To the sale 100.0%', 'Search 100.0% About'])
    assert.equal(await email.locator('#broken').count(), 0)
    const links = await rowsOf('Clicks by link')
    assert.deepEqual(links.toSorted(), [
      `Search | ${HOSTILE} | 1 | 100.0%`,
      'To the sale | https://shop.example/sale | 1 | 100.0%',
    ])
  })

  it('shows the last minutes and what waits by domain while it is sent, on a phone, too', async () => {
    const listId = await aList(d.service)
    for (const email of ['a@one.example', 'b@one.example', 'a@two.example'])
      await aContact(d.service, { email, listId })
    const id = await aCampaign(d.service, [listId], { throttlePerHour: 1 })
    await eventually('one of three is sent', async () => {
      const { stats } = (await d.read(`campaigns/${id}`)) as { stats: Record<string, number> }
      return (stats['sent'] === 1 && stats['queued'] === 2) || undefined
    })
    // The contact who comes first.
    await sql(
      em(),
      `update messages set recipient = 'a@one.example' where campaign_id = $1::uuid and status = 'SENT'`,
      [id],
    )
    await d.open(`/campaigns/${id}`)
    await d.isAt('1 of 3 recipients is done')
    const minutes = await barsOf('Messages per minute')
    assert.equal(minutes.filter((bar) => bar!.endsWith(': 1 sent')).length, 1)
    assert.equal((await rowsOf('Delivery by domain')).at(-1), 'All domains | 3 | 1 | 0 | 0 | 0 | 2')
    for (const width of [1_190, 390]) {
      await d.page.setViewportSize({ width, height: 844 })
      await d.page.waitForFunction(
        `[document.documentElement, document.querySelector('main')].every((at) => at.scrollWidth <= at.clientWidth)`,
      )
    }
  })
})
