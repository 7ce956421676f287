import assert from 'node:assert/strict'
import { beginSession } from '../../src/accounts/sessions.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, EMAIL, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'

const DAY = 24 * 60
const START = '2032-03-01T09:00:00.000Z'
const STEPS = [
  { ...EMAIL, name: 'Hello', subject: 'Hello {{ contact.firstName }}' },
  wait(3 * DAY),
  {
    type: 'WAIT_FOR_EVENT',
    eventName: 'order.placed',
    timeoutMinutes: 10 * DAY,
    received: [{ ...EMAIL, name: 'Thanks', text: 'Thanks, {{ contact.firstName }}' }],
    timedOut: [{ ...EMAIL, name: 'We miss you', text: 'Come back' }],
  },
]

describe('the rehearsal of an automation in the dashboard', () => {
  const d = onDashboard()
  let automationId: string
  let ada: string
  before(async () => {
    // Berlin is one hour ahead of UTC on 1 March.
    const metadata = { timezone: 'Europe/Berlin' }
    ada = await aContact(d.service, { email: 'ada@example.com', firstName: 'Ada', metadata })
    await aContact(d.service, { email: 'newest@example.com', firstName: 'Grace' })
    automationId = await anAutomation(d.service, { name: 'First orders', steps: STEPS })
  })

  const path = (id = automationId) => `/automations/${id}/rehearse?contact=${ada}&at=${START}`
  const entries = () => d.page.getByRole('region', { name: 'What happens' }).getByRole('listitem')
  const texts = async () => {
    await entries().first().waitFor()
    return (await entries().allInnerTexts()).map((text) => text.replaceAll(/\s*\n\s*/g, ' | ').replaceAll(',', ''))
  }
  const selected = () => entries().and(d.page.locator('[aria-current]')).innerText()
  const mail = () => d.page.getByRole('region', { name: 'What is read' })

  it('shows what happens to a contact, and moves between emails with the keyboard', async () => {
    await d.open(`/automations/${automationId}`)
    await d.page.getByRole('radiogroup', { name: 'View' }).getByText('Rehearse').click()
    // Without a choice, it is the newest contact, now.
    await d.shows('A year in')
    assert.equal(await d.page.getByRole('combobox', { name: 'As' }).inputValue(), 'newest@example.com')
    await d.open(path())
    assert.deepEqual(await texts(), [
      'Mon 1 Mar 2032 | 10:00 | Enrolled',
      'Mon 1 Mar 2032 | 10:00 | Hello | then waits 3 days then waits for order.placed at most 10 days',
      'Sun 14 Mar 2032 | 10:00 | Did not receive order.placed',
      'Sun 14 Mar 2032 | 10:00 | We miss you',
      'Sun 14 Mar 2032 | 10:00 | Completes',
    ])
    await mail().getByText('Hello Ada').waitFor()
    await mail().getByText('message 1 of 2').waitFor()
    await d.keys('ArrowRight')
    await mail().getByText('message 2 of 2').waitFor()
    assert.match(await selected(), /We miss you/)
    await d.keys('k')
    await mail().getByText('message 1 of 2').waitFor()
    await d.keys('j', 'ArrowLeft')
    await mail().getByText('message 1 of 2').waitFor()
    await mail().getByText('Text', { exact: true }).click()
    await mail().getByText(/^Hi\b/).waitFor()
    await d.shows('Nothing is sent between 21:00 and 08:00', 'Every email is sent.')
  })

  it('plays the timeline to its end, step by step', async () => {
    await d.open(path())
    await texts()
    await d.tabTo('Play')
    await d.keys('Enter')
    await d.button('Pause').waitFor()
    await entries().filter({ hasText: 'Completes' }).and(d.page.locator('[aria-current]')).waitFor()
    await d.button('Play').waitFor()
  })

  it('supposes an event, which changes the path', async () => {
    await d.open(path())
    await texts()
    await d.press('Received: no events', 'Add event')
    // The new field has the focus.
    await d.page.keyboard.type('order.placed')
    await d.field('Days after enrolling').fill('5')
    await d.press('Received: order.placed after 5 days')
    await entries().filter({ hasText: 'Thanks' }).waitFor()
    assert.deepEqual((await texts()).slice(2), [
      'Sat 6 Mar 2032 | 10:00 | Received order.placed',
      'Sat 6 Mar 2032 | 10:00 | Thanks',
      'Sat 6 Mar 2032 | 10:00 | Completes',
    ])
    await d.keys('ArrowRight')
    await mail().getByText('message 2 of 2').waitFor()
  })

  it('warns of emails at night, of two on a day, and of emails that are not sent', async () => {
    const id = await anAutomation(d.service, {
      steps: [
        { ...EMAIL, name: 'One' },
        { ...EMAIL, name: 'Where are you?' },
      ],
    })
    await d.open(`/automations/${id}/rehearse?contact=${ada}&at=2032-03-01T20:30:00.000Z`)
    await d.shows('Sent between 21:00 and 08:00: One on 1 Mar at 21:30', '2 emails on 1 Mar.')
    const gone = await aContact(d.service, { email: 'gone@example.com' })
    await d.create('suppressions', { email: 'gone@example.com', reason: 'UNSUBSCRIBED' })
    await d.open(`/automations/${id}/rehearse?contact=${gone}&at=${START}`)
    await d.shows('One. Not sent: the contact has unsubscribed')
    await d.shows('Where are you? Not sent: the contact has unsubscribed', '2 emails: the contact has unsubscribed.')
    await mail().getByText('No email up to this time.').waitFor()
  })

  it('rehearses the draft beside the version, with the names of its new steps', async () => {
    const id = await anAutomation(d.service, { steps: STEPS })
    const { etag, automation } = await readAutomation(id)
    const added = { ...EMAIL, id: crypto.randomUUID(), name: 'New in the draft', html: null, text: 'Hi' }
    const sequence = { ...automation, steps: [...automation.steps, added] }
    const saved = await saveDraft(id, sequence, etag)
    assert.equal(saved, 200)
    await d.open(path(id))
    await entries().filter({ hasText: 'New in the draft' }).waitFor()
    const version = d.page.getByRole('region', { name: 'Version 1' })
    await version.getByText('With the draft, the contact would get 1 more email.').waitFor()
    assert.equal(await version.getByRole('listitem').count(), 2)

    const broken = { ...sequence, steps: [...automation.steps, { ...added, subject: '' }] }
    assert.equal(await saveDraft(id, broken, etag, '*'), 200)
    await d.press('Run again')
    await d.shows('The draft is not complete', /Step 6: Add a subject/)
    assert.equal(await d.button('Run again').isDisabled(), true)
    await d.press('Rehearse version 1')
    await entries().filter({ hasText: 'We miss you' }).waitFor()
    assert.equal(await entries().filter({ hasText: 'New in the draft' }).count(), 0)
    await d.shows('The draft is not complete')
    await d.link('Edit').click()
    await d.page.getByLabel('Subject').first().waitFor()
  })

  it('rehearses for an audience: progress, cancelling, days, differences and contacts', async () => {
    const crowd = await aSegment('crowd', 25)
    const id = await anAutomation(d.service, { steps: STEPS })
    const { etag, automation } = await readAutomation(id)
    // The draft ends before the wait.
    await saveDraft(id, { ...automation, steps: automation.steps.slice(0, 1) }, etag)
    await d.open(`/automations/${id}/rehearse`)
    await d.page.getByRole('radiogroup', { name: 'Rehearse for' }).getByText('Audience').click()
    await d.choose(d.page.getByRole('combobox', { name: 'Audience' }), crowd)
    await d.press('Rehearse for an audience')
    await d.shows('25 contacts would each get 1 fewer email')
    const days = d.page.getByRole('table', { name: 'Emails by day' }).locator('tbody tr')
    assert.deepEqual(
      (await days.allInnerTexts()).map((text) => text.split(/\s*\t\s*/).slice(-2)),
      [['25', 'No limit']],
    )
    const contacts = d.page.getByRole('table', { name: 'Contacts' })
    await contacts.getByRole('link').first().waitFor()
    assert.equal(await contacts.locator('tbody tr').count(), 20)
    await d.press('Next')
    await d.shows('Page 2 of 2')
    // The rows of the first page stay until those of the second arrive.
    await contacts.locator('tbody tr').nth(5).waitFor({ state: 'detached' })
    await contacts.getByRole('link').first().click()
    const completes = d.page.getByRole('region', { name: 'What happens' }).getByText('Completes')
    await completes.waitFor()
    await d.keys('Escape')
    await completes.waitFor({ state: 'detached' })
    await d.keys('Enter')
    await d.link('Rehearse for this contact').click()
    await d.shows('A year in')
    assert.match(await d.page.getByRole('combobox', { name: 'As' }).inputValue(), /^crowd-\d+@example\.com$/)
  })

  it('supposes that a share of an audience has an event', async () => {
    const crowd = await aSegment('buyers', 40)
    await d.open(path())
    await texts()
    await d.press('Received: no events', 'Add event')
    await d.page.keyboard.type('order.placed')
    await d.field('Days after enrolling').fill('5')
    // A contact who is rehearsed alone always has it.
    assert.equal(await d.field('Percent of the contacts').count(), 0)
    await d.keys('Escape')
    await d.page.getByRole('radiogroup', { name: 'Rehearse for' }).getByText('Audience').click()
    await d.press('Received: order.placed after 5 days')
    await d.field('Percent of the contacts').fill('25')
    await d.keys('Escape')
    await d.button('Received: order.placed after 5 days, 25%').waitFor()
    await d.choose(d.page.getByRole('combobox', { name: 'Audience' }), crowd)
    await d.press('Rehearse for an audience')
    const steps = d.page.getByRole('table', { name: 'Steps' })
    const emailsOf = async (step: string) => {
      const row = await steps.getByRole('row').filter({ hasText: step }).innerText()
      return Number(/(\d+)\s+emails?$/.exec(row)?.[1])
    }
    const thanked = await eventually('all are rehearsed', async () => {
      const emails = await emailsOf('Thanks')
      return emails + (await emailsOf('We miss you')) === 40 ? emails : undefined
    })
    // Whether a contact has it depends on its ID. That none has it, or more than 24, happens in one of 90,000 runs.
    assert.ok(thanked >= 1 && thanked <= 24, String(thanked))
  })

  it('shows the progress for an audience, which can be cancelled', async () => {
    const id = await d.create(`automations/${automationId}/rehearse`, {})
    await eventually('it is done', async () =>
      (await d.read(`rehearsals/${id}`)).status === 'DONE' ? true : undefined,
    )
    // As if a worker had rehearsed 10 contacts so far.
    await sql(
      d.service.context.orm.em.fork(),
      `update rehearsals set status = 'RUNNING', done = 10, total = 40, finished_at = null where id = $1`,
      [id],
    )
    await d.open(`${path()}&for=audience&rehearsal=${id}`)
    await d.shows('10 of 40 contacts')
    await d.press('Cancel')
    await d.shows('Cancelled. These results are incomplete.')
  })

  it('states that the automation has changed since a rehearsal, and rehearses it again', async () => {
    const id = await anAutomation(d.service, { steps: STEPS })
    const { etag, automation } = await readAutomation(id)
    const steps = [...automation.steps, { ...EMAIL, name: 'New in the draft', html: null, text: 'Hi' }]
    const added = { ...automation, steps: steps.map((step: object) => ({ id: crypto.randomUUID(), ...step })) }
    const table = d.page.getByRole('table', { name: 'Steps' })
    const changed = 'The automation has changed since this rehearsal'
    const open = async (body: object) => {
      const rehearsal = await d.create(`automations/${id}/rehearse`, body)
      await d.open(`/automations/${id}/rehearse?for=audience&rehearsal=${rehearsal}`)
    }
    await open({})
    await table.getByText('Hello', { exact: true }).waitFor()
    await saveDraft(id, added, etag)
    await d.page.reload()
    await d.shows(changed)
    assert.equal(await table.count(), 0)
    await d.press('Rehearse again')
    await table.getByText('New in the draft').waitFor()
    assert.equal(await d.page.getByText(changed).count(), 0)

    // Publishing gives the new step another ID.
    await d.service.call('POST', `automations/${id}/publish`, { steps })
    await d.service.call('DELETE', `automations/${id}/draft`)
    await d.page.reload()
    await d.shows(changed)
    await open({ version: 1 })
    await d.shows(changed)
    await open({})
    await table.getByText('New in the draft').waitFor()
  })

  it('lets viewers rehearse', async () => {
    const { accountId } = await aMember(d.service, 'viewer')
    const value = await beginSession(d.service.context.orm.em.fork(), accountId, 'A test')
    await d.page.context().addCookies([{ name: 'dripline', value, url: `http://127.0.0.1:${d.service.port}` }])
    await d.open(path())
    assert.equal((await texts()).length, 5)
  })

  it('fits a phone, with the email first', async () => {
    await d.page.setViewportSize({ width: 390, height: 844 })
    await d.open(path())
    await texts()
    await d.press('Next email')
    await mail().getByText('message 2 of 2').waitFor()
    const [wide, shown] = await d.page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )
    assert.equal(wide, shown)
  })

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the content of the draft
  async function readAutomation(id: string): Promise<{ automation: any; etag: string }> {
    const { body, headers } = await d.service.call('GET', `automations/${id}`)
    return { automation: body.data, etag: headers.get('etag')! }
  }

  /** Creates contacts with a tag, and a segment of them. @returns its name */
  async function aSegment(tag: string, size: number): Promise<string> {
    for (let n = 1; n <= size; n += 1) await aContact(d.service, { email: `${tag}-${n}@example.com`, tags: [tag] })
    await d.create('segments', { name: `With ${tag}`, condition: { tag } })
    return `With ${tag}`
  }

  async function saveDraft(id: string, sequence: object, etag: string, ifMatch = '"0"'): Promise<number> {
    const body = { content: { sequence }, basedOn: Number(/\d+/.exec(etag)![0]) }
    const { status } = await d.service.call('PUT', `automations/${id}/draft`, body, {
      headers: { 'If-Match': ifMatch },
    })
    return status
  }
})
