import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import { recount } from '../support/stats.ts'

describe('results of emails in the dashboard', () => {
  const d = onDashboard()

  const em = () => d.service.context.orm.em.fork()

  const section = (name: string) =>
    d.page.locator('section').filter({ has: d.page.getByRole('heading', { name, exact: true }) })
  /** Waits for the results of a number of emails. @returns the text of a section */
  const textOf = async (name: string, expected: RegExp): Promise<string> => {
    const text = section(name)
    await text.getByText(expected).first().waitFor()
    return (await text.innerText()).replaceAll(/\s+/g, ' ')
  }

  it('shows them with links for a campaign, for an automation and its steps, and by receiving domain', async () => {
    const listId = await aList(d.service)
    const contacts = [1, 2, 3, 4].map((n) =>
      aContact(d.service, { email: `reader-${n}@shop-${n % 2}.example`, listId }),
    )
    const [contactId] = await Promise.all(contacts)
    const campaign = { name: 'News', subject: 'News', text: 'Hello', audience: { listIds: [listId] } }
    const { body } = await d.service.call('POST', 'campaigns', campaign)
    const id = body.data.id as string
    await d.service.call('POST', `campaigns/${id}/schedule`, {})
    const sent = await eventually('the messages are sent', async () => {
      const { data } = (await d.service.call('GET', `messages?campaignId=${id}&status=SENT`)).body
      return data.length === 4 ? (data as { id: string }[]) : undefined
    })
    const [clicked, bounced] = sent as [{ id: string }, { id: string }]
    await sql(
      em(),
      `insert into message_visits (message_id, kind, url, links, at, visitor)
       values ($1::uuid, 'CLICK', 'https://shop.example/sale', 2, now(), 'PERSON'), ($1::uuid, 'OPEN', '', 2, now(), 'MACHINE')`,
      [clicked.id],
    )
    const opened = `update messages set clicked_at = now(), results = '{MACHINE_OPENED}' where id = $1::uuid`
    await sql(em(), opened, [clicked.id])
    await sql(em(), `update messages set results = '{HARD_BOUNCED}' where id = $1::uuid`, [bounced.id])
    await recount(em())
    await eventually('the relay has added them up', async () => {
      const { data } = (await d.service.call('GET', 'reports/domains')).body
      return (data.total.bounced === 1 && data.total.clicked === 1) || undefined
    })

    await d.open(`/campaigns/${id}`)
    await d.isAt('Delivered to 3 of 4 recipients')
    const rates = (await d.page.getByLabel('Rates').innerText()).replaceAll(/\s+/g, ' ')
    assert.match(rates, /Click rate 33\.3% 1 clicked .* Bounced 25\.0% 1 hard, 0 soft, 0 blocked/)
    await d.shows('1 machine open (33.3%) are not in the open rate')
    assert.match(await textOf('Clicks by link', /shop/), /https:\/\/shop\.example\/sale 1 100\.0%/)

    await d.open('/sender')
    const domains = await textOf('Receiving domains', /shop-0/)
    assert.match(domains, /shop-0\.example 2/)
    assert.match(domains, /shop-1\.example 2/)
    assert.match(domains, /shop-0\.example 2 .* Nothing/)

    const automationId = await anAutomation(d.service)
    await enroll(d.service, automationId, contactId!)
    await eventually('the step is sent', async () => {
      const { data } = (await d.service.call('GET', `automations/${automationId}/report`)).body
      return data.total.sent === 1 || undefined
    })
    await d.open(`/automations/${automationId}`)
    await d.page.getByText('Stats', { exact: true }).first().click()
    assert.match(await textOf('Email results', /^Delivered/), /Delivered 1 100\.0%/)
    await d.page.getByTestId('step').first().click()
    assert.match(await textOf('Email results', /^Delivered/), /Delivered 1 100\.0%/)
  })
  it('shows transactional emails by template or tag, and how to send the first one', async () => {
    await d.open('/transactional')
    await d.shows('No transactional emails in 24 hours', /curl -X POST/)
    await d.page.getByText('SMTP', { exact: true }).click()
    await d.shows(/SMTP_SUBMISSION_PORT/)
    for (const to of ['ada@example.com', 'grace@example.com'])
      await d.service.call('POST', 'emails', { to, subject: 'Your code', text: '123456', tags: ['sign-in', 'auth'] })
    await eventually('they are sent', async () => {
      const { data } = (await d.service.call('GET', 'reports/transactional')).body
      return data.total.delivered === 2 || undefined
    })
    await d.open('/transactional')
    await d.row(/sign-in tag 2 100.0% 0/).waitFor()
    await d.shows('2 of 2', /^Median /)
    await d.row(/grace@example.com Sent Your code/).click()
    await d.isAt('Your code')
  })
})
