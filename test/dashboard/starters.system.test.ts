import assert from 'node:assert/strict'
import { startersFor } from '../../dashboard/src/pages/templates/starters.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation } from '../support/factories.ts'

interface Preview {
  subject: string
  text: string
  problems: object[]
  warnings: object[]
  unknownVariables: object[]
}

describe('the starters of templates', () => {
  const d = onDashboard()
  const starters = startersFor({ name: 'Orchard', color: '#2f6b45', logoUrl: null })

  for (const { name, subject, previewText, design } of starters)
    it(`have an email ${name} that is complete without data of the contact`, async () => {
      const body = { name, format: 'BLOCKS', subject, previewText, design }
      const made = await d.service.call('POST', 'templates', body)
      assert.deepEqual([made.status, made.headers.get('x-warning')], [201, null], JSON.stringify(made.body))
      const contactId = await aContact(d.service)
      const { body: answer } = await d.service.call('POST', `templates/${made.body.data.id}/preview`, { contactId })
      const { problems, unknownVariables, text } = answer.data as Preview
      assert.deepEqual({ problems, unknownVariables }, { problems: [], unknownVariables: [] })
      assert.doesNotMatch(text, /undefined|null|\{\{| ,| \.|, !/)
    })

  it('greet a contact by name, and one without a name as well', async () => {
    const trial = starters.find(({ id }) => id === 'trial-ends')!
    const id = await d.create('templates', { name: 'Trial', format: 'BLOCKS', subject: 'x', design: trial.design })
    const textFor = async (contact: object) => {
      const contactId = await aContact(d.service, contact)
      const { body } = await d.service.call('POST', `templates/${id}/preview`, { contactId })
      return (body.data as Preview).text
    }
    const ada = await textFor({ firstName: 'Ada', metadata: { trialEndsAt: '2026-12-05', plan: 'Pro' } })
    assert.match(ada, /Hi Ada, your trial ends on 5 December\./)
    assert.match(await textFor({}), /Hi there, your trial ends in a few days\./)
  })
})

describe('the list of templates in the dashboard', () => {
  const d = onDashboard()
  const cards = () => d.page.getByRole('list', { name: 'Templates' }).getByRole('listitem')

  it('shows each email as a picture with its uses, or all in a list', async () => {
    const html = '<p>Apples are ripe</p>'
    const id = await d.create('templates', { name: 'Harvest', subject: 'Harvest', html })
    await d.create('templates', { name: 'Spare', subject: 'Spare', html })
    await anAutomation(d.service, { steps: [{ type: 'EMAIL', templateId: id }] })
    for (const name of ['A', 'B']) await d.create('campaigns', { name, templateId: id })
    await d.open('/templates')
    const harvest = cards().filter({ hasText: 'Harvest' })
    await harvest.getByText('Used in 1 automation and 2 campaigns').waitFor()
    await cards().filter({ hasText: 'Spare' }).getByText('Not used').waitFor()
    const picture = harvest.locator('iframe')
    await picture.contentFrame().getByText('Apples are ripe').waitFor()
    const attributes = ['sandbox', 'tabindex', 'aria-hidden', 'loading']
    assert.deepEqual(await Promise.all(attributes.map((name) => picture.getAttribute(name))), [
      '',
      '-1',
      'true',
      'lazy',
    ])

    await d.page.getByRole('radiogroup', { name: 'Show as' }).getByText('List').click()
    assert.equal(
      await d
        .row(/^Harvest/)
        .getByRole('cell')
        .nth(2)
        .innerText(),
      'Used in 1 automation and 2 campaigns',
    )
    assert.equal(new URL(d.page.url()).searchParams.get('as'), 'list')
    await d.page.reload()
    await d.row(/^Spare/).waitFor()
    await d.page.getByRole('radiogroup', { name: 'Show as' }).getByText('Cards').click()
    await harvest.getByRole('link', { name: 'Harvest' }).click()
    await d.isAt('Harvest', 1)
  })

  it('offers starters for the empty email of a campaign, and keeps its subject', async () => {
    const id = await d.create('campaigns', { name: 'Monthly news' })
    await d.open(`/campaigns/${id}`)
    await d.page.getByLabel('Subject', { exact: true }).fill('Our news')
    await d.press('Newsletter')
    await d.button('Newsletter').waitFor({ state: 'detached' })
    await d.shows('https://example.com is the link of a starter. Replace it')
    const saved = await eventually('the draft is saved', async () => {
      const { status, body } = await d.service.call('GET', `campaigns/${id}`)
      assert.equal(status, 200, JSON.stringify(body))
      const { subject, previewText, design } = body.data as {
        subject: string
        previewText: string
        design?: { blocks: object[] } | null
      }
      return design ? { subject, previewText, blocks: design.blocks.length } : undefined
    })
    assert.deepEqual(saved, {
      subject: 'Our news',
      previewText: 'What we built, what we learned, and what comes next.',
      blocks: 6,
    })
  })

  it('creates a template from a starter in the color of the workspace', async () => {
    const sender = { fromName: 'Orchard', fromAddress: 'hello@orchard.example', brandColor: '#2f6b45' }
    assert.equal(
      (await d.owner.browser.ask('PUT', 'sender', { body: sender, workspaceId: d.service.workspaceId })).status,
      200,
    )
    await d.open('/templates')
    await d.press('New template')
    const form = d.form('New template')
    await form.getByRole('button', { name: 'Win-back' }).click()
    assert.equal(await form.getByLabel('Name').inputValue(), 'Win-back')
    await form.getByRole('button', { name: 'Receipt' }).click()
    assert.equal(await form.getByLabel('Name').inputValue(), 'Receipt')
    await form.getByLabel('Name').fill('Bill')
    await form.getByRole('button', { name: 'Newsletter' }).click()
    assert.equal(await form.getByLabel('Name').inputValue(), 'Bill')
    await d.press('Create template')
    await d.isAt('Bill', 1)
    const made = (await d.read(`templates/${d.page.url().split('/').at(-1)}`)) as {
      subject: string
      previewText: string
      design: { theme: object; blocks: object[] }
    }
    assert.deepEqual(
      [made.subject, made.previewText, made.design.theme, made.design.blocks.length],
      ['This month’s news', 'What we built, what we learned, and what comes next.', { accent: '#2f6b45' }, 6],
    )
  })
})
