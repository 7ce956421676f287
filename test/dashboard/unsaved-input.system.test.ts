import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'

describe('unsaved input in dashboard forms', () => {
  const d = onDashboard()
  const campaign = async (id: string) => (await d.read(`campaigns/${id}`)) as Record<string, unknown>

  it('keeps the other version’s translations when overwriting it, also after a first save', async () => {
    const first = { name: 'T', format: 'HTML', subject: 'one', html: '<p>one</p>' }
    const id = await d.create('templates', first)
    await d.open(`/templates/${id}`)
    const subject = d.page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('two')
    await d.press('Save template')
    await d.shows('Saved as version')
    await d.service.call('PUT', `templates/${id}`, { ...first, translations: [{ locale: 'fr', subject: 'un' }] })
    await subject.fill('three')
    await d.press('Save template', 'Overwrite with mine')
    await d.shows('Saved as version')
    const { translations, subject: said } = await d.read(`templates/${id}`)
    assert.deepEqual([(translations as { locale: string }[]).map(({ locale }) => locale), said], [['fr'], 'three'])
    await d.shows('Translations (fr) stay unchanged')
  })

  it('restores the edits of a closed template, and does not overwrite a later version with them', async () => {
    const first = { name: 'T', format: 'HTML', subject: 'one', html: '<p>one</p>' }
    const id = await d.create('templates', first)
    const subject = d.page.getByRole('textbox', { name: 'Subject' })
    const leaveWith = async (text: string) => {
      await d.open(`/templates/${id}`)
      await subject.fill(text)
      await eventually('it is kept', () =>
        d.page.evaluate<true | undefined>(
          `localStorage.getItem('template edits 1 ${d.owner.email} ${id}')?.includes('${text}') || undefined`,
        ),
      )
      d.page.once('dialog', (dialog) => void dialog.accept())
    }
    await leaveWith('two')
    await d.open(`/templates/${id}`)
    await d.shows('Unsaved changes')
    await subject.getByText('one').waitFor()
    await d.service.call('PUT', `templates/${id}`, { ...first, subject: 'theirs' })
    await d.press('Restore changes')
    await subject.getByText('two').waitFor()
    await d.press('Save template', 'Overwrite with mine')
    await d.shows('Saved as version')
    assert.equal((await d.read(`templates/${id}`)).subject, 'two')
    // What was saved or discarded is not offered again.
    await leaveWith('three')
    await d.open(`/templates/${id}`)
    await d.press('Discard')
    await d.page.reload()
    await subject.getByText('two').waitFor()
    assert.equal(await d.page.getByText('Unsaved changes').count(), 0)
  })

  it('keeps an invalid A/B test number as typed and does not save it', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const id = await d.create('campaigns', { name: 'N', subject: 'A', text: 't', audience: { listIds: [list] } })
    await d.open(`/campaigns/${id}`)
    await d.page.getByRole('switch', { name: 'A/B test the subject' }).click()
    await d.field('Subject B').fill('B')
    const percent = d.page.getByLabel('Test group (%)')
    for (const wrong of ['', '12.5', '1e2', '0', '101']) {
      await percent.fill(wrong)
      await d.keys('Tab')
      await d.press(/^(Send to|Fix) /)
      await d.shows('Enter a whole number from 1 to 100.')
      assert.equal(await percent.inputValue(), wrong)
      assert.ok(await percent.evaluate((input) => input === input.ownerDocument.activeElement), 'it is shown')
    }
    await percent.fill('12')
    await eventually('it is saved', async () => {
      const { abTest } = (await campaign(id)) as { abTest?: { testPercent: number } }
      return abTest?.testPercent === 12 || undefined
    })
  })

  it('keeps edits of a draft that someone else changed until the user decides', async () => {
    for (const whose of ['Use their version', 'Overwrite with mine']) {
      const body = { name: 'C', subject: 's', text: 't' }
      const id = await d.create('campaigns', body)
      await d.open(`/campaigns/${id}`)
      await d.isAt('Audience')
      await d.service.call('PATCH', `campaigns/${id}`, { subject: 'theirs' })
      await d.field('Subject').fill('mine')
      await d.shows('Someone else changed this')
      assert.equal(await d.field('Subject').inputValue(), 'mine')
      await d.press(whose)
      if (whose === 'Use their version') {
        const isTheirs = async () => (await d.field('Subject').inputValue()) === 'theirs' || undefined
        await eventually('theirs are here', isTheirs)
      }
      const wanted = whose === 'Use their version' ? 'theirs' : 'mine'
      await eventually('it is saved', async () => (await campaign(id)).subject === wanted || undefined)
    }
  })

  it('selects the typed list on Enter or blur, and keeps text without a match', async () => {
    const list = await d.create('lists', { name: 'Zeta' })
    const other = await d.create('lists', { name: 'Eta' })
    const excluded = d.page.getByRole('combobox', { name: 'Exclude' })
    const included = d.page.getByRole('combobox', { name: 'Include' })
    const byArrow = await d.create('lists', { name: 'Iota' })
    const behind = await d.create('lists', { name: 'Theta' })
    const id = await d.create('campaigns', { name: 'By name', subject: 's', text: 't' })
    await d.open(`/campaigns/${id}`)
    for (const [field, name, ...keys] of [
      [excluded, 'Iota', 'ArrowDown', 'Enter'],
      [excluded, 'Theta', 'Enter'],
      [excluded, 'Zeta', 'Tab'],
      [included, 'Eta', 'Enter'],
    ] as const) {
      await field.pressSequentially(name)
      await d.page.getByRole('option', { name, exact: true }).waitFor()
      await d.keys(...keys)
    }
    await included.pressSequentially('nowhere')
    await d.press(/^(Send to|Fix) /)
    await d.shows('No single match')
    assert.equal(await included.inputValue(), 'nowhere')
    await included.fill('')
    await eventually('they are saved', async () => {
      const { audience } = await campaign(id)
      const { listIds, exclude } = audience as { listIds: string[]; exclude: { listIds: string[] } }
      if (listIds.length === 0) return undefined
      assert.deepEqual([exclude.listIds, listIds], [[byArrow, behind, list], [other]])
      return true
    })
  })

  it('selects the typed time zone on Enter or blur, and does not submit text without a match', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const body = { name: 'Z', subject: 's', text: 't', audience: { listIds: [list] } }
    const id = await d.create('campaigns', body)
    await d.open(`/campaigns/${id}`)
    await d.page.getByText('In each time zone', { exact: true }).click()
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
    await d.shows('No single match')
    assert.equal(await zone.inputValue(), 'europe/berln')
    await d.press('Schedule for 1 contact…')
    assert.ok(await zone.evaluate((input) => input === input.ownerDocument.activeElement), 'it is shown')
    assert.equal((await campaign(id)).status, 'DRAFT')
    await type('Asia/Tokyo', 'Tab')
    await d.press('Schedule for 1 contact…', 'Schedule for 1 contact')
    await eventually('it is scheduled', async () => (await campaign(id)).status === 'SCHEDULED' || undefined)
    assert.equal((await campaign(id)).fallbackTimeZone, 'Asia/Tokyo')
  })

  it('adds imported contacts to the typed list and explains double opt-in', async () => {
    const list = await aList(d.service)
    const asks = { type: 'EMAIL', category: 'transactional', subject: 'Confirm', text: '{{ confirmUrl }}' }
    await anAutomation(d.service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [asks] })
    await d.service.call('PATCH', `lists/${list}`, { name: 'Typed', doubleOptIn: true })
    const draft = { name: 'x.csv', text: 'email\nada@example.com\n' }
    const id = await d.create('imports', draft)
    await d.open(`/imports/${id}`)
    await d.press('Continue')
    await d.page.getByRole('combobox', { name: 'Add to list' }).pressSequentially('typed')
    await d.page.getByRole('option', { name: 'Typed', exact: true }).waitFor()
    await d.keys('Tab')
    await d.shows('No confirmation emails will be sent')
    await d.page.getByLabel('Start automations').check()
    await d.shows('Each contact gets a confirmation email')
    await d.page.getByLabel('These contacts confirmed the list elsewhere').check()
    await d.page.getByText('Each contact gets a confirmation email').waitFor({ state: 'detached' })
  })

  it('sends a campaign only as the user has seen it', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const id = await d.create('campaigns', { name: 'S', subject: 'seen', text: 't', audience: { listIds: [list] } })
    await d.open(`/campaigns/${id}`)
    await d.press('Send to 1 contact…')
    await d.service.call('PATCH', `campaigns/${id}`, { subject: 'theirs', text: 't' })
    await d.press('Send to 1 contact')
    await d.shows('Someone else changed this campaign. It hasn’t been sent.')
    assert.equal((await campaign(id)).status, 'DRAFT')
    await d.press('Show the change')
    const isTheirs = async () => (await d.field('Subject').inputValue()) === 'theirs' || undefined
    await eventually('theirs are here', isTheirs)
    await d.press('Send to 1 contact…', 'Send to 1 contact')
    await eventually('it is sent', async () => (await campaign(id)).status !== 'DRAFT' || undefined)
  })

  it('says at a field why a draft is not saved, and saves it once that is right', async () => {
    const id = await d.create('campaigns', { name: 'Long', subject: 's', text: 't' })
    await d.open(`/campaigns/${id}`)
    await d.field('Subject').fill('{{ wrong')
    await d.shows(/^This is not a valid template/, 'Not saved.')
    await d.page.getByRole('link', { name: 'Templates' }).first().click()
    await d.press('Stay')
    await d.field('Subject').fill('right')
    await eventually('it is saved', async () => (await campaign(id)).subject === 'right' || undefined)
    await d.shows(/^Saved \d/)
  })

  it('offers no A/B test without a winner, and no time that has passed', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const abTest = { variants: [{ subject: 'B' }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 60 }
    const content = { subject: 'A', text: 't', audience: { listIds: [list] }, abTest }
    const id = await d.create('campaigns', { name: 'No winner', ...content })
    await d.open(`/campaigns/${id}`)
    await d.shows('The sender does not track opens, so there is no winner')
    await d.page.getByText('In each time zone', { exact: true }).click()
    await d.shows('A winner needs one send time.')
    await d.page.getByText('At one time', { exact: true }).click()
    await d.field('Date and time').fill('2020-01-01T09:00')
    await d.shows('The time has passed. Choose a later one')
    // The time is kept for the draft.
    await d.page.reload()
    await d.shows('The time has passed. Choose a later one')
    await d.button(/^Fix /).waitFor()
  })

  it('saves what was typed on the way to another page', async () => {
    const id = await d.create('campaigns', { name: 'Quick', subject: 's', text: 't' })
    await d.open(`/campaigns/${id}`)
    await d.field('Subject').fill('typed quickly')
    await d.page.getByRole('link', { name: 'Templates' }).first().click()
    await d.isAt('Templates', 1)
    await eventually('it is saved', async () => (await campaign(id)).subject === 'typed quickly' || undefined)
  })

  it('saves what was typed while the connection was down', async () => {
    const id = await d.create('campaigns', { name: 'Offline', subject: 's', text: 't' })
    await d.open(`/campaigns/${id}`)
    await d.isAt('Audience')
    await d.loseAnswers('PATCH', `**/campaigns/${id}`)
    await d.field('Subject').fill('typed')
    await d.shows('Not saved.')
    await d.page.unrouteAll()
    // The server has stored the first attempt, which does not conflict with itself.
    await d.shows(/^Saved \d/)
    assert.equal((await campaign(id)).subject, 'typed')
  })

  it('does not enroll into the previous choice if other text is typed', async () => {
    const automation = await anAutomation(d.service, { name: 'Alpha chosen' })
    const contactId = await aContact(d.service)
    await d.open(`/contacts/${contactId}`)
    await d.press('Add to automation…')
    const which = d.page.getByRole('combobox', { name: 'Automation' })
    await d.press('Add contact')
    await d.shows('Choose an option')
    await which.pressSequentially('alpha chosen')
    await d.keys('Enter')
    assert.equal(await which.getAttribute('aria-expanded'), 'false')
    await which.fill('Betta')
    await d.keys('Tab')
    await d.press('Add contact')
    await d.shows('No single match')
    const enrollments = async () => (await d.read(`contacts/${contactId}/enrollments`)) as { automationId: string }[]
    assert.deepEqual(await enrollments(), [])
    await which.fill('Alpha chosen')
    await d.keys('Enter')
    await d.press('Add contact')
    await eventually(
      'the contact is enrolled',
      async () => (await enrollments()).some(({ automationId }) => automationId === automation) || undefined,
    )
  })
})
