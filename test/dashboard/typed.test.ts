import assert from 'node:assert/strict'
import { aContact, aList } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { onDashboard, type Dashboard } from '../support/dashboard.ts'

describe('what is typed in forms of the dashboard', () => {
  let d: Dashboard
  onDashboard((dashboard) => (d = dashboard))
  const press = (name: string) => d.page.getByRole('button', { name, exact: true }).click()
  const field = (label: string) => d.page.getByLabel(label, { exact: true })
  const campaign = async (id: string) =>
    (await d.service.call('GET', `campaigns/${id}`)).body.data as Record<string, unknown>

  it('over theirs keeps their translations, also behind a first save', async () => {
    const first = { name: 'T', format: 'HTML', subject: 'one', html: '<p>one</p>' }
    const { id } = (await d.service.call('POST', 'templates', first)).body.data as { id: string }
    await d.page.goto(d.at(`/templates/${id}`))
    const subject = d.page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('two')
    await press('Save')
    await d.page.getByText('Saved. What names it').waitFor()
    await d.service.call('PUT', `templates/${id}`, { ...first, translations: [{ locale: 'fr', subject: 'un' }] })
    await subject.fill('three')
    await press('Save')
    await press('Save mine')
    await d.page.getByText('Saved. What names it').waitFor()
    const { translations, subject: said } = (await d.service.call('GET', `templates/${id}`)).body.data
    assert.deepEqual([(translations as { locale: string }[]).map(({ locale }) => locale), said], [['fr'], 'three'])
    await d.page.getByText('what it says in fr stays as it is').waitFor()
  })

  it('behind a save whose answer was lost is saved, and taken for nobody else’s', async () => {
    const first = { name: 'L', format: 'HTML', subject: 'one', html: '<p>one</p>' }
    const { id } = (await d.service.call('POST', 'templates', first)).body.data as { id: string }
    await d.page.goto(d.at(`/templates/${id}`))
    const subject = d.page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('two')
    await d.loseAnswers('PUT', `**/templates/${id}`)
    await press('Save')
    await d.page.getByText('The service does not answer.').waitFor()
    await d.page.unrouteAll()
    await subject.fill('three')
    await press('Save')
    await d.page.getByText('Saved. What names it').waitFor()
    assert.equal((await d.service.call('GET', `templates/${id}`)).body.data.subject, 'three')
  })

  it('as a number of an A/B test stays as it is, and is not saved as another one', async () => {
    await d.page.goto(d.at('/campaigns'))
    await press('New campaign')
    await field('Name').fill('N')
    await press('Try other subjects…')
    await field('Subject').fill('A')
    await d.page.getByLabel('Subject 2').fill('B')
    const percent = d.page.getByLabel('To how many of a hundred')
    for (const wrong of ['', '12.5', '1e2', '0', '101']) {
      await percent.fill(wrong)
      await d.page.keyboard.press('Tab')
      await press('Make the draft')
      await d.page.getByText('A whole number from 1 to 100.').waitFor()
      assert.equal(await percent.inputValue(), wrong)
      assert.ok(await percent.evaluate((input) => input === input.ownerDocument.activeElement), 'it is shown')
    }
    await percent.fill('12')
    await press('Make the draft')
    await d.page.waitForURL(/\/campaigns\/./)
    const { abTest } = await campaign(d.page.url().split('/').at(-1)!)
    assert.equal((abTest as { testPercent: number }).testPercent, 12)
  })

  it('into a draft whose answer was lost is saved by pressing again', async () => {
    const list = await aList(d.service)
    await aContact(d.service)
    const body = { name: 'C', subject: 's', text: 't', audience: { listIds: [list] } }
    const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
    await d.page.goto(d.at(`/campaigns/${id}`))
    await press('Edit')
    await field('Subject').fill('mine')
    await d.loseAnswers('PATCH', `**/campaigns/${id}`)
    await press('Save the draft')
    await d.page.getByText('The service does not answer.').waitFor()
    await d.page.unrouteAll()
    await press('Save the draft')
    await d.page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    assert.equal((await campaign(id)).subject, 'mine')
  })

  it('into a draft that somebody else has changed is kept until it is said whose is meant', async () => {
    for (const whose of ['Take theirs', 'Save mine']) {
      const body = { name: 'C', subject: 's', text: 't' }
      const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
      await d.page.goto(d.at(`/campaigns/${id}`))
      await press('Edit')
      await d.service.call('PATCH', `campaigns/${id}`, { subject: 'theirs' })
      await field('Subject').fill('mine')
      await press('Save the draft')
      await d.page.getByText('Somebody else has changed it').waitFor()
      assert.equal(await field('Subject').inputValue(), 'mine')
      await press(whose)
      if (whose === 'Take theirs') {
        await eventually('theirs are here', async () => (await field('Subject').inputValue()) === 'theirs' || undefined)
        await press('Save the draft')
      }
      await d.page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
      assert.equal((await campaign(id)).subject, whose === 'Take theirs' ? 'theirs' : 'mine')
    }
  })

  it('to find a list takes the one that there is, by Enter or by going on; and stays where there is none', async () => {
    const { id: list } = (await d.service.call('POST', 'lists', { name: 'Zeta' })).body.data as { id: string }
    const { id: other } = (await d.service.call('POST', 'lists', { name: 'Eta' })).body.data as { id: string }
    await d.page.goto(d.at('/campaigns'))
    await press('New campaign')
    await field('Name').fill('By name')
    const excluded = d.page.getByRole('combobox', { name: 'But nobody of these lists' })
    const included = d.page.getByRole('combobox', { name: 'Lists', exact: true })
    const { id: byArrow } = (await d.service.call('POST', 'lists', { name: 'Iota' })).body.data as { id: string }
    const { id: behind } = (await d.service.call('POST', 'lists', { name: 'Theta' })).body.data as { id: string }
    await d.page.reload()
    await press('New campaign')
    await field('Name').fill('By name')
    await excluded.pressSequentially('Iota')
    await d.page.keyboard.press('ArrowDown')
    await d.page.keyboard.press('Enter')
    await excluded.pressSequentially('Theta')
    await d.page.keyboard.press('Enter')
    await excluded.pressSequentially('Zeta')
    await d.page.keyboard.press('Tab')
    await included.pressSequentially('Eta')
    await d.page.keyboard.press('Enter')
    const segments = d.page.getByRole('combobox', { name: 'And nobody of these segments' })
    await segments.pressSequentially('nowhere')
    await press('Make the draft')
    await d.page.getByText('There is none of this name').waitFor()
    assert.equal(await segments.inputValue(), 'nowhere')
    await segments.fill('')
    await press('Make the draft')
    await d.page.waitForURL(/\/campaigns\/./)
    const { audience } = await campaign(d.page.url().split('/').at(-1)!)
    const { listIds, exclude } = audience as { listIds: string[]; exclude: { listIds: string[] } }
    assert.deepEqual([exclude.listIds, listIds], [[byArrow, behind, list], [other]])
  })

  it('of an import that goes on is the same file', async () => {
    const made = { name: 'a.csv', format: 'csv', size: 40 }
    const { id } = (await d.service.call('POST', 'imports', made)).body.data as { id: string }
    const text = 'email\na1@example.com\n'
    await d.service.call('POST', `imports/${id}/pieces`, { position: 0, text, isLast: false })
    const isAt = async () => (await d.service.call('GET', `imports/${id}`)).body.data.position as number
    const before = await isAt()
    await d.page.goto(d.at('/imports'))
    const coming = d.page.waitForEvent('filechooser')
    await press('Go on with the same file…')
    const buffer = Buffer.from('email,plan\nb1@example.com,x\nb2@example.com,x\nb3@example.com,x\n')
    await (await coming).setFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
    await d.page.getByText('This is another file').waitFor()
    assert.equal(await isAt(), before)
  })

  it('into a template is in a draft when that takes the newer version', async () => {
    const first = { name: 'V', format: 'HTML', subject: 'old', html: '<p>old</p>' }
    const { id: templateId } = (await d.service.call('POST', 'templates', first)).body.data as { id: string }
    const { id } = (await d.service.call('POST', 'campaigns', { name: 'C', templateId })).body.data as { id: string }
    await d.service.call('PUT', `templates/${templateId}`, { ...first, subject: 'new' })
    await d.page.goto(d.at(`/campaigns/${id}`))
    await d.page.getByText('there is version 2 by now').waitFor()
    await press('Edit')
    await d.page.getByLabel('Take version 2 of it').check()
    await press('Save the draft')
    await d.page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    assert.equal((await campaign(id)).templateVersion, 2)
  })

  it('has the name of what is sent above it, on the narrowest screen', async () => {
    const { id } = (await d.service.call('POST', 'campaigns', { name: 'News of November', subject: 's', text: 't' }))
      .body.data as { id: string }
    await d.page.setViewportSize({ width: 320, height: 640 })
    try {
      await d.page.goto(d.at(`/campaigns/${id}`))
      const box = await d.page.getByRole('heading', { level: 1 }).boundingBox()
      assert.ok(box!.width >= 100, `${box!.width}`)
      assert.equal(await d.page.locator('html').evaluate((html: { scrollWidth: number }) => html.scrollWidth), 320)
    } finally {
      await d.page.setViewportSize({ width: 1440, height: 900 })
    }
  })
})
