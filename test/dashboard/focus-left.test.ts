import assert from 'node:assert/strict'
import { aContact, aList } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { onDashboard, type Dashboard } from '../support/dashboard.ts'

describe('whoever works by keys', () => {
  let d: Dashboard
  onDashboard((dashboard) => (d = dashboard))
  const press = async (name: string) => {
    await d.page.getByRole('button', { name, exact: true }).focus()
    await d.page.keyboard.press('Enter')
  }
  /** Where the focus is: what is said there; `''`: at the beginning of the page. */
  const where = () =>
    d.page.evaluate(() => {
      const { activeElement: at, body } = (
        globalThis as unknown as {
          document: Record<'activeElement' | 'body', { textContent: string; tagName: string }>
        }
      ).document
      return at === body ? '' : at.textContent || at.tagName
    })
  const isSomewhere = (what: string) =>
    eventually(`the focus is somewhere behind "${what}"`, async () => ((await where()) === '' ? undefined : true))

  it('goes on from where a button was that is gone', async () => {
    const list = await aList(d.service)
    await aContact(d.service)
    const body = { name: 'C', subject: 's', text: 't', audience: { listIds: [list] } }
    const { id } = (await d.service.call('POST', 'campaigns', body)).body.data as { id: string }
    await d.page.goto(d.at(`/campaigns/${id}`))
    await press('Edit')
    await d.page.getByRole('button', { name: 'Save the draft' }).waitFor()
    for (const name of ['Try other subjects…', 'One more', 'One less', 'No test']) {
      await press(name)
      await isSomewhere(name)
    }
    await press('Cancel')
    await isSomewhere('Cancel')
    await press('Send…')
    await isSomewhere('Send…')
    // From there, and not from the beginning.
    await d.page.keyboard.press('Tab')
    assert.doesNotMatch(await where(), /Skip to/)
  })

  it('goes on from where somebody else’s version was decided about', async () => {
    for (const whose of ['Take theirs', 'Save mine']) {
      const first = { name: 'T', format: 'HTML', subject: 'one', html: '<p>one</p>' }
      const { id } = (await d.service.call('POST', 'templates', first)).body.data as { id: string }
      await d.page.goto(d.at(`/templates/${id}`))
      const subject = d.page.getByRole('textbox', { name: 'Subject' })
      await subject.waitFor()
      await d.service.call('PUT', `templates/${id}`, { ...first, subject: 'theirs' })
      await subject.fill('mine')
      await press('Save')
      await d.page.getByText('Somebody else has changed it').waitFor()
      await press(whose)
      await d.page.getByText('Somebody else has changed it').waitFor({ state: 'detached' })
      await isSomewhere(whose)
      await d.page.keyboard.press('Tab')
      assert.doesNotMatch(await where(), /Skip to/)
    }
  })
})
