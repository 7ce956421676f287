import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation } from '../support/factories.ts'

const isPlan = (value: string) => ({ metadata: 'plan', is: 'equal', value })

describe('segments in the dashboard', () => {
  const d = onDashboard()
  let id: string
  before(async () => {
    for (const name of ['ada', 'ben', 'cyd', 'dan', 'eve', 'fay', 'gus'])
      await aContact(d.service, { email: `${name}@example.com`, metadata: { plan: 'pro' } })
    await aContact(d.service, { email: 'free@example.com', metadata: { plan: 'free' }, tags: ['churned'] })
    await aContact(d.service, { email: 'none@example.com' })
    await d.service.call('POST', 'suppressions', { email: 'ada@example.com', reason: 'UNSUBSCRIBED' })
    await d.service.call('POST', 'suppressions', { email: 'ben@example.com', reason: 'MANUAL' })
    id = await d.create('segments', {
      name: 'Paying',
      condition: { all: [isPlan('pro'), { not: { tag: 'churned' } }] },
    })
    await anAutomation(d.service, { name: 'Thanks', trigger: 'SEGMENT_ENTERED', triggerConfig: { segmentId: id } })
    const audience = { segmentIds: [id] }
    await d.create('campaigns', { name: 'Spring sale', subject: 'Hi', text: 'Hi', audience })
  })
  const section = (title: string) =>
    d.page.locator('section').filter({ has: d.page.getByRole('heading', { name: title }) })

  it('lists each with its condition in words, its contacts and its first use', async () => {
    await d.open('/segments')
    const row = d.row(/^Paying/)
    await row.getByText('7', { exact: true }).waitFor()
    const [name, contacts, use] = await row.getByRole('cell').allInnerTexts()
    assert.deepEqual(
      [name, contacts, use?.split('\n').join(' ')],
      ['Paying\nplan is pro and not tagged churned', '7', 'Spring sale +1'],
    )
    await row.getByRole('link').click()
    await d.isAt('Paying', 1)
  })

  it('shows who matches, a sample, and what uses it', async () => {
    await d.open(`/segments/${id}`)
    await d.shows('Contacts who match plan is pro and not tagged churned')
    const matching = section('Matching now')
    await matching.getByText('of 9 contacts, 77.8%').waitFor()
    assert.deepEqual(await matching.locator('dl > div').allInnerTexts(), [
      'Subscribed\n5',
      'Unsubscribed\n1',
      'Suppressed\n1',
    ])
    await section('Sample').getByText('6 of 7').waitFor()
    assert.equal(await section('Sample').getByRole('listitem').count(), 6)
    assert.deepEqual(await section('Used in').getByRole('listitem').allInnerTexts(), [
      'Spring sale\nAudience\nDraft',
      'Thanks\nStarts when a contact enters\nActive',
    ])
    await d.page.getByRole('link', { name: 'View all' }).click()
    await d.isAt('Contacts')
    assert.equal(new URL(d.page.url()).searchParams.get('segmentId'), id)
    await d.shows('7 contacts')
  })

  it('says which condition decides whether a contact is in it', async () => {
    await d.open(`/segments/${id}`)
    const check = d.form('Check a contact')
    await check.getByLabel('Email or ID').fill('free@example.com')
    await check.getByLabel('Email or ID').press('Enter')
    await d.shows('free@example.com does not match.')
    const lines = d.page.getByRole('list', { name: 'Conditions' })
    assert.deepEqual(await lines.getByRole('listitem').allInnerTexts(), [
      'plan is pro · found: free',
      'not tagged churned',
    ])
    assert.equal(await lines.getByRole('img', { name: 'Not fulfilled' }).count(), 2)
    await check.getByLabel('Email or ID').fill('none@example.com')
    await check.getByRole('button', { name: 'Check' }).click()
    await d.shows('plan is pro · found: not set')
    assert.equal(await lines.getByRole('img', { name: 'Fulfilled', exact: true }).count(), 1)
    await check.getByLabel('Email or ID').fill('stranger@example.com')
    await check.getByRole('button', { name: 'Check' }).click()
    await d.shows('Contact not found')
  })

  it('counts who enters and leaves before an edit is saved, and discards it', async () => {
    await d.open(`/segments/${id}`)
    const value = d.page.getByLabel('Condition 1: value')
    await value.fill('free')
    await d.page.getByRole('button', { name: 'Condition 2: actions' }).click()
    await d.page.getByRole('menuitem', { name: 'Delete' }).click()
    await d.shows('1 contact will enter and 7 will leave when you save.')
    await section('Matching now').getByText('of 9 contacts, 11.1%').waitFor()
    await d.shows('Contacts who match plan is free', 'The sample and the check use the saved condition.')
    await d.press('Discard')
    assert.equal(await value.inputValue(), 'pro')
    await d.shows('Contacts who match plan is pro and not tagged churned')
    await section('Matching now').getByText('of 9 contacts, 77.8%').waitFor()
  })

  it('exports its contacts', async () => {
    await d.open(`/segments/${id}`)
    const [download] = await Promise.all([d.page.waitForEvent('download'), d.press('Export all as CSV')])
    assert.equal(download.suggestedFilename(), 'Paying.csv')
    const lines = (await text(await download.createReadStream())).trim().split('\r\n')
    assert.equal(lines.length, 8)
    assert.match(lines[1]!, /^"gus@example.com",/)
  })

  it('makes a campaign for it, a copy of it, and deletes only what nothing uses', async () => {
    await d.open(`/segments/${id}`)
    await d.press('Create campaign')
    const campaignId = await eventually('a draft is open', () => /campaigns\/([\w-]+)$/.exec(d.page.url())?.[1])
    const campaign = (await d.read(`campaigns/${campaignId}`)) as { audience: { segmentIds: string[] } }
    assert.deepEqual(campaign.audience.segmentIds, [id])

    await d.open(`/segments/${id}`)
    const choose = async (item: string) => {
      await d.press('More actions')
      await d.page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Delete…')
    await d.press('Delete segment')
    await d.shows('A scheduled campaign, an automation or another segment uses this segment.')
    await d.press('Cancel')
    await choose('Duplicate')
    await d.isAt('Copy of Paying', 1)
    await choose('Delete…')
    await d.press('Delete segment')
    await d.isAt('Segments', 1)
    await d.shows('1 segment')
  })
})
