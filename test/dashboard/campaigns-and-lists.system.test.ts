import assert from 'node:assert/strict'
import { startSmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { setSender } from '../../src/senders/settings.ts'
import { onDashboard } from '../support/dashboard.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { aContact, addressOf, aList, anAutomation, EMAIL } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { writeWithImage } from '../support/write-email.ts'

interface Sender extends Record<string, unknown> {
  records: { what: string; name: string; value: string; type: string }[]
}

describe('campaigns, sender, lists and suppressions in the dashboard', () => {
  const texts: Record<string, string[]> = { 'NS example.com': ['ada.ns.cloudflare.com'] }
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  let service: Instance
  const d = onDashboard({
    async start() {
      const sink = await startSmtpSink()
      dns = await startDnsServer(texts)
      service = await startInstance({
        env: { SMTP_URL: sink.url, DNS_SERVERS: dns.address, SECRETS_KEY: 'k'.repeat(44) },
      })
      return { service, sink }
    },
  })
  after(async () => {
    await service.stop()
    await d.sink.close()
    dns.close()
  })
  const ask = async (method: string, path: string, body?: object) =>
    (await d.owner.browser.ask(method, path, { workspaceId: d.service.workspaceId, body })).body?.data as Sender

  it('creates a campaign, counts its audience, sends it once to each contact, and reports the result', async () => {
    const [list, without] = [await aList(d.service), await aList(d.service)]
    const names = await Promise.all([list, without].map(async (id) => (await d.read(`lists/${id}`)).name as string))
    const contacts = await Promise.all(Array.from({ length: 4 }, () => aContact(d.service)))
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: contacts })
    await d.service.call('POST', `lists/${without}/contacts`, { contactIds: contacts.slice(0, 1) })
    const addresses = await Promise.all(contacts.map((id) => addressOf(d.service, id)))
    await d.service.call('POST', 'suppressions', { email: addresses[1]!, reason: 'UNSUBSCRIBED' })

    await d.open('/campaigns')
    await d.shows('No campaigns yet')
    await d.button('New campaign').first().click()
    await d.isAt('Audience')
    await d.field('Name').fill('December news')
    for (const [label, name] of [
      ['Include', names[0]],
      ['Exclude', names[1]],
    ] as const) {
      await d.page.getByRole('combobox', { name: label, exact: true }).click()
      await d.page.getByRole('option', { name: name!, exact: true }).click()
      await d.keys('Escape')
    }
    await d.shows('3 in the audience = 2 recipients + 1 suppressed (1 unsubscribed)')
    await d.page.getByRole('radiogroup', { name: 'Content' }).getByText('Code', { exact: true }).click()
    await d.fill({ Subject: 'News for you', HTML: '<p>Hello {{ contact.fristName }}</p>' })
    await d.shows(/^Saved \d/)
    await d.isAt('December news', 1)

    // The preview shows the email and its unknown variables.
    const preview = d.page.getByRole('region', { name: 'Preview' })
    await preview.getByText('contact.fristName', { exact: true }).waitFor()
    await d.shows('contact.fristName is unknown')
    await preview.frameLocator('iframe').getByText('Hello', { exact: true }).waitFor()
    await preview.getByRole('button', { name: 'Send test email' }).waitFor()

    // The button names what has to be fixed first.
    await d.button('Fix 1 problem').waitFor()
    await d.fill({ Subject: 'News', HTML: '<p>Hello {{ contact.firstName }}</p>' })
    await d.button('Send to 2 contacts…').waitFor()
    await d.page.getByText('At one time', { exact: true }).click()
    await d.press('Fix 1 problem')
    await d.shows('Choose a date and time')
    await d.page.getByText('Send now', { exact: true }).click()
    await d.press('Send to 2 contacts…')
    await d.page.getByRole('dialog', { name: 'Send to 2 contacts' }).waitFor()
    await d.keys('Escape')
    await d.page.locator('button:focus', { hasText: 'Send to 2 contacts…' }).waitFor()
    await d.press('Send to 2 contacts…', 'Send to 2 contacts')
    await d.shows('The contact has unsubscribed')
    await d.page.getByRole('banner').getByText('Sent', { exact: true }).waitFor()
    assert.deepEqual(d.sink.mails.flatMap(({ to }) => to).toSorted(), addresses.slice(2).toSorted())
    assert.match(d.sink.mails[0]!.headers, /Subject: News\r\n/)

    await d.shows('Delivered to 2 of 3 recipients')
    await d
      .row(/unsubscribed/)
      .getByRole('link')
      .click()
    await d.isAt('Messages')
    await d.page.getByText(addresses[1]!).waitFor()
    assert.equal(await d.page.getByRole('row').count(), 2)
    await d.page.getByRole('link', { name: /^(News|No subject)$/ }).click()
    await d.isAt('Events')
    await d.shows('The contact has unsubscribed')
    await d.page.getByRole('link', { name: 'December news' }).waitFor()
    await d.page.goBack()

    // Messages can be filtered by campaign and by address.
    await d.page.getByLabel('Address').fill(addresses[2]!.toUpperCase())
    await d.keys('Enter')
    await d.shows('No messages match these filters.')
    await d.press('All')
    await d.page.getByRole('row', { name: addresses[2]! }).waitFor()
    assert.equal(await d.page.getByRole('row').count(), 2)
    await d.page.getByLabel('Address').fill('nobody@example.com')
    await d.keys('Enter')
    await d.shows('No messages match these filters.')
    await d.page.getByLabel('Address').fill('')
    await d.keys('Enter')
    await d.page.getByRole('row', { name: addresses[3]! }).waitFor()
    assert.ok(d.page.url().includes('campaignId') && !d.page.url().includes('to='))
  })

  it('sends a newsletter that was designed on the canvas, with an image', async () => {
    const list = await aList(d.service)
    const { name } = (await d.read(`lists/${list}`)) as { name: string }
    const contact = await aContact(d.service, { firstName: 'Ada' })
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [contact] })
    await d.open('/campaigns')
    await d.button('New campaign').first().click()
    await d.page.getByRole('combobox', { name: 'Include', exact: true }).click()
    await d.page.getByRole('option', { name, exact: true }).click()
    await d.keys('Escape')
    await d.field('Subject').fill('Harvest')
    await d.shows('Write the email, or choose a template')
    await d.press('Edit email')
    const designer = d.page.getByRole('dialog', { name: 'Design the email' })
    // Long enough that the image causes no warning.
    const more = 'We picked for three weeks, and every box holds apples, pears and a jar of honey from our own bees.'
    const text = `Dear {{ contact.firstName }}, the harvest is in. ${more}`
    await writeWithImage(d, { text, alt: 'A box of apples' })
    await d.press('Add block below Image 2')
    await d.menuItem('Button')
    await designer.getByLabel('Label').fill('Order a box')
    await designer.getByLabel('Link', { exact: true }).fill('https')
    await designer.getByText('1 problem').first().waitFor()
    await designer.getByLabel('Link', { exact: true }).fill('https://orchard.example/box')
    await designer.getByText('No problems').first().waitFor()
    await d.press('Done')
    await d.shows(/^Saved \d/)
    // Everything is there after reloading.
    await d.page.reload()
    await d.page.frameLocator('iframe').getByText('Order a box').waitFor()
    await d.press('Send to 1 contact…', 'Send to 1 contact')
    const mail = await eventually('it is mailed', () => d.sink.mails[0])
    const { body } = readMail(mail) as unknown as { body?: string }
    const html = (body ?? mail.body).replaceAll('=\r\n', '').replaceAll('=3D', '=')
    assert.match(html, /Dear Ada, the harvest is in\./)
    assert.match(html, /<img[^>]*alt="A box of apples"[^>]*src="[^"]*\/m\/[\w-]{32}\.gif"/)
    assert.match(html, /Order a box/)
  })

  it('loses no design without a question, and saves what was undone', async () => {
    const words = (text: string) => ({ type: 'TEXT', paragraphs: [{ style: 'PARAGRAPH', runs: [{ text }] }] })
    const design = { blocks: [words('Original'), words('Second')] }
    const id = await d.create('campaigns', { name: 'Kept', subject: 'S', format: 'BLOCKS', design, audience: {} })
    const read = async () =>
      (await d.read(`campaigns/${id}`)) as { format: string; html: string; design?: typeof design }
    const saved = (what: string, is: (campaign: Awaited<ReturnType<typeof read>>) => boolean) =>
      eventually(what, async () => is(await read()) || undefined)
    await d.open(`/campaigns/${id}`)
    await d.press('Edit email')
    const designer = d.page.getByRole('dialog', { name: 'Design the email' })
    await designer.getByRole('listitem', { name: 'Text 2' }).focus()
    await d.keys('Delete')
    await saved('the block is deleted', (now) => now.design?.blocks.length === 1)
    await d.press('Undo')
    await saved('the block is back', (now) => now.design?.blocks.length === 2)
    // The menu is above the editor, and has no variables that campaigns lack.
    await designer.getByRole('listitem', { name: 'Text 1' }).click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+End')
    await d.page.keyboard.type(' {{')
    await d.page.getByRole('option', { name: /email/ }).first().click({ trial: true })
    assert.equal(await d.page.getByRole('option', { name: /event/ }).count(), 0)
    await d.keys('Escape', 'Backspace', 'Backspace', 'Escape')
    await d.press('Done')
    await d.page.getByRole('button', { name: 'Edit email', exact: true }).waitFor()
    const content = d.page.getByRole('radiogroup', { name: 'Content' })
    await content.getByText('Code', { exact: true }).click()
    await d.shows('Turn the design into code?')
    await d.press('Cancel')
    await content.getByText('Template', { exact: true }).click()
    await d.press('Cancel')
    assert.equal((await read()).design?.blocks.length, 2)
    await content.getByText('Code', { exact: true }).click()
    await d.press('Turn into code')
    await saved('it is code', (now) => now.format === 'MJML' && /^<mjml>[^]*Original/.test(now.html))
    await d.page.reload()
    assert.match(await d.field('MJML').inputValue(), /Original/)
  })

  it('previews the template of a campaign', async () => {
    await d.create('templates', { name: 'Spring', subject: 'Spring is here', html: '<p>Blossoms</p>' })
    const id = await d.create('campaigns', { name: 'From a template' })
    await d.open(`/campaigns/${id}`)
    await d.page.getByRole('radiogroup', { name: 'Content' }).getByText('Template', { exact: true }).click()
    await d.choose(d.page.getByRole('combobox', { name: 'Template' }), 'Spring')
    const preview = d.page.getByRole('region', { name: 'Preview' })
    await preview.frameLocator('iframe').getByText('Blossoms').waitFor()
    await preview.getByText('Spring is here').waitFor()
    await d.shows(/^Saved \d/)
    await d.page.reload()
    await preview.frameLocator('iframe').getByText('Blossoms').waitFor()
  })

  it('saves the name and the audience while the email is incomplete', async () => {
    const id = await d.create('campaigns', { name: 'Old', subject: 'S', html: '<p>Hello</p>', audience: {} })
    await d.open(`/campaigns/${id}`)
    await d.field('Subject').fill('Hello {{ contact.firstName')
    await d.shows('Not saved.')
    await d.field('Name').fill('New')
    const read = async () => (await d.read(`campaigns/${id}`)) as { name: string; subject: string }
    await eventually('the name is saved', async () => (await read()).name === 'New' || undefined)
    assert.equal((await read()).subject, 'S')
    await d.field('Subject').fill('Hello {{ contact.firstName }}')
    await d.shows(/^Saved \d/)
    assert.deepEqual([(await read()).name, (await read()).subject], ['New', 'Hello {{ contact.firstName }}'])
  })

  it('inserts variables with fallbacks into the subject and the preview text, and shows the sender', async () => {
    const sender = { fromName: 'Orchard', fromAddress: 'hello@orchard.example', replyTo: 'team@orchard.example' }
    await ask('PUT', 'sender', sender)
    await d.open('/campaigns')
    await d.button('New campaign').first().click()
    await d.shows('Orchard hello@orchard.example', 'team@orchard.example')
    await d.fill({ Subject: 'News for ! ' })
    // Between "for " and the exclamation mark.
    await d.keys('ArrowLeft', 'ArrowLeft')
    await d.press('Insert variable: Subject')
    await d.choose('Variable', 'First name')
    await d.field('Fallback').fill('you')
    await d.keys('Enter')
    await d.shows('gets: News for Ada!')
    await d.page.keyboard.type(' and friends')
    assert.equal(
      await d.field('Subject').inputValue(),
      'News for {{ contact.firstName | default: "you" }} and friends! ',
    )
    await d.press('Insert variable: Preview text')
    await d.choose('Variable', 'Email address')
    await d.button('Insert').click()
    await d.shows('gets: ada@example.com')
    const id = d.page.url().split('/').at(-1)!
    await eventually('it is saved', async () => {
      const { subject, previewText } = (await d.read(`campaigns/${id}`)) as Record<string, string>
      const isSaved = previewText === '{{ contact.email }}'
      return (isSaved && subject === 'News for {{ contact.firstName | default: "you" }} and friends! ') || undefined
    })
    await d.link('Edit sender').click()
    await d.isAt('Sender identity')
  })

  it('creates an A/B test and shows its results', async () => {
    const list = await aList(d.service)
    const { name } = (await d.read(`lists/${list}`)) as { name: string }
    await d.service.call('POST', `lists/${list}/contacts`, {
      contactIds: await Promise.all(Array.from({ length: 4 }, () => aContact(d.service))),
    })
    await d.open('/campaigns')
    await d.button('New campaign').first().click()
    await d.field('Name').fill('Which one')
    await d.page.getByRole('combobox', { name: 'Include', exact: true }).click()
    await d.page.getByRole('option', { name, exact: true }).click()
    await d.keys('Escape')
    await d.page.getByRole('radiogroup', { name: 'Content' }).getByText('Code', { exact: true }).click()
    await d.fill({ Subject: 'One', HTML: '<p>Hello</p>' })
    await d.page.getByRole('switch', { name: 'A/B test the subject' }).click()
    await d.shows('Subject B is empty')
    await d.fill({ 'Test group (%)': '50' })
    await d.shows('About 1 contact gets each of the 2 subjects. The other 2 get the winner.')
    await d.field('Subject B').fill('{{ contact.firstName')
    await d.shows(/^This is not a valid template: /, 'Not saved.')
    assert.equal(await d.field('Subject B').getAttribute('aria-invalid'), 'true')
    await d.fill({ 'Subject B': 'Two', 'Test group (%)': '' })
    await d.page.keyboard.type('100')
    assert.equal(await d.field('Test group (%)').inputValue(), '100')
    const id = d.page.url().split('/').at(-1)!
    await eventually('it is saved', async () => {
      const { abTest } = (await d.read(`campaigns/${id}`)) as { abTest?: { testPercent: number } }
      return abTest?.testPercent === 100 || undefined
    })

    await d.service.call('POST', `campaigns/${id}/schedule`, {})
    await d.page.getByRole('banner').getByText('Sent', { exact: true }).waitFor()
    const { abTest } = (await d.read(`campaigns/${id}`)) as {
      abTest: { variants: { sent: number }[] }
    }
    await d.page.getByRole('row', { name: new RegExp(`^B Two ${abTest.variants[1]!.sent} `) }).waitFor()
  })

  it('shows what holds a campaign that is being sent: the winner of its A/B test, its speed, and a pause', async () => {
    await setSender(d.service.context.orm.em.fork(), d.service.workspaceId, { trackOpens: true })
    const list = await aList(d.service)
    const contactIds = await Promise.all(Array.from({ length: 10 }, () => aContact(d.service)))
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds })
    const id = await d.create('campaigns', {
      name: 'Waits for its winner',
      subject: 'One',
      text: 'Hello',
      audience: { listIds: [list] },
      throttlePerHour: 3_600,
      abTest: { variants: [{ subject: 'Two' }], testPercent: 50, winnerBy: 'OPENED', afterMinutes: 240 },
    })
    await d.service.call('POST', `campaigns/${id}/schedule`, {})
    const sent = await eventually('the test is sent', async () => {
      const { abTest, stats } = (await d.read(`campaigns/${id}`)) as {
        abTest: { decidesAt: string | null }
        stats: { sent: number; queued: number }
      }
      return abTest.decidesAt === null ? undefined : stats
    })
    await d.open(`/campaigns/${id}`)
    await d.shows(
      `${sent.sent} of 10 recipients ${sent.sent === 1 ? 'is' : 'are'} done`,
      new RegExp(`^The test is sent. The winner is chosen on .*:.* and goes to the other ${sent.queued}.$`),
      'At most 3,600 per hour',
      `${sent.queued} waiting`,
    )
    await d.open('/campaigns')
    await d
      .row(/Waits for its winner/)
      .getByText(/^Winner at .*:/)
      .waitFor()
    await d.service.call('POST', `campaigns/${id}/pause`)
    await d.open(`/campaigns/${id}`)
    await d.shows('Paused: the rest waits until it is resumed.')
    await d.service.call('POST', `campaigns/${id}/cancel`)
  })

  it('duplicates a scheduled campaign, and cancels its schedule while it is paused, and deletes it', async () => {
    const listIds = [await aList(d.service)]
    await d.service.call('POST', `lists/${listIds[0]}/contacts`, { contactIds: [await aContact(d.service)] })
    const id = await d.create('campaigns', { name: 'Later', subject: 'Later', text: 'Hi', audience: { listIds } })
    await d.open(`/campaigns/${id}`)
    await d.page.getByText('In each time zone', { exact: true }).click()
    await d.field('Date and time').fill('2038-01-01T09:00')
    await d.press('Schedule for 1 contact…', 'Schedule for 1 contact')
    await d.shows('1 Jan 2038, 09:00')
    await d.press('Duplicate')
    await d.isAt('Copy of Later', 1)
    await d.page.getByText('Draft', { exact: true }).waitFor()
    await d.page.goBack()
    await d.isAt('Later', 1)
    await d.service.call('POST', `campaigns/${id}/pause`)
    await d.page.getByRole('button', { name: 'Resume' }).waitFor()
    await d.press('Unschedule…', 'Unschedule campaign')
    await d.page.getByText('Draft', { exact: true }).waitFor()
    await d.press('Delete…', 'Delete campaign')
    await d.isAt('Campaigns')
    assert.equal((await d.service.call('GET', `campaigns/${id}`)).status, 404)
  })

  it('starts, edits and ends a warm-up', async () => {
    await d.open('/sender')
    await d.press('Start warm-up', 'Start today')
    await d.shows('Day 1: 0 of 50 emails sent today.')
    await d.press('Edit schedule')
    const form = d.form('Warm-up')
    await form.getByLabel('Stop at (emails per day)').fill('40')
    await d.keys('Enter')
    await form.getByText('Enter more than the first-day limit.').waitFor()
    await form.locator('input:focus').waitFor()
    await form.getByLabel('First-day limit').fill('20')
    await form.getByRole('button', { name: 'Save' }).click()
    await d.shows('Day 1: 0 of 20 emails sent today.')
    // A campaign shows the warm-up limit.
    const paused = { name: 'Held back', subject: 'Hi', text: 'Hi' }
    const id = await d.create('campaigns', paused)
    await d.open(`/campaigns/${id}`)
    await d.shows('Day 1: 0 of 20 emails sent today.')
    await d.open('/sender')
    // The field keeps what is typed, and leaving asks for confirmation.
    await d.press('Edit schedule')
    await form.getByLabel('First-day limit').fill('')
    await form.getByLabel('First-day limit').pressSequentially('100')
    assert.equal(await form.getByLabel('First-day limit').inputValue(), '100')
    await d.page.getByRole('link', { name: 'Templates' }).first().click()
    await d.press('Stay')
    await form.getByRole('button', { name: 'Cancel' }).click()
    await d.press('End warm-up…', 'End warm-up')
    await d.page.getByRole('button', { name: 'Start warm-up' }).waitFor()
  })

  it('saves the sender, shows its DNS records and verifies them', async () => {
    await d.open('/sender')
    const form = d.form('Sender')
    await form.getByLabel('Name').fill('Orchard')
    await d.fill({ 'From address': 'hello@mail.example.com', 'Postal address': 'Orchard Ltd, 1 Main Street' }, form)
    await form.getByRole('button', { name: 'Save' }).click()
    await d.isAt('DNS records')
    await d.shows('Saved.')
    await form.getByLabel('Track opens').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await d.shows('Saved.')
    const read = () => ask('GET', 'sender')
    assert.partialDeepStrictEqual(await read(), { trackOpens: true, trackClicks: false })
    // Unsaved edits survive actions elsewhere on the page.
    await form.getByLabel('Reply-to').fill('answers@mail.example.com')
    await d.press('Set up DKIM')
    await d.shows('Emails are signed with the key')
    assert.equal(await form.getByLabel('Reply-to').inputValue(), 'answers@mail.example.com')
    await form.getByRole('button', { name: 'Save' }).click()
    await d.shows('Saved.')
    // Concurrent changes to other fields are kept.
    const { fromName, fromAddress, replyTo } = await read()
    const meanwhile = { fromName, fromAddress, replyTo, postalAddress: 'Orchard Ltd, 2 New Street' }
    await ask('PUT', 'sender', meanwhile)
    await form.getByLabel('Name').fill('The Orchard')
    await form.getByRole('button', { name: 'Save' }).click()
    await d.shows('Saved.')
    const both = { fromName: 'The Orchard', postalAddress: 'Orchard Ltd, 2 New Street' }
    assert.partialDeepStrictEqual(await read(), both)
    // They are checked without a click, and the provider fills its part in.
    await d.shows('Missing', 'DNS has no such record yet.', 'It adds example.com to each name.')
    assert.equal(
      await d.link('Open Cloudflare').getAttribute('href'),
      'https://dash.cloudflare.com/?to=/:account/example.com/dns/records',
    )
    await d.button('Copy the name _dmarc.mail').waitFor()
    await d.page.getByText('Full names').click()
    await d.button('Copy the name _dmarc.mail.example.com').waitFor()
    await d.choose(d.page.getByRole('combobox', { name: 'Mail provider' }), 'Postmark')
    await d.shows('v=spf1 include:spf.mtasv.net ~all')
    const { records } = await read()
    for (const { name, type, value } of records)
      if (type === 'TXT') texts[name] = [value.replace('YOUR-PROVIDER', 'spf.example.net')]
    texts['_dmarc.mail.example.com'] = ['v=DMARC1; p=all']
    await d.press('Check DNS records')
    await d.shows('p, sp and np must be none, quarantine or reject.', 'Found: v=DMARC1; p=all')
    texts['_dmarc.mail.example.com'] = ['v=DMARC1; p=none']
    texts['spf.example.net'] = ['v=spf1 ip4:192.0.2.1 ~all']
    await d.press('Check DNS records')
    const verified = d.page.getByText('Verified')
    await verified.nth(records.length - 1).waitFor()
    assert.equal(await d.page.getByText('Missing').count(), 0)
    await d.isAt('DMARC passes on SPF and DKIM.')
    await d.shows('mail.example.com has no MX record.')
    // The next key signs only after its record is published.
    await d.press('Create next key')
    await d.shows('The next key is dripline2.')
    await d.press('Switch to next key')
    await d.shows('is not published yet.')
    const { name, value } = (await read()).records.find(({ what }) => what === 'DKIM_NEXT')!
    texts[name] = [value]
    await d.press('Switch to next key')
    await d.isAt('DKIM, previous key')
  })

  const CREDENTIAL = 'me:1234567890123456'
  /** Posts an event as Postmark does. @returns the status of the response */
  const feedback = async (body: object, credential = CREDENTIAL) => {
    const authorization = `Basic ${Buffer.from(credential).toString('base64')}`
    const url = `http://127.0.0.1:${d.service.port}/feedback/postmark/${d.service.workspaceId}`
    const headers = { authorization, 'content-type': 'application/json' }
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }

  it('connects and disconnects a provider webhook', async () => {
    await d.open('/bounces?view=sources')
    const form = d.form('Postmark credentials')
    const field = form.getByLabel('The user name and password of the webhook’s URL, as name:password')
    await field.fill('short')
    // Another view of the page would close the form.
    await d.press('Reports', 'Stay')
    await field.press('Enter')
    await form.getByText('This must').waitFor()
    await field.fill(CREDENTIAL)
    await d.keys('Enter')
    await d.shows('Connected, no events yet')
    assert.equal(await field.inputValue(), '')
    await d.shows(`/feedback/postmark/${d.service.workspaceId}`)
    assert.equal(await feedback({}, 'me:wrong'), 401)
    assert.equal(await feedback({}), 200)
    await d.press('Disconnect Postmark…', 'Disconnect Postmark')
    await d.page.getByText('Connected, no events yet').waitFor({ state: 'detached' })
    assert.equal(await feedback({}), 404)
  })

  it('lists a bounce with its diagnostic and links it from the contact', async () => {
    await ask('PUT', 'feedback-sources/postmark', { credential: CREDENTIAL })
    const contactId = await aContact(d.service)
    const address = await addressOf(d.service, contactId)
    const automationId = await anAutomation(d.service, { steps: [EMAIL] })
    await d.service.call('POST', `automations/${automationId}/enroll`, { contactId })
    await eventually('the email is sent', () => d.sink.mails.find(({ to }) => to.includes(address)))
    const bounce = { RecordType: 'Bounce', Type: 'HardBounce', ID: 1, Details: 'smtp; 550 5.1.1 User unknown' }
    assert.equal(await feedback({ ...bounce, Email: address }), 200)
    await d.open(`/contacts/${contactId}`)
    await d.shows('No email: hard bounce')
    await d.page.getByRole('link', { name: 'View bounces' }).click()
    const row = d.page.getByRole('row', { name: address })
    await row.getByText('smtp; 550 5.1.1 User unknown').waitFor()
    await d.shows('Bounces of one contact')
    await d.page.getByRole('link', { name: 'Show all' }).click()
    await d.page.getByText('Bounces of one contact').waitFor({ state: 'detached' })
    await d.open('/bounces?kind=COMPLAINT')
    await d.shows('No bounces of this type yet')
  })

  it('adds and removes a suppression', async () => {
    await d.open('/suppressions')
    await d.press('Add suppression')
    const form = d.form('Suppress address')
    await form.getByLabel('Email').fill('no')
    await form.getByRole('button', { name: 'Suppress address' }).click()
    await form.getByText('Invalid email address').waitFor()
    await d.fill({ Email: 'angry@example.com', Note: 'by phone' }, form)
    await form.getByRole('button', { name: 'Suppress address' }).click()
    const row = d.row(/angry@example\.com/)
    await row.getByText('Added manually').waitFor()
    // Addresses can be searched, and the contact page shows the suppression.
    await d.page.getByLabel('Search by email').fill('nobody@example.com')
    await d.shows('No suppressions match these filters')
    await d.page.getByLabel('Search by email').fill('Angry@example.com')
    await row.waitFor()
    const angry = await aContact(d.service, { email: 'angry@example.com' })
    await d.open(`/contacts/${angry}`)
    await d.shows('No email: added manually')
    await d.open('/suppressions')
    await row.getByRole('button', { name: /^Remove .*…$/ }).click()
    await row.getByRole('button', { name: 'Remove suppression' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('renames a list and makes it public', async () => {
    const list = await aList(d.service)
    const name = (await d.read(`lists/${list}`)).name as string
    await d.open('/lists')
    await d.press(`Actions for ${name}`)
    await d.menuItem('Edit…')
    // A menu that closes takes the focus for a moment.
    await d.page.getByRole('menu').waitFor({ state: 'detached' })
    const form = d.form(`List ${name}`)
    await form.getByLabel('Name').fill('Weekly news')
    await form.getByLabel('Public').check()
    await form.getByRole('button', { name: 'Save list' }).click()
    await d
      .row(/Weekly news/)
      .getByText('public')
      .waitFor()
    const { data } = (await d.service.call('GET', `lists/${list}`)).body as { data: { name: string; public: boolean } }
    assert.deepEqual([data.name, data.public], ['Weekly news', true])
  })

  it('requires an automation that sends confirmations before turning on double opt-in', async () => {
    const list = await aList(d.service)
    const name = (await d.read(`lists/${list}`)).name as string
    await d.open('/lists')
    const row = d.page.getByRole('row', { name })
    const requireConfirmation = async () => {
      await d.press(`Actions for ${name}`)
      await d.page.getByRole('menuitem', { name: /^Require double opt-in/ }).click()
    }
    await requireConfirmation()
    await d.shows('No automation sends confirmation emails')
    await anAutomation(d.service, {
      trigger: 'LIST_REQUESTED',
      triggerConfig: { listId: list },
      steps: [{ type: 'EMAIL', category: 'transactional', subject: 'Confirm', text: '{{ confirmUrl }}' }],
    })
    await requireConfirmation()
    await row.getByText('· double opt-in').waitFor()
  })
})
