import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { aContact, aList } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'

describe('keyboard focus', () => {
  const d = onDashboard()
  const press = async (name: string) => {
    await d.page.getByRole('button', { name, exact: true }).focus()
    await d.keys('Enter')
  }
  /** Returns the text of the focused element, or `''` if nothing has the focus. */
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
    eventually(`an element has the focus after "${what}"`, async () => ((await where()) === '' ? undefined : true))

  it('stays near a button that disappears', async () => {
    const list = await aList(d.service)
    await aContact(d.service)
    const body = { name: 'C', subject: 's', text: 't', audience: { listIds: [list] } }
    const id = await d.create('campaigns', body)
    await d.open(`/campaigns/${id}`)
    await d.page.getByRole('switch', { name: 'A/B test the subject' }).click()
    for (const name of ['Add subject', 'Remove subject C', 'Delete…', 'Cancel']) {
      await press(name)
      await isSomewhere(name)
    }
    // Tab continues from there, not from the start of the d.page.
    await d.keys('Tab')
    assert.doesNotMatch(await where(), /Skip to/)
  })

  it('stays near the conflict dialog after a decision', async () => {
    for (const whose of ['Use their version', 'Overwrite with mine']) {
      const first = { name: 'T', format: 'HTML', subject: 'one', html: '<p>one</p>' }
      const id = await d.create('templates', first)
      await d.open(`/templates/${id}`)
      const subject = d.page.getByRole('textbox', { name: 'Subject' })
      await subject.waitFor()
      await d.service.call('PUT', `templates/${id}`, { ...first, subject: 'theirs' })
      await subject.fill('mine')
      await press('Save template')
      await d.shows('Someone else changed this')
      await press(whose)
      await d.page.getByText('Someone else changed this').waitFor({ state: 'detached' })
      await isSomewhere(whose)
      await d.keys('Tab')
      assert.doesNotMatch(await where(), /Skip to/)
    }
  })
})
