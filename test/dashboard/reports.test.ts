import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('results of emails in the dashboard', function () {
  this.timeout(180_000)
  let service: Service
  let sink: SmtpSink
  let browser: Browser
  let page: Page
  before(async () => {
    sink = await startSmtpSink()
    service = await startService({ env: { SMTP_URL: sink.url } })
    browser = await openChromium()
    const { email } = await aMember(service)
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
  })
  after(async () => {
    await browser.close()
    await service.stop()
    await sink.close()
  })

  const em = () => service.context.orm.em.fork()
  const at = (path: string) => `/w/${service.workspaceId}${path}`
  const section = (name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
  /** Waits for the results of a number of emails. @returns the text of a section */
  const textOf = async (name: string, expected: RegExp): Promise<string> => {
    const text = section(name)
    await text.getByText(expected).first().waitFor()
    return (await text.innerText()).replaceAll(/\s+/g, ' ')
  }

  it('shows them with links for a campaign, for an automation and its steps, and by receiving domain', async () => {
    const listId = await aList(service)
    const contacts = [1, 2, 3, 4].map((n) => aContact(service, { email: `reader-${n}@shop-${n % 2}.example`, listId }))
    const [contactId] = await Promise.all(contacts)
    const campaign = { name: 'News', subject: 'News', text: 'Hello', audience: { listIds: [listId] } }
    const { body } = await service.call('POST', 'campaigns', campaign)
    const id = body.data.id as string
    await service.call('POST', `campaigns/${id}/schedule`, {})
    const sent = await eventually('the messages are sent', async () => {
      const { data } = (await service.call('GET', `messages?campaignId=${id}&status=SENT`)).body
      return data.length === 4 ? (data as { id: string; contactId: string }[]) : undefined
    })
    const [clicked, bounced] = sent as [{ id: string }, { id: string; contactId: string }]
    await sql(
      em(),
      `insert into message_visits (message_id, kind, url, links, at, visitor)
       values ($1::uuid, 'CLICK', 'https://shop.example/sale', 2, now(), 'PERSON'), ($1::uuid, 'OPEN', '', 2, now(), 'MACHINE')`,
      [clicked.id],
    )
    await sql(em(), 'update messages set clicked_at = now() where id = $1::uuid', [clicked.id])
    await sql(
      em(),
      `insert into bounces (id, workspace_id, contact_id, message_id, kind, source)
       values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, 'HARD', 'test')`,
      [newId(), service.workspaceId, bounced.contactId, bounced.id],
    )
    await eventually('the relay has added them up', async () => {
      const { data } = (await service.call('GET', 'reports/domains')).body
      return (data.total.bounced === 1 && data.total.clicked === 1) || undefined
    })

    await page.goto(at(`/campaigns/${id}`))
    const delivery = await textOf('Delivery', /^Bounced/)
    assert.match(
      delivery,
      /Delivered 3 75\.0% of 4 sent Opened by machines 1 25\.0% Clicked 1 25\.0% Bounced \(hard\) 1 25\.0%/,
    )
    assert.match(delivery, /https:\/\/shop\.example\/sale 1/)

    await page.goto(at('/bounces'))
    const domains = await textOf('Receiving domains', /shop-0/)
    assert.match(domains, /shop-0\.example 2/)
    assert.match(domains, /shop-1\.example 2/)

    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId!)
    await eventually('the step is sent', async () => {
      const { data } = (await service.call('GET', `automations/${automationId}/report`)).body
      return data.total.sent === 1 || undefined
    })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByText('Stats', { exact: true }).first().click()
    assert.match(await textOf('Email results', /^Delivered/), /Delivered 1 100\.0%/)
    await page.getByTestId('step').first().click()
    assert.match(await textOf('Email results', /^Delivered/), /Delivered 1 100\.0%/)
  })
})
