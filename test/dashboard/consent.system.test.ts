import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact } from '../support/factories.ts'

describe('the consent of a contact in the dashboard', () => {
  const d = onDashboard()
  const suppressedBy = async (id: string) => (await d.read(`contacts/${id}`)).suppressedBy as string | null
  const becomes = (id: string, expected: string | null) =>
    eventually(`it is ${expected}`, async () => (await suppressedBy(id)) === expected || undefined)

  it('unsubscribes at once, with undo, and resubscribes after a question', async () => {
    const id = await aContact(d.service, { email: 'ada@example.com' })
    const other = await aContact(d.service, { email: 'grace@example.com' })
    await d.open(`/contacts/${id}?tab=consent`)
    await d.shows('Gets marketing email.')
    await d.press('Unsubscribe')
    await d.shows('Unsubscribed. No marketing email from now on.')
    await becomes(id, 'UNSUBSCRIBED')
    await d.press('Undo')
    await becomes(id, null)
    await d.press('Unsubscribe')
    await becomes(id, 'UNSUBSCRIBED')
    await d.shows('By a member')
    await d.press('Resubscribe…')
    await d.shows('Continue only if the contact asked for it.')
    await d.press('They asked: resubscribe')
    await d.shows('Gets marketing email.')
    assert.deepEqual([await suppressedBy(id), await suppressedBy(other)], [null, null])
  })

  it('shows every reason, and does not offer to undo a complaint', async () => {
    const id = await aContact(d.service, { email: 'mia@example.com' })
    for (const [reason, note] of [
      ['COMPLAINED', null],
      ['MANUAL', 'Asked by phone'],
    ] as const)
      await d.service.call('POST', 'suppressions', { email: 'mia@example.com', reason, note })
    await d.open(`/contacts/${id}?tab=consent`)
    await d.shows('Only they can sign up again', 'Asked by phone')
    // A manual suppression is not the contact's choice.
    assert.deepEqual([await d.button('Email again…').count(), await d.button('Resubscribe…').count()], [1, 0])
  })

  it('switches lists, and asks before it adds a contact to a list that they left', async () => {
    const id = await aContact(d.service, { email: 'lou@example.com' })
    const [news, tips] = [await d.create('lists', { name: 'News' }), await d.create('lists', { name: 'Tips' })]
    await sql(d.service.context.orm.em.fork(), 'insert into list_opt_outs (list_id, contact_id) values ($1, $2)', [
      tips,
      id,
    ])
    const lists = async () => (await d.read(`contacts/${id}`)).listIds as string[]
    await d.open(`/contacts/${id}?tab=consent`)
    await d.page.getByRole('switch', { name: 'News' }).click()
    await eventually('it is in the list', async () => (await lists()).includes(news) || undefined)
    await d.page.getByRole('switch', { name: 'News', checked: true }).click()
    await d.shows('Removed from News.')
    await eventually('it is not in the list', async () => (await lists()).length === 0 || undefined)
    await d.page.getByRole('switch', { name: 'News', checked: false }).click()
    await eventually('it is in the list again', async () => (await lists()).includes(news) || undefined)
    await d.page.getByRole('switch', { name: 'Tips' }).click()
    await d.shows('They left this list themselves.')
    assert.deepEqual(await lists(), [news])
    await d.press('They asked: add again')
    await eventually('it is in both', async () => (await lists()).length === 2 || undefined)
  })
})
