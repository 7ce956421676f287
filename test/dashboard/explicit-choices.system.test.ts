import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'

describe('choices and values that cannot be undone in the dashboard', () => {
  const d = onDashboard()

  it('warns about leaving a new API key until it was copied or closed', async () => {
    const create = async (name: string) => {
      await d.press('New API key')
      await d.fill({ Name: name })
      await d.page.getByRole('checkbox', { name: 'contacts:read' }).check()
      await d.press('Create API key')
      await d.isAt(`API key “${name}” created`)
    }
    await d.open('/keys')
    await create('Shop')
    await d.link('Contacts').click()
    await d.page.getByRole('dialog', { name: 'Leave without the API key?' }).waitFor()
    await d.press('Stay')
    assert.match(await d.page.getByTestId('shown-once').innerText(), /^svc_live_\w{38}$/)
    await d.page.context().grantPermissions(['clipboard-write'])
    await d.press('Copy')
    await d.button('Copied').waitFor()
    await d.link('Contacts').click()
    await d.isAt('Contacts', 1)

    await d.open('/keys')
    await create('Second')
    await d.page.getByRole('region', { name: 'API key Second' }).getByRole('button', { name: 'Close' }).click()
    await d.link('Contacts').click()
    await d.isAt('Contacts', 1)
  })

  it('creates an invitation for anyone only by a choice, and warns about leaving its link', async () => {
    await d.open('/members')
    await d.press('Invite member')
    const form = d.form('Invite a member')
    await d.press('Create invitation')
    await form.getByText('Enter an email address.').waitFor()
    await form.getByLabel('One person, by email').focus()
    await d.keys('ArrowDown')
    await d.page.locator(':focus').and(form.getByLabel('Anyone with the link')).waitFor()
    await d.tabTo('Create invitation')
    await d.keys('Enter')
    await d.isAt('Invitation link')
    await d.link('Contacts').click()
    await d.page.getByRole('dialog', { name: 'Leave without the invitation link?' }).waitFor()
    await d.press('Leave')
    await d.isAt('Contacts', 1)
    const { browser } = d.owner
    const { body } = await browser.ask('GET', 'invitations', { workspaceId: d.service.workspaceId })
    assert.deepEqual(
      body.data.map(({ email, role }: { email: string | null; role: string }) => [email, role]),
      [[null, 'editor']],
    )
  })

  it('creates a polled webhook only by a choice', async () => {
    await d.open('/webhooks')
    await d.press('New webhook')
    const form = d.form('New webhook')
    await d.press('Create webhook')
    await form.getByText('Enter a URL.').waitFor()
    assert.deepEqual(await d.read('webhooks'), [])
    await form.getByLabel('Sent to your server').focus()
    await d.keys('ArrowDown', 'ArrowUp')
    await d.page.locator(':focus').and(form.getByLabel('Sent to your server')).waitFor()
    await d.keys('ArrowDown')
    await d.tabTo('Create webhook')
    await d.keys('Enter')
    await d.shows('Poll the events with')
    const webhooks = (await d.read('webhooks')) as { url: string | null }[]
    assert.deepEqual(
      webhooks.map(({ url }) => url),
      [null],
    )
  })
})
