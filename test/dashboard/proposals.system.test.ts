import assert from 'node:assert/strict'
import { beginSession } from '../../src/accounts/sessions.ts'
import { aDraftCampaign } from '../support/campaigns.ts'
import { onDashboard } from '../support/dashboard.ts'
import { aContact, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'

describe('proposals in the dashboard', () => {
  const d = onDashboard()

  const propose = async (path: string, content: object, reason: string): Promise<string> => {
    const key = await d.service.newKey({ workspaceId: d.service.workspaceId, name: 'Agent' })
    const { body } = await d.service.call('POST', `${path}/proposals`, { content, reason }, { key })
    return body.data.id as string
  }
  const focused = () => d.page.locator(':focus')
  const confirm = (name: string) => d.page.getByRole('alertdialog', { name })

  it('are found on Home, show their changes, and are approved by keyboard', async () => {
    const id = await anAutomation(d.service, { name: 'Trial', steps: [EMAIL, wait(60)] })
    const steps = [{ ...EMAIL, subject: 'A better subject' }, wait(60), { ...EMAIL, subject: 'Still there?' }]
    await propose(`automations/${id}`, { steps, name: 'Trial, shorter' }, 'Most contacts open it on day 2.')
    await d.open('')
    await d.isAt('1 proposal to review')
    await d.link('View proposals').press('Enter')
    await d.isAt('Proposals')
    await d.row(/Change “Trial” Waiting Most contacts open it on day 2\. Agent/).waitFor()
    await d.page.getByRole('link', { name: 'Change “Trial”' }).press('Enter')
    await d.isAt('Change “Trial”')
    await d.shows('Most contacts open it on day 2.', 'Trial, shorter', '(now: Trial)')
    const lines = await d.page
      .getByRole('list')
      .filter({ hasText: 'Still there?' })
      .getByRole('listitem')
      .allInnerTexts()
    assert.deepEqual(
      lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()),
      ['− Removed: Hello {{ contact.firstName }}', '+ Added: A better subject', 'Wait 1 hour', '+ Added: Still there?'],
    )
    await d.choose('Email', '2. Still there?')
    await d.shows(/^Still there\?$/)
    await d.button('Approve…').press('Enter')
    await confirm('Approve change').getByText('The changes apply to contacts who enter from now on.').waitFor()
    // It takes the focus a moment after it opens.
    const cancel = confirm('Approve change').getByRole('button', { name: 'Cancel' }).and(focused())
    await cancel.waitFor()
    await d.keys('Escape')
    await d.button('Approve…').and(focused()).waitFor()
    await d.keys('Enter')
    await cancel.waitFor()
    await confirm('Approve change').getByRole('button', { name: 'Approve change' }).press('Enter')
    await d.shows('Approved by')
    const { name, version, steps: published } = await d.read(`automations/${id}`)
    assert.deepEqual([name, version, published.length], ['Trial, shorter', 2, 3])
    assert.deepEqual(d.failures, [])
  })

  it('name the recipients of a campaign, and are rejected', async () => {
    const listId = await aList(d.service)
    await aContact(d.service, { listId })
    await aContact(d.service, { listId })
    const id = await aDraftCampaign(d.service, [listId], { name: 'Spring sale' })
    const proposalId = await propose(`campaigns/${id}`, {}, 'It is spring.')
    await d.open(`/proposals/${proposalId}`)
    await d.isAt('Send “Spring sale”')
    await d.shows('When it is approved', '2 contacts, as of now', 'Audience', /^List \d+$/, 'Marketing')
    await d.press('Reject…')
    await confirm('Reject proposal').getByRole('button', { name: 'Reject proposal' }).click()
    await d.shows('Rejected by')
    assert.equal((await d.read(`campaigns/${id}`)).status, 'DRAFT')
    await d.button('Approve…').waitFor({ state: 'detached' })
  })

  it('count the enrollments that an approval ends, and state what becomes of the automation', async () => {
    const steps = [wait(60), { ...EMAIL, name: 'Second' }, { ...EMAIL, name: 'Third' }]
    const id = await anAutomation(d.service, { name: 'Reminder', steps })
    const other = await anAutomation(d.service, { steps })
    for (const automationId of [id, id, id, other]) await enroll(d.service, automationId, await aContact(d.service))
    const { steps: present } = await d.read(`automations/${id}`)
    const approval = async (content: object) => {
      await d.open(`/proposals/${await propose(`automations/${id}`, content, 'It is over.')}`)
      await d.press('Approve…')
      return confirm('Approve change')
    }
    const ends = 'This ends 3 enrollments in older versions now. Up to 6 remaining emails will not be sent.'
    for (const content of [{ steps: [EMAIL] }, { goal: { eventName: 'order.placed' } }])
      await (await approval({ ...content, inside: 'FINISH' })).getByText(`${ends} This can’t be undone.`).waitFor()
    await (
      await approval({ steps: present.slice(1), inside: 'MOVE', removedSteps: 'END' })
    )
      .getByText('This ends 3 enrollments at removed steps now. This can’t be undone.')
      .waitFor()
    await (await approval({ status: 'PAUSED' })).getByText('no emails are sent until it is resumed.').waitFor()
    await (await approval({ status: 'ARCHIVED' })).getByText('no more contacts enter it.').waitFor()
    assert.deepEqual(d.failures, [])
  })

  it('show the emails of an automation that an approval activates', async () => {
    const steps = [{ ...EMAIL, subject: 'Welcome aboard', text: 'We are glad that you are here' }]
    const id = await anAutomation(d.service, { name: 'Later', status: 'DRAFT', steps })
    await d.open(`/proposals/${await propose(`automations/${id}`, { status: 'ACTIVE' }, 'It is ready.')}`)
    await d.shows('Steps', 'Emails', /Welcome aboard/)
  })

  it('show another list of the trigger, another category, the conditions of branches, and all fields', async () => {
    const [listId, other] = [await aList(d.service), await aList(d.service)]
    const { name } = await d.read(`lists/${other}`)
    const fields = { name: 'Newcomers', trigger: 'LIST_ADDED', triggerConfig: { listId }, steps: [EMAIL] }
    const id = await anAutomation(d.service, fields)
    const branch = { name: 'Any', if: { tag: 'vip' }, steps: [] }
    const steps = [
      { ...EMAIL, category: 'transactional' },
      { type: 'CONDITION', branches: [branch, { ...branch, name: 'Other' }] },
      { type: 'UPDATE_CONTACT', set: { metadata: { plan: 'free' } } },
    ]
    await d.open(`/proposals/${await propose(`automations/${id}`, { triggerConfig: { listId: other }, steps }, 'x')}`)
    await d.shows(new RegExp(`${name} \\(now: `), 'category: transactional', /If .*vip/, /"plan":"free"/)
    await d.page.getByText('Show as JSON').press('Enter')
    await d.shows(/"category": "transactional"/)
  })

  it('say that another member has decided, and that the automation was changed', async () => {
    const id = await anAutomation(d.service, { name: 'Onboarding' })
    const decided = await propose(`automations/${id}`, { status: 'PAUSED' }, 'Too many bounces.')
    const outdated = await propose(`automations/${id}`, { status: 'PAUSED' }, 'Again.')
    const { browser, email } = await aMember(d.service, 'editor')
    await d.open(`/proposals/${decided}`)
    await d.press('Approve…')
    // The page would see the decision, and take the buttons away.
    const release = await d.hold('GET', `**/proposals/${decided}`)
    await browser.ask('POST', `proposals/${decided}/approve`, { workspaceId: d.service.workspaceId })
    await confirm('Approve change').getByRole('button', { name: 'Approve change' }).click()
    release()
    await d.shows(new RegExp(`^${email}, `))
    await d.open(`/proposals/${outdated}`)
    await d.shows('The automation was changed or deleted after this was proposed')
    assert.equal(await d.button('Approve…').isVisible(), false)
  })

  it('are read-only for a viewer', async () => {
    const id = await anAutomation(d.service, { name: 'Win back' })
    const proposalId = await propose(`automations/${id}`, { status: 'PAUSED' }, 'Summer.')
    const { accountId } = await aMember(d.service, 'viewer')
    const value = await beginSession(d.service.context.orm.em.fork(), accountId, 'A test')
    await d.page.context().addCookies([{ name: 'dripline', value, url: `http://127.0.0.1:${d.service.port}` }])
    await d.open(`/proposals/${proposalId}`)
    await d.isAt('Change “Win back”')
    await d.shows('Paused')
    assert.equal(await d.button('Approve…').count(), 0)
    assert.equal(await d.button('Reject…').count(), 0)
  })
})
