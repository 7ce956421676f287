import assert from 'node:assert/strict'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { onDashboard, type Dashboard } from '../support/dashboard.ts'

describe('unsaved input in dashboard forms', () => {
  let d: Dashboard
  onDashboard((dashboard) => (d = dashboard))
  const press = (name: string) => d.page.getByRole('button', { name, exact: true }).click()
  const field = (label: string) => d.page.getByLabel(label, { exact: true })
  const campaign = async (id: string) =>
    (await d.service.call('GET', `campaigns/${id}`)).body.data as Record<string, unknown>

  it('keeps the other version’s translations when overwriting it, also after a first save', async () => {
    const first = { name: 'T', format: 'HTML', subject: 'one', html: '<p>one</p>' }
    const { id } = (await d.service.call('POST', 'templates', first)).body.data as { id: string }
    await d.page.goto(d.at(`/templates/${id}`))
    const subject = d.page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('two')
    await press('Save template')
    await d.page.getByText('Saved as version').waitFor()
    await d.service.call('PUT', `templates/${id}`, { ...first, translations: [{ locale: 'fr', subject: 'un' }] })
    await subject.fill('three')
    await press('Save template')
    await press('Overwrite with mine')
    await d.page.getByText('Saved as version').waitFor()
    const { translations, subject: said } = (await d.service.call('GET', `templates/${id}`)).body.data
    assert.deepEqual([(translations as { locale: string }[]).map(({ locale }) => locale), said], [['fr'], 'three'])
    await d.page.getByText('Translations (fr) stay unchanged').waitFor()
  })

  it('keeps an invalid A/B test number as typed and does not save it', async () => {
    await d.page.goto(d.at('/campaigns'))
    await press('New campaign')
    await field('Name').fill('N')
    await press('A/B test subject lines')
    await field('Subject').fill('A')
    await d.page.getByLabel('Subject 2').fill('B')
    const percent = d.page.getByLabel('Test group (%)')
    for (const wrong of ['', '12.5', '1e2', '0', '101']) {
      await percent.fill(wrong)
      await d.page.keyboard.press('Tab')
      await press('Save draft')
      await d.page.getByText('Enter a whole number from 1 to 100.').waitFor()
      assert.equal(await percent.inputValue(), wrong)
      assert.ok(await percent.evaluate((input) => input === input.ownerDocument.activeElement), 'it is shown')
    }
    await percent.fill('12')
    await press('Save draft')
    await d.page.waitForURL(/\/campaigns\/./)
    const { abTest } = await campaign(d.page.url().split('/').at(-1)!)
    assert.equal((abTest as { testPercent: number }).testPercent, 12)
  })

  it('keeps edits of a draft that someone else changed until the user decides', async () => {
    for (const whose of ['Use their version', 'Overwrite with mine']) {
      const body = { name: 'C', subject: 's', text: 't' }
      const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
      await d.page.goto(d.at(`/campaigns/${id}`))
      await press('Edit')
      await d.service.call('PATCH', `campaigns/${id}`, { subject: 'theirs' })
      await field('Subject').fill('mine')
      await press('Save draft')
      await d.page.getByText('Someone else changed this').waitFor()
      assert.equal(await field('Subject').inputValue(), 'mine')
      await press(whose)
      if (whose === 'Use their version') {
        await eventually('theirs are here', async () => (await field('Subject').inputValue()) === 'theirs' || undefined)
        await press('Save draft')
      }
      await d.page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
      assert.equal((await campaign(id)).subject, whose === 'Use their version' ? 'theirs' : 'mine')
    }
  })

  it('selects the typed list on Enter or blur, and keeps text without a match', async () => {
    const { id: list } = (await d.service.call('POST', 'lists', { name: 'Zeta' })).body.data as { id: string }
    const { id: other } = (await d.service.call('POST', 'lists', { name: 'Eta' })).body.data as { id: string }
    await d.page.goto(d.at('/campaigns'))
    await press('New campaign')
    await field('Name').fill('By name')
    const excluded = d.page.getByRole('combobox', { name: 'Excluded lists' })
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
    const segments = d.page.getByRole('combobox', { name: 'Excluded segments' })
    await segments.pressSequentially('nowhere')
    await press('Save draft')
    await d.page.getByText('No single match').waitFor()
    assert.equal(await segments.inputValue(), 'nowhere')
    await segments.fill('')
    await press('Save draft')
    await d.page.waitForURL(/\/campaigns\/./)
    const { audience } = await campaign(d.page.url().split('/').at(-1)!)
    const { listIds, exclude } = audience as { listIds: string[]; exclude: { listIds: string[] } }
    assert.deepEqual([exclude.listIds, listIds], [[byArrow, behind, list], [other]])
  })

  it('selects the typed time zone on Enter or blur, and does not submit text without a match', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const body = { name: 'Z', subject: 's', text: 't', audience: { listIds: [list] } }
    const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
    await d.page.goto(d.at(`/campaigns/${id}`))
    await press('Send…')
    await d.page.getByText('Recipient’s time zone').click()
    await d.page.getByLabel('Date and time').fill('2040-01-01T09:00')
    const zone = d.page.getByRole('combobox', { name: 'Time zone if unknown' })
    const type = async (name: string, key: string) => {
      await zone.fill('')
      await zone.pressSequentially(name)
      await d.page.keyboard.press(key)
    }
    await type('berlin', 'Enter')
    assert.equal(await zone.inputValue(), 'Europe/Berlin')
    await type('europe/berln', 'Tab')
    await d.page.getByText('No single match').waitFor()
    assert.equal(await zone.inputValue(), 'europe/berln')
    await press('Schedule campaign')
    assert.ok(await zone.evaluate((input) => input === input.ownerDocument.activeElement), 'it is shown')
    assert.equal((await campaign(id)).status, 'DRAFT')
    await type('Asia/Tokyo', 'Tab')
    await press('Schedule campaign')
    await eventually('it is scheduled', async () => (await campaign(id)).status === 'SCHEDULED' || undefined)
    assert.equal((await campaign(id)).fallbackTimeZone, 'Asia/Tokyo')
  })

  it('adds imported contacts to the typed list and explains double opt-in', async () => {
    const list = await aList(d.service)
    const asks = { type: 'EMAIL', category: 'transactional', subject: 'Confirm', text: '{{ confirmUrl }}' }
    await anAutomation(d.service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [asks] })
    await d.service.call('PATCH', `lists/${list}`, { name: 'Typed', doubleOptIn: true })
    const draft = { name: 'x.csv', text: 'email\nada@example.com\n' }
    const { id } = (await d.service.call('POST', 'imports', draft)).body.data as { id: string }
    await d.page.goto(d.at(`/imports/${id}`))
    await press('Continue')
    await d.page.getByRole('combobox', { name: 'Add to list' }).pressSequentially('typed')
    await d.page.keyboard.press('Tab')
    await d.page.getByText('No confirmation emails will be sent').waitFor()
    await d.page.getByLabel('Start automations').check()
    await d.page.getByText('Each contact gets a confirmation email').waitFor()
    await d.page.getByLabel('These contacts confirmed the list elsewhere').check()
    await d.page.getByText('Each contact gets a confirmation email').waitFor({ state: 'detached' })
  })

  it('sends a campaign only as the user has seen it', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const said = { name: 'S', subject: 'seen', text: 't', audience: { listIds: [list] } }
    const told = d.page.getByText('Someone else changed this campaign')
    for (const isRead of [true, false]) {
      const { id } = (await d.service.call('POST', 'campaigns', said)).body.data as { id: string }
      await d.page.goto(d.at(`/campaigns/${id}`))
      await press('Send…')
      // Block the refetch.
      if (!isRead) await d.page.route(`**/campaigns/${id}`, (route) => route.abort())
      await d.service.call('PATCH', `campaigns/${id}`, { subject: 'theirs', text: 't' })
      if (isRead) await told.waitFor()
      const refused = d.page.waitForResponse((answer) => answer.url().endsWith(`/${id}/schedule`))
      await press('Send campaign now')
      if (!isRead) assert.equal((await refused).status(), 412)
      refused.catch(() => undefined)
      await d.page.unrouteAll()
      await told.waitFor()
      assert.equal((await campaign(id)).status, 'DRAFT')
      await d.page.getByText('theirs').first().waitFor()
      await press('Looks right, continue')
      await press('Send campaign now')
      await eventually('it is sent', async () => (await campaign(id)).status !== 'DRAFT' || undefined)
    }
  })

  it('scrolls to the error of a rejected save in a long form', async () => {
    const body = { name: 'Long', subject: 's', text: 't' }
    const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
    await d.page.setViewportSize({ width: 1280, height: 500 })
    try {
      await d.page.goto(d.at(`/campaigns/${id}`))
      await press('Edit')
      await field('Subject').fill('{{ wrong')
      for (let time = 0; time < 2; time += 1) {
        await press('Save draft')
        const told = d.page.getByText('is not a valid template')
        await told.waitFor()
        await eventually('it is in sight', async () => {
          const box = await told.boundingBox()
          return (box !== null && box.y >= 0 && box.y < 500) || undefined
        })
      }
    } finally {
      await d.page.setViewportSize({ width: 1280, height: 800 })
    }
  })

  it('does not enroll into the previous choice if other text is typed', async () => {
    const automation = await anAutomation(d.service, { name: 'Alpha chosen' })
    const contactId = await aContact(d.service)
    await d.page.goto(d.at(`/contacts/${contactId}`))
    await press('Add to automation…')
    const which = d.page.getByRole('combobox', { name: 'Automation' })
    await press('Add contact')
    await d.page.getByText('Choose an option').waitFor()
    await which.pressSequentially('alpha chosen')
    await d.page.keyboard.press('Enter')
    assert.equal(await which.getAttribute('aria-expanded'), 'false')
    await which.fill('Betta')
    await d.page.keyboard.press('Tab')
    await press('Add contact')
    await d.page.getByText('No single match').waitFor()
    const enrollments = async () =>
      (await d.service.call('GET', `contacts/${contactId}/enrollments`)).body.data as { automationId: string }[]
    assert.deepEqual(await enrollments(), [])
    await which.fill('Alpha chosen')
    await d.page.keyboard.press('Enter')
    await press('Add contact')
    await eventually(
      'the contact is enrolled',
      async () => (await enrollments()).some(({ automationId }) => automationId === automation) || undefined,
    )
  })
})
