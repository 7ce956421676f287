import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import type { BrowserLike } from '../support/browser-like.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { aContact, addressOf, aList, anAutomation, EMAIL } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('campaigns, sender, lists and suppressions in the dashboard', function () {
  this.timeout(180_000)
  let service: Service
  let sink: SmtpSink
  let browser: Browser
  let page: Page
  let owner: BrowserLike
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  const texts: Record<string, string[]> = {}
  before(async () => {
    sink = await startSmtpSink()
    dns = await startDnsServer(texts)
    const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')
    service = await startService({ env: { SMTP_URL: sink.url, DNS_SERVERS: dns.address, SECRETS_KEY } })
    browser = await openChromium()
    const member = await aMember(service)
    owner = member.browser
    ;({ page } = await openWindow(browser, service))
    await signIn(page, member.email)
  })
  after(async () => {
    await browser.close()
    await service.stop()
    await sink.close()
    dns.close()
  })
  const at = (path: string) => `/w/${service.workspaceId}${path}`
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()

  it('creates a campaign, counts its audience, sends it once to each contact, and reports the result', async () => {
    const [list, without] = [await aList(service), await aList(service)]
    const names = await Promise.all(
      [list, without].map(async (id) => (await service.call('GET', `lists/${id}`)).body.data.name as string),
    )
    const contacts = await Promise.all(Array.from({ length: 4 }, () => aContact(service)))
    await service.call('POST', `lists/${list}/contacts`, { contactIds: contacts })
    await service.call('POST', `lists/${without}/contacts`, { contactIds: contacts.slice(0, 1) })
    const addresses = await Promise.all(contacts.map((id) => addressOf(service, id)))
    await service.call('POST', 'suppressions', { email: addresses[1]!, reason: 'UNSUBSCRIBED' })

    await page.goto(at('/campaigns'))
    await page.getByText('Campaigns send one email to lists or segments.').waitFor()
    await press('New campaign')
    const form = page.getByRole('form', { name: 'New campaign' })
    await form.getByLabel('Name').fill('December news')
    for (const [label, name] of [
      ['Lists', names[0]],
      ['Excluded lists', names[1]],
    ] as const) {
      await form.getByLabel(label, { exact: true }).click()
      await page.getByRole('option', { name: name!, exact: true }).click()
      await page.keyboard.press('Escape')
    }
    await form.getByText('2 recipients now, without duplicates. Not emailed: 1 unsubscribed.').waitFor()
    await form.getByLabel('Subject').fill('News for you')
    await form.getByLabel('HTML').fill('<p>Hello {{ contact.fristName }}</p>')
    await form.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: 'December news', level: 1 }).waitFor()

    // The preview shows the email and its unknown variables.
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('contact.fristName', { exact: true }).waitFor()
    await preview.frameLocator('iframe').getByText('Hello', { exact: true }).waitFor()
    await preview.getByRole('button', { name: 'Send test email' }).waitFor()

    // A draft can be edited.
    await press('Edit')
    const edit = page.getByRole('form', { name: 'Campaign' })
    await edit.getByLabel('Subject').fill('News')
    await edit.getByLabel('HTML').fill('<p>Hello {{ contact.firstName }}</p>')
    await edit.getByRole('button', { name: 'Save draft' }).click()
    await edit.waitFor({ state: 'detached' })

    await press('Send…')
    const when = page.getByRole('form', { name: 'Send campaign' })
    await when.getByText('Schedule', { exact: true }).click()
    await when.getByRole('button', { name: 'Schedule campaign' }).click()
    await when.getByText('Choose a date and time').waitFor()
    await when.getByText('Send now', { exact: true }).click()
    await when.getByText('2 recipients now, without duplicates. Not emailed: 1 unsubscribed.').waitFor()
    await when.getByRole('button', { name: 'Send campaign now' }).click()
    await page.getByText('The contact has unsubscribed').waitFor()
    await page.getByRole('banner').getByText('Sent', { exact: true }).waitFor()
    assert.deepEqual(sink.mails.flatMap(({ to }) => to).toSorted(), addresses.slice(2).toSorted())
    assert.match(sink.mails[0]!.headers, /Subject: News\r\n/)

    await page
      .getByRole('row', { name: /unsubscribed/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    await page.getByText(addresses[1]!).waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
    await page.getByRole('link', { name: /^(News|No subject)$/ }).click()
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    await page.getByText('The contact has unsubscribed').waitFor()
    await page.getByRole('link', { name: 'December news' }).waitFor()
    await page.goBack()

    // Messages can be filtered by campaign and by address.
    await page.getByLabel('Address').fill(addresses[2]!.toUpperCase())
    await page.keyboard.press('Enter')
    await page.getByText('No messages match these filters.').waitFor()
    await press('All')
    await page.getByRole('row', { name: addresses[2]! }).waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
    await page.getByLabel('Address').fill('nobody@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('No messages match these filters.').waitFor()
    await page.getByLabel('Address').fill('')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: addresses[3]! }).waitFor()
    assert.ok(page.url().includes('campaignId') && !page.url().includes('to='))
  })

  it('shows the results of an A/B test, and rejects a save over a concurrent change', async () => {
    const list = await aList(service)
    const { name } = (await service.call('GET', `lists/${list}`)).body.data as { name: string }
    await service.call('POST', `lists/${list}/contacts`, {
      contactIds: [await aContact(service), await aContact(service)],
    })
    await page.goto(at('/campaigns'))
    await press('New campaign')
    const form = page.getByRole('form', { name: 'New campaign' })
    await form.getByLabel('Name').fill('Which one')
    await form.getByLabel('Lists', { exact: true }).click()
    await page.getByRole('option', { name, exact: true }).click()
    await page.keyboard.press('Escape')
    await form.getByLabel('Subject', { exact: true }).fill('One')
    await form.getByLabel('HTML').fill('<p>Hello</p>')
    await form.getByRole('button', { name: 'A/B test subject lines' }).click()
    await form.getByLabel('Subject 2').fill('{{ contact.firstName')
    await form.getByRole('button', { name: 'Save draft' }).click()
    await form.getByText(/^This is not a valid template: /).waitFor()
    assert.equal(await form.getByLabel('Subject 2').getAttribute('aria-invalid'), 'true')
    await form.getByLabel('Subject 2').fill('Two')
    await form.getByLabel('Test group (%)').fill('')
    await page.keyboard.type('100')
    assert.equal(await form.getByLabel('Test group (%)').inputValue(), '100')
    await form.getByLabel('Choose winner after').fill('')
    await page.keyboard.type('90')
    assert.equal(await form.getByLabel('Choose winner after').inputValue(), '90')
    await form.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: 'Which one', level: 1 }).waitFor()
    await page.getByRole('row', { name: /Two/ }).waitFor()
    const id = page.url().split('/').at(-1)!

    // A colleague changes it in the meantime: the save reports a conflict.
    await press('Edit')
    const edit = page.getByRole('form', { name: 'Campaign' })
    await edit.getByLabel('Name').fill('Which one is best')
    await service.call('PATCH', `campaigns/${id}`, { audience: { listIds: [] } })
    await page.getByText('Not set').waitFor()
    await edit.getByRole('button', { name: 'Save draft' }).click()
    await edit.getByRole('alert').waitFor()
    assert.equal((await service.call('GET', `campaigns/${id}`)).body.data.name, 'Which one')
    await edit.getByRole('button', { name: 'Cancel' }).click()
    await service.call('PATCH', `campaigns/${id}`, { audience: { listIds: [list] } })
    await service.call('POST', `campaigns/${id}/schedule`, {})
    await page.getByRole('banner').getByText('Sent', { exact: true }).waitFor()
    const { abTest } = (await service.call('GET', `campaigns/${id}`)).body.data as {
      abTest: { variants: { sent: number }[] }
    }
    await page.getByRole('row', { name: new RegExp(`^Two ${abTest.variants[1]!.sent} `) }).waitFor()
  })

  it('duplicates a scheduled campaign, and cancels its schedule while it is paused, and deletes it', async () => {
    const listIds = [await aList(service)]
    await service.call('POST', `lists/${listIds[0]}/contacts`, { contactIds: [await aContact(service)] })
    const made = await service.call('POST', 'campaigns', {
      name: 'Later',
      subject: 'Later',
      text: 'Hi',
      audience: { listIds },
    })
    await page.goto(at(`/campaigns/${made.body.data.id as string}`))
    await press('Send…')
    const when = page.getByRole('form', { name: 'Send campaign' })
    await when.getByText('Recipient’s time zone').click()
    await when.getByLabel('Date and time').fill('2038-01-01T09:00')
    await when.getByRole('button', { name: 'Schedule campaign' }).click()
    await page.getByText('1 Jan 2038, 09:00').first().waitFor()
    await press('Duplicate')
    await page.getByRole('heading', { name: 'Copy of Later', level: 1 }).waitFor()
    await page.getByText('Draft', { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Later', level: 1, exact: true }).waitFor()
    await service.call('POST', `campaigns/${made.body.data.id as string}/pause`)
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await press('Unschedule…')
    await press('Unschedule campaign')
    await page.getByText('Draft', { exact: true }).waitFor()
    await press('Delete…')
    await press('Delete campaign')
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
    assert.equal((await service.call('GET', `campaigns/${made.body.data.id as string}`)).status, 404)
  })

  it('starts, edits and ends a warm-up', async () => {
    await page.goto(at('/sender'))
    await page.getByRole('button', { name: 'Start warm-up' }).click()
    await page.getByRole('button', { name: 'Start today' }).click()
    await page.getByText('Day 1: 0 of 50 emails sent today.').waitFor()
    await page.getByRole('button', { name: 'Edit schedule' }).click()
    const form = page.getByRole('form', { name: 'Warm-up' })
    await form.getByLabel('Stop at (emails per day)').fill('40')
    await page.keyboard.press('Enter')
    await form.getByText('upTo must be more than perDay').waitFor()
    // The field was disabled while saving and gets the focus back.
    await form.locator('input:focus').waitFor()
    await form.getByLabel('First-day limit').fill('20')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Day 1: 0 of 20 emails sent today.').waitFor()
    // A campaign shows the warm-up limit.
    const paused = { name: 'Held back', subject: 'Hi', text: 'Hi' }
    const { id } = (await service.call('POST', 'campaigns', paused)).body.data as { id: string }
    await page.goto(at(`/campaigns/${id}`))
    await page.getByText('Day 1: 0 of 20 emails sent today.').waitFor()
    await page.goto(at('/sender'))
    // The field keeps what is typed, and leaving asks for confirmation.
    await page.getByRole('button', { name: 'Edit schedule' }).click()
    await form.getByLabel('First-day limit').fill('')
    await form.getByLabel('First-day limit').pressSequentially('100')
    assert.equal(await form.getByLabel('First-day limit').inputValue(), '100')
    await page.getByRole('link', { name: 'Templates' }).first().click()
    await page.getByRole('button', { name: 'Stay' }).click()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'End warm-up…' }).click()
    await page.getByRole('button', { name: 'End warm-up' }).click()
    await page.getByRole('button', { name: 'Start warm-up' }).waitFor()
  })

  it('saves the sender, shows its DNS records and verifies them', async () => {
    await page.goto(at('/sender'))
    const form = page.getByRole('form', { name: 'Sender' })
    await form.getByLabel('Name').fill('Orchard')
    await form.getByLabel('From address', { exact: true }).fill('hello@mail.example.com')
    await form.getByLabel('Postal address').fill('Orchard Ltd, 1 Main Street')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'DNS records' }).waitFor()
    await page.getByText('Saved. Applies to new emails.').waitFor()
    await form.getByLabel('Track opens').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. Applies to new emails.').waitFor()
    const read = async () =>
      (await owner.ask('GET', 'sender', { workspaceId: service.workspaceId })).body.data as Record<string, boolean>
    assert.deepEqual([(await read())['trackOpens'], (await read())['trackClicks']], [true, false])
    // Unsaved edits survive actions elsewhere on the page.
    await form.getByLabel('Reply-to').fill('answers@mail.example.com')
    await press('Set up DKIM')
    await page.getByText('Emails are signed with the key').waitFor()
    assert.equal(await form.getByLabel('Reply-to').inputValue(), 'answers@mail.example.com')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. Applies to new emails.').waitFor()
    // Concurrent changes to other fields are kept.
    const { fromName, fromAddress, replyTo } = (await read()) as Record<string, unknown>
    const meanwhile = { fromName, fromAddress, replyTo, postalAddress: 'Orchard Ltd, 2 New Street' }
    await owner.ask('PUT', 'sender', { workspaceId: service.workspaceId, body: meanwhile })
    await form.getByLabel('Name').fill('The Orchard')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. Applies to new emails.').waitFor()
    const both = (await read()) as Record<string, unknown>
    assert.deepEqual([both['fromName'], both['postalAddress']], ['The Orchard', 'Orchard Ltd, 2 New Street'])
    await press('Check DNS records')
    await page.getByText('Missing').first().waitFor()
    const { records } = (await owner.ask('GET', 'sender', { workspaceId: service.workspaceId })).body.data as {
      records: { name: string; value: string; type: string }[]
    }
    for (const { name, type, value } of records)
      if (type === 'TXT') texts[name] = [value.replace('YOUR-PROVIDER', 'spf.example.net')]
    texts['spf.example.net'] = ['v=spf1 ip4:192.0.2.1 ~all']
    await press('Check DNS records')
    await page
      .getByText('Verified')
      .nth(records.length - 1)
      .waitFor()
    assert.equal(await page.getByText('Missing').count(), 0)
    await page.getByRole('heading', { name: 'DMARC passes on SPF and DKIM.' }).waitFor()
    await page.getByText('mail.example.com has no MX record.', { exact: false }).waitFor()
    // The next key signs only after its record is published.
    await press('Create next key')
    await page.getByText('The next key is dripline2.').waitFor()
    await press('Switch to next key')
    await page.getByText('is not published yet.', { exact: false }).waitFor()
    const next = (await owner.ask('GET', 'sender', { workspaceId: service.workspaceId })).body.data as {
      records: { what: string; name: string; value: string }[]
    }
    const { name, value } = next.records.find(({ what }) => what === 'DKIM_NEXT')!
    texts[name] = [value]
    await press('Switch to next key')
    await page.getByRole('heading', { name: 'DKIM, previous key' }).waitFor()
  })

  it('connects and disconnects a provider webhook', async () => {
    await page.goto(at('/sender'))
    const form = page.getByRole('form', { name: 'Postmark credentials' })
    await form.getByLabel('The user name and password of the webhook’s URL, as name:password').fill('short')
    await page.keyboard.press('Enter')
    await form.getByRole('alert').waitFor()
    await form
      .getByLabel('The user name and password of the webhook’s URL, as name:password')
      .fill('me:1234567890123456')
    await page.keyboard.press('Enter')
    await page.getByText('Connected, no events yet').waitFor()
    assert.equal(await form.getByLabel('The user name', { exact: false }).inputValue(), '')
    const url = `/feedback/postmark/${service.workspaceId}`
    await page.getByText(url, { exact: false }).first().waitFor()
    const calls = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const call = (credential: string) =>
      fetch(`http://127.0.0.1:${service.port}${url}`, {
        ...calls,
        headers: { ...calls.headers, authorization: `Basic ${Buffer.from(credential).toString('base64')}` },
      })
    assert.equal((await call('me:wrong')).status, 401)
    assert.equal((await call('me:1234567890123456')).status, 200)
    await page.getByRole('button', { name: 'Disconnect Postmark…' }).click()
    await page.getByRole('button', { name: 'Disconnect Postmark', exact: true }).click()
    await page.getByText('Connected, no events yet').waitFor({ state: 'detached' })
    assert.equal((await call('me:1234567890123456')).status, 404)
  })

  it('lists a bounce with its diagnostic and links it from the contact', async () => {
    const credential = 'me:1234567890123456'
    await owner.ask('PUT', 'feedback-sources/postmark', { workspaceId: service.workspaceId, body: { credential } })
    const contactId = await aContact(service)
    const address = await addressOf(service, contactId)
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await service.call('POST', `automations/${automationId}/enroll`, { contactId })
    await eventually('the email is sent', () => sink.mails.find(({ to }) => to.includes(address)))
    const { status } = await fetch(`http://127.0.0.1:${service.port}/feedback/postmark/${service.workspaceId}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(credential).toString('base64')}`,
      },
      body: JSON.stringify({
        RecordType: 'Bounce',
        Type: 'HardBounce',
        ID: 1,
        Email: address,
        Details: 'smtp; 550 5.1.1 User unknown',
      }),
    })
    assert.equal(status, 200)
    await page.goto(at(`/contacts/${contactId}`))
    await page.getByText('No email: hard bounce').waitFor()
    await page.getByRole('link', { name: 'View bounces' }).click()
    const row = page.getByRole('row', { name: address })
    await row.getByText('smtp; 550 5.1.1 User unknown').waitFor()
    await page.getByText('Bounces of one contact').waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.getByText('Bounces of one contact').waitFor({ state: 'detached' })
    await page.goto(at('/bounces?kind=COMPLAINT'))
    await page.getByText('No bounces of this type yet').waitFor()
  })

  it('adds and removes a suppression', async () => {
    await page.goto(at('/suppressions'))
    await press('Add suppression')
    const form = page.getByRole('form', { name: 'Suppress address' })
    await form.getByLabel('Email').fill('no')
    await form.getByRole('button', { name: 'Suppress address' }).click()
    await form.getByText('Invalid email address').waitFor()
    await form.getByLabel('Email').fill('angry@example.com')
    await form.getByLabel('Note').fill('by phone')
    await form.getByRole('button', { name: 'Suppress address' }).click()
    const row = page.getByRole('row', { name: /angry@example\.com/ })
    await row.getByText('Added manually').waitFor()
    // Addresses can be searched, and the contact page shows the suppression.
    await page.getByLabel('Search by email').fill('nobody@example.com')
    await page.getByText('No suppressions match these filters').waitFor()
    await page.getByLabel('Search by email').fill('Angry@example.com')
    await row.waitFor()
    const angry = await aContact(service, { email: 'angry@example.com' })
    await page.goto(at(`/contacts/${angry}`))
    await page.getByText('No email: added manually').waitFor()
    await page.goto(at('/suppressions'))
    await row.getByRole('button', { name: 'Remove…' }).click()
    await row.getByRole('button', { name: 'Remove suppression' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('renames a list and makes it public', async () => {
    const list = await aList(service)
    const name = (await service.call('GET', `lists/${list}`)).body.data.name as string
    await page.goto(at('/lists'))
    await page.getByRole('button', { name: `Edit ${name}` }).click()
    const form = page.getByRole('form', { name: `List ${name}` })
    await form.getByLabel('Name').fill('Weekly news')
    await form.getByLabel('Public').check()
    await form.getByRole('button', { name: 'Save list' }).click()
    await page
      .getByRole('row', { name: /Weekly news/ })
      .getByText('public')
      .waitFor()
    const { data } = (await service.call('GET', `lists/${list}`)).body as { data: { name: string; public: boolean } }
    assert.deepEqual([data.name, data.public], ['Weekly news', true])
  })

  it('requires an automation that sends confirmations before turning on double opt-in', async () => {
    const list = await aList(service)
    const name = (await service.call('GET', `lists/${list}`)).body.data.name as string
    await page.goto(at('/lists'))
    const row = page.getByRole('row', { name })
    await row.getByRole('button', { name: 'Require double opt-in' }).click()
    await page.getByText('No automation sends confirmation emails').waitFor()
    await anAutomation(service, {
      trigger: 'LIST_REQUESTED',
      triggerConfig: { listId: list },
      steps: [{ type: 'EMAIL', category: 'transactional', subject: 'Confirm', text: '{{ confirmUrl }}' }],
    })
    await row.getByRole('button', { name: 'Require double opt-in' }).click()
    await row.getByText('· double opt-in').waitFor()
  })
})
