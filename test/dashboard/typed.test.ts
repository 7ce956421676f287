import assert from 'node:assert/strict'
import { aContact, aList, anAutomation } from '../support/factories.ts'
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

  it('to find the one that is meant takes it, by Enter or by going on; and stays, and stops what is wrong, where there is none', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const body = { name: 'Z', subject: 's', text: 't', audience: { listIds: [list] } }
    const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
    await d.page.goto(d.at(`/campaigns/${id}`))
    await press('Send…')
    await d.page.getByText('Where each contact is').click()
    await d.page.getByLabel('Day and time').fill('2040-01-01T09:00')
    const zone = d.page.getByRole('combobox', { name: 'Whose zone is not known' })
    const type = async (name: string, key: string) => {
      await zone.fill('')
      await zone.pressSequentially(name)
      await d.page.keyboard.press(key)
    }
    await type('berlin', 'Enter')
    assert.equal(await zone.inputValue(), 'Europe/Berlin')
    await type('europe/berln', 'Tab')
    await d.page.getByText('There is none of this name, or several').waitFor()
    assert.equal(await zone.inputValue(), 'europe/berln')
    await press('Schedule campaign')
    assert.ok(await zone.evaluate((input) => input === input.ownerDocument.activeElement), 'it is shown')
    assert.equal((await campaign(id)).status, 'DRAFT')
    await type('Asia/Tokyo', 'Tab')
    await press('Schedule campaign')
    await eventually('it is scheduled', async () => (await campaign(id)).status === 'SCHEDULED' || undefined)
    assert.equal((await campaign(id)).fallbackTimeZone, 'Asia/Tokyo')
  })

  it('joins the list that was typed, and what is to be confirmed is said', async () => {
    const list = await aList(d.service)
    const asks = { type: 'EMAIL', category: 'transactional', subject: 'Confirm', text: '{{ confirmUrl }}' }
    await anAutomation(d.service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [asks] })
    await d.service.call('PATCH', `lists/${list}`, { name: 'Typed', doubleOptIn: true })
    await d.page.goto(d.at('/imports'))
    await press('Import a file')
    await d.page.getByRole('combobox', { name: 'They join' }).pressSequentially('typed')
    await d.page.keyboard.press('Tab')
    await d.page.getByText('None of them is asked').waitFor()
    await d.page.getByLabel('Automations start because of it').check()
    await d.page.getByText('Each of them is asked').waitFor()
    await d.page.getByLabel('They have confirmed elsewhere').check()
    await d.page.getByText('Each of them is asked').waitFor({ state: 'detached' })
  })

  it('is sent as it is seen, or not at all', async () => {
    const list = await aList(d.service)
    await d.service.call('POST', `lists/${list}/contacts`, { contactIds: [await aContact(d.service)] })
    const said = { name: 'S', subject: 'seen', text: 't', audience: { listIds: [list] } }
    const told = d.page.getByText('Somebody else has changed it: nothing is sent yet')
    for (const isRead of [true, false]) {
      const { id } = (await d.service.call('POST', 'campaigns', said)).body.data as { id: string }
      await d.page.goto(d.at(`/campaigns/${id}`))
      await press('Send…')
      // What is read again meanwhile is held back.
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
      await press('It is as it is to be')
      await press('Send campaign now')
      await eventually('it is sent', async () => (await campaign(id)).status !== 'DRAFT' || undefined)
    }
  })

  it('is refused where whoever has typed it sees that, however long the form is', async () => {
    const body = { name: 'Long', subject: 's', text: 't' }
    const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
    await d.page.setViewportSize({ width: 1280, height: 500 })
    try {
      await d.page.goto(d.at(`/campaigns/${id}`))
      await press('Edit')
      await field('Subject').fill('{{ wrong')
      for (let time = 0; time < 2; time += 1) {
        await press('Save the draft')
        const told = d.page.getByText('is no valid template')
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

  it('over the one that was chosen enrolls nobody in that', async () => {
    const automation = await anAutomation(d.service, { name: 'Alpha chosen' })
    const contactId = await aContact(d.service)
    await d.page.goto(d.at(`/contacts/${contactId}`))
    await press('Enroll…')
    const which = d.page.getByRole('combobox', { name: 'Automation' })
    await press('Enroll contact')
    await d.page.getByText('Choose one').waitFor()
    await which.pressSequentially('alpha chosen')
    await d.page.keyboard.press('Enter')
    assert.equal(await which.getAttribute('aria-expanded'), 'false')
    await which.fill('Betta')
    await d.page.keyboard.press('Tab')
    await press('Enroll contact')
    await d.page.getByText('There is none of this name').waitFor()
    const enrollments = async () =>
      (await d.service.call('GET', `contacts/${contactId}/enrollments`)).body.data as { automationId: string }[]
    assert.deepEqual(await enrollments(), [])
    await which.fill('Alpha chosen')
    await d.page.keyboard.press('Enter')
    await press('Enroll contact')
    await eventually(
      'she is in it',
      async () => (await enrollments()).some(({ automationId }) => automationId === automation) || undefined,
    )
  })
})
