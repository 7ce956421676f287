import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList, anAutomation } from '../support/factories.ts'
import { campaignIs } from '../support/campaigns.ts'
import { recount } from '../support/stats.ts'
import { writeWithImage } from '../support/write-email.ts'
import { setSender } from '../../src/senders/settings.ts'
import { sql } from '../../src/platform/db/sql.ts'

/** The daily work of a marketer, from Home to the result, without JSON or docs. */
describe('a marketer in the dashboard', () => {
  const d = onDashboard()

  let actions: string[]
  /** Counts clicks, and keys that do what a click would do. Text, and keys that move between fields, are not counted. */
  async function countActions(page: Page): Promise<void> {
    actions = []
    await page.exposeFunction('recordAction', (name: string) => actions.push(name))
    await page.addInitScript(`
      addEventListener('pointerdown', ({ target }) => recordAction(target.closest('button, a, [role], label')?.textContent ?? target.tagName), true)
      addEventListener('keydown', ({ key }) => ['Enter', 'Escape', ' '].includes(key) && !document.activeElement.isContentEditable && recordAction(key), true)`)
  }
  beforeEach(() => countActions(d.page))
  const tookAtMost = (clicks: number) =>
    assert.ok(actions.length <= clicks, `${actions.length} clicks: ${actions.join(' · ')}`)

  it('sends a newsletter with an image and an A/B test to a segment in 14 clicks', async () => {
    // Without tracking, an A/B test has no winner.
    await setSender(d.service.context.orm.em.fork(), d.service.workspaceId, { trackOpens: true })
    for (let n = 0; n < 40; n += 1) await aContact(d.service, { metadata: { plan: 'free' } })
    await aContact(d.service, { metadata: { plan: 'pro' } })
    const condition = { metadata: 'plan', is: 'equal', value: 'free' }
    await d.create('segments', { name: 'On the free plan', condition })
    await d.open('')
    await d.page.getByRole('link', { name: 'Campaigns', exact: true }).first().click()
    await d.button('New campaign').first().click()
    await d.page.getByRole('combobox', { name: 'Include', exact: true }).click()
    await d.page.getByRole('option', { name: 'On the free plan (segment)', exact: true }).click()
    await d.page.getByRole('switch', { name: 'A/B test the subject' }).click()
    await d.fill({ Name: 'December news', 'Subject A': 'The harvest is in', 'Subject B': 'Apples, for a week' })
    await d.press('Edit email')
    await writeWithImage(d, { text: 'Dear reader, the harvest is in.', alt: 'A box of apples' })
    await d.press('Done')
    await d.press('Send to 40 contacts…', 'Send to 40 contacts')
    const mail = await eventually('the test is sent', () => d.sink.mails[0])
    assert.match(mail.body, /A box of apples/)
    tookAtMost(14)
  })

  it('activates the trial recipe with its texts in 10 clicks', async () => {
    await d.open('')
    await d.page.getByRole('link', { name: 'Automations', exact: true }).first().click()
    await d.press('New automation')
    await d.page.getByRole('group', { name: 'Recipes' }).getByText('Trial', { exact: false }).first().click()
    await d.press('Use recipe', 'Activate…')
    // One text of the recipe is to be written.
    await d.press('Fix 1 problem')
    const designer = d.page.getByRole('dialog', { name: /email/ })
    await designer.getByRole('listitem', { name: 'Text 1' }).click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+a')
    await d.page.keyboard.type('You have no project yet. Choose a template, and invite a colleague.')
    await d.press('Done', 'Activate…', 'Activate')
    await d.shows('Automation activated.')
    tookAtMost(10)
  })

  it('finds out why a contact did not get an automation that they never entered', async () => {
    const contactId = await aContact(d.service, { firstName: 'Nina' })
    const email = await addressOf(d.service, contactId)
    await anAutomation(d.service, {
      name: 'Win back',
      trigger: 'TAG_ADDED',
      triggerConfig: { tagName: 'dormant' },
    })
    await d.open('')
    await d.isLoaded()
    await d.keys('Control+k')
    await d.page.getByRole('textbox', { name: 'Search or jump to' }).fill(email)
    await d.page.getByRole('button', { name: email }).click()
    await d.page.getByRole('combobox', { name: 'What they did not get' }).click()
    await d.page.getByRole('option', { name: 'Win back' }).click()
    await d.shows('Nina does not have the tag “dormant”, which starts the automation.')
    tookAtMost(3)
  })

  it('reads a report and mails those who did not open', async () => {
    const list = await aList(d.service)
    const contactIds = await Promise.all(Array.from({ length: 4 }, () => aContact(d.service)))
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds })
    const audience = { listIds: [list] }
    const id = await d.create('campaigns', {
      name: 'Winter catalog',
      subject: 'Winter',
      html: '<p>Winter</p>',
      audience,
    })
    await d.service.call('POST', `campaigns/${id}/schedule`, {})
    await campaignIs(d.service, id, 'SENT')
    const [opened, other] = (await d.read(`messages?campaignId=${id}`)) as { id: string; contactId: string }[]
    const { em } = d.service.context.orm
    await sql(em.fork(), `update messages set opened_at = now() where id = $1::uuid`, [opened!.id])
    await recount(em)
    // Who left the list in the meantime gets nothing.
    const gone = await addressOf(d.service, other!.contactId)
    await d.service.call('DELETE', `lists/${list}/contacts/${other!.contactId}`)
    d.sink.mails.length = 0
    await d.open('')
    await d.page.getByRole('link', { name: 'Campaigns', exact: true }).first().click()
    await d
      .row(/Winter catalog/)
      .getByRole('link')
      .first()
      .click()
    await d.isAt('Delivered to 4 of 4 recipients')
    await d.press('Create draft for 3 contacts')
    await d.field('Subject').fill('Once more: winter')
    await d.press('Send to 2 contacts…', 'Send to 2 contacts')
    await eventually('both got it', () => d.sink.mails[1])
    assert.ok(!d.sink.mails.some(({ to }) => to.includes(gone)))
    tookAtMost(5)
  })
})
