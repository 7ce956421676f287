import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Dashboard, onDashboard } from '../support/dashboard.ts'
import { aContact, anAutomation, EMAIL } from '../support/factories.ts'
import type { Service } from '../support/service.ts'

describe('dashboard forms', function () {
  this.timeout(180_000)
  let service: Service
  let page: Page
  let at: Dashboard['at']
  let hold: Dashboard['hold']
  onDashboard((dashboard) => ({ service, page, at, hold } = dashboard))

  it('saves edited fields of a contact and keeps concurrent changes of others', async () => {
    const contactId = await aContact(service, {
      firstName: 'Before',
      tags: ['old', 'removed by both'],
      metadata: { plan: 'free' },
    })
    await page.goto(at(`/contacts/${contactId}`))
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const form = page.getByRole('form', { name: 'Edit contact' })
    await form.getByLabel('External ID').fill('x-1')
    await service.call('PATCH', `contacts/${contactId}`, { firstName: 'Theirs', metadata: { plan: 'pro' } })
    await service.call('POST', `contacts/${contactId}/tags`, { tags: ['theirs'] })
    await form.getByLabel('Tags', { exact: true }).press('Backspace')
    await service.call('DELETE', `contacts/${contactId}/tags/removed by both`)
    // Two rejected saves: the page reloads the contact in between, but the next attempt must not revert changes of others.
    for (const wrong of ['no@address', 'none@either']) {
      await form.getByLabel('Email').fill(wrong)
      const refused = page.waitForResponse((answer) => answer.status() === 400)
      const read = page.waitForResponse(
        (answer) => answer.request().method() === 'GET' && answer.url().endsWith(contactId),
      )
      await form.getByRole('button', { name: 'Save contact' }).click()
      await Promise.all([refused, read])
      await page.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor()
    }
    await form.getByLabel('Email').fill(`edited-${process.pid}@example.com`)
    await form.getByRole('button', { name: 'Save contact' }).click()
    await form.waitFor({ state: 'detached' })
    const { firstName, externalId, tags, metadata } = (await service.call('GET', `contacts/${contactId}`)).body.data
    assert.deepEqual(
      { firstName, externalId, metadata },
      { firstName: 'Theirs', externalId: 'x-1', metadata: { plan: 'pro' } },
    )
    assert.deepEqual((tags as string[]).toSorted(), ['old', 'theirs'])
  })

  it('creates a contact with all fields', async () => {
    const { id, name } = (await service.call('POST', 'lists', { name: `For new contacts ${process.pid}` })).body.data
    await page.goto(at('/contacts'))
    await page.getByRole('button', { name: 'New contact' }).click()
    const form = page.getByRole('form', { name: 'New contact' })
    const email = `new-${process.pid}@example.com`
    await form.getByLabel('Email').fill(email)
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('External ID').fill('taken')
    await form.getByLabel('List', { exact: true }).click()
    await page.getByRole('option', { name: name as string }).click()
    await form.getByLabel('Tags', { exact: true }).fill('vip')
    await form.getByLabel('Tags', { exact: true }).press('Enter')
    await form.getByLabel('Metadata').fill('{"plan": ')
    await form.getByRole('button', { name: 'Save contact' }).click()
    await form.getByText('Enter a valid JSON object.').waitFor()
    await form.getByLabel('Metadata').fill('{"plan": "pro"}')
    await aContact(service, { externalId: 'taken' })
    await form.getByRole('button', { name: 'Save contact' }).click()
    await form.getByLabel('External ID').and(page.locator('[aria-invalid=true]')).waitFor()
    await form.getByLabel('External ID').fill('x-2')
    await form.getByRole('button', { name: 'Save contact' }).click()
    await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor()
    const { firstName, externalId, tags, listIds, metadata } = (await service.call('GET', `contacts/email:${email}`))
      .body.data
    assert.deepEqual(
      { firstName, externalId, tags, listIds, metadata },
      { firstName: 'Ada', externalId: 'x-2', tags: ['vip'], listIds: [id], metadata: { plan: 'pro' } },
    )
  })

  it('asks before leaving an unsaved segment and opens no second form', async () => {
    const condition = { metadata: 'plan', is: 'equal', value: 'pro' }
    const made = await service.call('POST', 'segments', { name: 'Pro', condition })
    await service.call('POST', 'segments', { name: 'Another', condition })
    await page.goto(at('/segments'))
    await page.getByRole('row', { name: /^Pro/ }).getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('form', { name: 'Pro' })
    await form.getByLabel('Name').fill('Professional')
    await form.getByLabel('Name').press('Tab')
    await form.getByRole('button', { name: 'Cancel' }).focus()
    await page.keyboard.press('n')
    assert.ok(
      await page
        .getByRole('row', { name: /^Another/ })
        .getByRole('button', { name: 'Edit' })
        .isDisabled(),
    )
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await form.getByLabel('Name').inputValue(), 'Professional')
    const letGo = await hold('PATCH', '**/segments/*')
    await form.getByRole('button', { name: 'Save segment' }).click()
    await form.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
    letGo()
    await form.waitFor({ state: 'detached' })
    const { body } = await service.call('GET', 'segments')
    const names = (body.data as { id: string; name: string }[]).filter(({ id }) => id === made.body.data.id)
    assert.deepEqual(
      names.map(({ name }) => name),
      ['Professional'],
    )
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
  })

  it('enrolls once if a request is repeated after a lost response', async () => {
    const automationId = await anAutomation(service, { name: 'Once', steps: [EMAIL] })
    const contactId = await aContact(service)
    await page.goto(at(`/contacts/${contactId}`))
    const keys: (string | undefined)[] = []
    await page.route('**/enroll', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      return route.abort()
    })
    const send = async () => {
      await page.getByRole('button', { name: 'Add to automation…' }).click()
      await page.getByRole('combobox', { name: 'Automation' }).click()
      await page.getByRole('option', { name: 'Once' }).click()
      await page.getByRole('button', { name: 'Add contact' }).click()
    }
    await send()
    await page.getByText('Can’t reach the server').first().waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await send()
    await page.getByText('Already added by your previous click.').waitFor()
    assert.equal(keys.length, 2)
    assert.ok(keys[0])
    assert.equal(keys[0], keys[1])
    const { body } = await service.call('GET', `automations/${automationId}/enrollments`)
    assert.equal(body.data.length, 1)
  })

  it('shows why an automation could not be created', async () => {
    await page.goto(at('/automations'))
    await page.route('**/automations', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'New automation' }).click()
    await page.getByRole('button', { name: 'Start blank' }).click()
    await page.getByText('Couldn’t confirm that it was created').waitFor()
    await page.unroute('**/automations')
    await page.getByRole('button', { name: 'Start blank' }).click()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
  })

  it('accepts no input while saving and does not navigate if the user left', async () => {
    await page.goto(at('/automations'))
    await page.getByRole('button', { name: 'New automation' }).waitFor()
    const letGo = await hold('POST', '**/automations')
    let sent = 0
    page.on(
      'request',
      (request) => (sent += Number(request.method() === 'POST' && request.url().endsWith('/automations'))),
    )
    await page.keyboard.press('n')
    await page.getByRole('button', { name: /^Blank/ }).focus()
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    const { body: before } = await service.call('GET', 'automations')
    await page.getByRole('link', { name: 'Lists' }).click()
    await page.getByRole('button', { name: 'New list' }).click()
    const form = page.getByRole('form', { name: 'New list' })
    await form.getByLabel('Name').fill('Typed')
    const made = page.waitForResponse((answer) => answer.url().endsWith('/automations') && answer.status() === 201)
    letGo()
    await made
    assert.equal(await form.getByLabel('Name').inputValue(), 'Typed')
    const { body } = await service.call('GET', 'automations')
    assert.equal(body.data.length, before.data.length + 1)
    assert.equal(sent, 1)
    const go = await hold('POST', '**/lists')
    await form.getByRole('button', { name: 'Create list' }).click()
    await form.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
    await form.getByRole('textbox', { name: 'Name', disabled: true }).waitFor()
    go()
    await form.waitFor({ state: 'detached' })
  })

  it('fails immediately while offline and does not run later', async () => {
    const { body } = await service.call('POST', 'lists', { name: 'To be kept' })
    await page.goto(at('/lists'))
    await page
      .getByRole('row', { name: /^To be kept/ })
      .getByRole('button', { name: 'Delete…' })
      .click()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Delete list' }).click()
    await page.getByText('Can’t reach the server').first().waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.context().setOffline(false)
    await page.getByRole('link', { name: 'Segments' }).click()
    await page.getByRole('heading', { name: 'Segments', level: 1 }).waitFor()
    assert.equal((await service.call('GET', `lists/${body.data.id as string}`)).status, 200)
  })
})
