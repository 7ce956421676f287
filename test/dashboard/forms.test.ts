import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onDashboard } from '../support/dashboard.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, EMAIL } from '../support/factories.ts'

describe('dashboard forms', () => {
  const d = onDashboard()

  it('saves edited fields of a contact and keeps concurrent changes of others', async () => {
    const contactId = await aContact(d.service, {
      firstName: 'Before',
      tags: ['old', 'removed by both'],
      metadata: { plan: 'free' },
    })
    await d.open(`/contacts/${contactId}`)
    await d.press('Edit contact')
    const form = d.form('Edit contact')
    await form.getByLabel('External ID').fill('x-1')
    await d.service.call('PATCH', `contacts/${contactId}`, { firstName: 'Theirs', metadata: { plan: 'pro' } })
    await d.service.call('POST', `contacts/${contactId}/tags`, { tags: ['theirs'] })
    await form.getByLabel('Tags', { exact: true }).press('Backspace')
    await d.service.call('DELETE', `contacts/${contactId}/tags/removed by both`)
    // Two rejected saves: the page reloads the contact in between, but the next attempt must not revert changes of others.
    for (const wrong of ['no@address', 'none@either']) {
      await form.getByLabel('Email').fill(wrong)
      const refused = d.page.waitForResponse((answer) => answer.status() === 400)
      const read = d.page.waitForResponse(
        (answer) => answer.request().method() === 'GET' && answer.url().endsWith(contactId),
      )
      await form.getByRole('button', { name: 'Save contact' }).click()
      await Promise.all([refused, read])
      await d.isAt('Theirs', 1)
    }
    await form.getByLabel('Email').fill(`edited-${process.pid}@example.com`)
    await form.getByRole('button', { name: 'Save contact' }).click()
    await form.waitFor({ state: 'detached' })
    const { firstName, externalId, tags, metadata } = await d.read(`contacts/${contactId}`)
    assert.deepEqual(
      { firstName, externalId, metadata },
      { firstName: 'Theirs', externalId: 'x-1', metadata: { plan: 'pro' } },
    )
    assert.deepEqual((tags as string[]).toSorted(), ['old', 'theirs'])
  })

  it('asks before it keeps messages for a shorter time, and not before a longer one', async () => {
    const kept = async () => (await d.read('workspace'))['historyRetentionDays'] as unknown
    await d.open('/retention')
    const form = d.form('Keep messages and enrollment steps for (days)')
    const save = (days: string) =>
      d
        .fill({ 'Keep messages and enrollment steps for (days)': days }, form)
        .then(() => form.getByRole('button', { name: 'Save' }).click())
    await save('90')
    const dialog = form.getByRole('alertdialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await kept(), null)
    await save('90')
    await dialog.getByRole('button', { name: 'Delete after 90 days' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await kept(), 90)
    await save('')
    await form.getByRole('button', { name: 'Saved' }).waitFor()
    assert.equal(await kept(), null)
  })

  it('tags selected contacts, and undoes it', async () => {
    const ids = await Promise.all(
      ['Bulk one', 'Bulk two', 'Bulk three'].map((firstName, n) =>
        // The first one has the tag in another case, which Undo must leave.
        aContact(d.service, { firstName, tags: n === 0 ? ['Chosen'] : [] }),
      ),
    )
    const tagged = async () => {
      const all = await Promise.all(ids.map(async (id) => (await d.read(`contacts/${id}`)).tags as string[]))
      return all.filter((tags) => tags.includes('chosen')).length
    }
    await d.open('/contacts?q=Bulk')
    await d.shows('3 contacts')
    for (const name of [/Bulk one/, /Bulk two/]) await d.row(name).getByRole('checkbox').check()
    await d.shows('2 selected')
    await d.press('Add tag')
    await d.page.getByRole('textbox', { name: 'Add tag' }).fill('chosen')
    await d.keys('Enter')
    await d.shows('Tagged 1 contact “chosen”.')
    assert.equal(await tagged(), 1)
    await d.press('Undo')
    await eventually('the tag is removed', async () => (await tagged()) === 0 || undefined)
    assert.deepEqual((await d.read(`contacts/${ids[0]}`))['tags'], ['Chosen'])
  })

  it('adds selected contacts to a list and to an automation, with the mouse', async () => {
    const listId = await d.create('lists', { name: 'Bulk list' })
    const automationId = await anAutomation(d.service, { name: 'Bulk automation', steps: [EMAIL] })
    const id = await aContact(d.service, { firstName: 'Bulkier' })
    await d.open('/contacts?q=Bulkier')
    for (const [action, name] of [
      ['Add to list', 'Bulk list'],
      ['Add to automation', 'Bulk automation'],
    ] as const) {
      await d
        .row(/Bulkier/)
        .getByRole('checkbox')
        .check()
      await d.press(action)
      await d.page.getByRole('combobox', { name: action }).click()
      await d.page.getByRole('option', { name, exact: true }).click()
      await d.press('Add')
      await d.shows('Added 1 contact to')
      await d.page.getByText('1 selected').waitFor({ state: 'detached' })
    }
    assert.deepEqual((await d.read(`contacts/${id}`)).listIds, [listId])
    const enrollments = (await d.read(`contacts/${id}/enrollments`)) as { automationId: string }[]
    assert.deepEqual(
      enrollments.map((each) => each.automationId),
      [automationId],
    )
  })

  it('saves filters of contacts as a view, and keeps the view and its columns in the URL', async () => {
    const plan = `plan${process.pid}`
    const listId = await d.create('lists', { name: `Viewed ${process.pid}` })
    for (const [n, tag] of ['viewed', 'viewed', 'other'].entries()) {
      const id = await aContact(d.service, { firstName: `Viewed ${n}`, tags: [tag], metadata: { [plan]: `pro-${n}` } })
      await d.service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    }
    await d.open(`/contacts?listId=${listId}&tag=viewed`)
    await d.shows('2 contacts')
    await d.press('Save view…')
    await d.field('Name').fill('Seen')
    await d.press('Save as segment')
    const tab = d.page.getByRole('button', { name: 'Seen 2', exact: true })
    await tab.waitFor()
    assert.equal(await tab.getAttribute('aria-pressed'), 'true')
    await d.press('Columns')
    await d.page.getByRole('menuitemcheckbox', { name: plan }).click()
    await d.page.getByRole('menuitemcheckbox', { name: 'Lists' }).click()
    await d.keys('Escape')
    await d.page.reload()
    await d.row(/Viewed 1 .*pro-1/).waitFor()
    const heads = await d.page.getByRole('columnheader').allInnerTexts()
    assert.deepEqual(
      heads.filter((head) => head !== ''),
      ['Contact', 'Subscription', 'Tags', plan, 'Created'],
    )
    await d.page.getByRole('button', { name: 'All', exact: true }).click()
    await d.row(/Viewed 2/).waitFor()
    const segments = (await d.read('segments?limit=100')) as unknown as { name: string; condition: object }[]
    assert.deepEqual(segments.find(({ name }) => name === 'Seen')!.condition, {
      all: [{ list: listId }, { tag: 'viewed' }],
    })
  })

  it('exports, suppresses and deletes selected contacts, after a question', async () => {
    const ids = await Promise.all(
      ['=1+1', 'Ends, "quoted"'].map((firstName, n) =>
        aContact(d.service, { email: `ending-${n}@example.com`, firstName, metadata: { seats: n } }),
      ),
    )
    const selectAll = async () => {
      await d.shows('2 contacts')
      await d.page.getByRole('checkbox', { name: 'Select all' }).check()
    }
    await d.open(`/contacts?q=ending-`)
    await selectAll()
    const [file] = await Promise.all([d.page.waitForEvent('download'), d.press('Export CSV')])
    const path = join(tmpdir(), `contacts-${process.pid}.csv`)
    await file.saveAs(path)
    const text = await readFile(path, 'utf8')
    assert.match(text, /^\uFEFF"email","firstName",.*,"seats"\r\n/)
    assert.match(text, /,"'=1\+1",.*,"0"\r\n/)
    assert.match(text, /,"Ends, ""quoted""",.*,"1"\r\n/)
    const suppressedBy = () =>
      Promise.all(ids.map(async (id) => (await d.read(`contacts/${id}`))['suppressedBy'] as string | null))
    await d.press('Suppress…', 'Cancel')
    assert.deepEqual(await suppressedBy(), [null, null])
    await d.press('Suppress…', 'Suppress 2 contacts')
    await d.page.getByText('2 selected').waitFor({ state: 'detached' })
    assert.deepEqual(await suppressedBy(), ['MANUAL', 'MANUAL'])
    await selectAll()
    await d.press('Delete…', 'Delete 2 contacts')
    await d.shows('No contacts match these filters.')
  })

  it('turns pages of contacts, and keeps the page in the URL', async () => {
    await sql(
      d.service.context.orm.em.fork(),
      `insert into contacts (id, workspace_id, email, email_key) select gen_random_uuid(), $1::uuid, 'paged-' || n || '@example.com', 'paged-' || n || '@example.com'
       from generate_series(1, 60) n`,
      [d.service.workspaceId],
    )
    await d.open('/contacts?q=paged-')
    await d.shows('60 contacts', 'Page 1 of 2')
    assert.equal(await d.page.getByRole('row').count(), 51)
    await d.press('Next')
    await d.shows('Page 2 of 2')
    await d.page.reload()
    await d.shows('Page 2 of 2')
    assert.equal(await d.page.getByRole('row').count(), 11)
    // Another search begins at the first page.
    await d.page.getByLabel('Search').last().fill('paged-60')
    await d.shows('1 contact')
  })

  it('asks for what a contact must have', async () => {
    await d.open('/contacts')
    await d.press('New contact', 'Save contact')
    const email = d.form('New contact').getByLabel('Email')
    await d.form('New contact').getByText('This is required', { exact: true }).waitFor()
    assert.equal(await email.getAttribute('aria-invalid'), 'true')
    await email.fill('ada')
    await d.form('New contact').getByText('This is required').waitFor({ state: 'detached' })
  })

  it('creates a contact with all fields', async () => {
    const { id, name } = (await d.service.call('POST', 'lists', { name: `For new contacts ${process.pid}` })).body.data
    await d.open('/contacts')
    await d.press('New contact')
    const form = d.form('New contact')
    const email = `new-${process.pid}@example.com`
    await d.fill({ Email: email, 'First name': 'Ada', 'External ID': 'taken' }, form)
    await form.getByLabel('List', { exact: true }).click()
    await d.page.getByRole('option', { name: name as string }).click()
    await form.getByLabel('Tags', { exact: true }).fill('vip')
    await form.getByLabel('Tags', { exact: true }).press('Enter')
    await form.getByRole('button', { name: 'Add attribute' }).click()
    await d.fill({ 'Name of new attribute': 'seats' }, form)
    await d.choose(form.getByLabel('Type of seats'), 'Number')
    await form.getByLabel('Value of seats').fill('many')
    await form.getByText('Enter a number').waitFor()
    await d.choose(form.getByLabel('Type of seats'), 'JSON')
    await form.getByLabel('Value of seats').fill('null')
    await form.getByText('Null would remove it. Use Remove instead').waitFor()
    await d.choose(form.getByLabel('Type of seats'), 'Number')
    await form.getByLabel('Value of seats').fill('3')
    await form.getByRole('button', { name: 'Edit as JSON' }).click()
    await form.getByLabel('Attributes').fill('{"seats": 3, "plan": ')
    await form.getByRole('button', { name: 'Save contact' }).click()
    await form.getByText('Enter a valid JSON object.').waitFor()
    await form.getByLabel('Attributes').fill('{"seats": 3, "plan": "pro"}')
    await aContact(d.service, { externalId: 'taken' })
    await form.getByRole('button', { name: 'Save contact' }).click()
    await form.getByLabel('External ID').and(d.page.locator('[aria-invalid=true]')).waitFor()
    await form.getByText('Another contact has this external ID.').waitFor()
    await form.getByLabel('External ID').fill('x-2')
    await form.getByRole('button', { name: 'Save contact' }).click()
    await d.isAt('Ada', 1)
    const { firstName, externalId, tags, listIds, metadata } = await d.read(`contacts/email:${email}`)
    assert.deepEqual(
      { firstName, externalId, tags, listIds, metadata },
      { firstName: 'Ada', externalId: 'x-2', tags: ['vip'], listIds: [id], metadata: { seats: 3, plan: 'pro' } },
    )
  })

  it('asks before leaving an unsaved segment, and saves it', async () => {
    const condition = { metadata: 'plan', is: 'equal', value: 'pro' }
    const made = await d.service.call('POST', 'segments', { name: 'Pro', condition })
    await d.open(`/segments/${made.body.data.id}`)
    const form = d.form('Pro')
    await form.getByLabel('Name').fill('Professional')
    await d.page.getByRole('link', { name: 'Contacts' }).click()
    await d.press('Stay')
    assert.equal(await form.getByLabel('Name').inputValue(), 'Professional')
    const letGo = await d.hold('PATCH', '**/segments/*')
    await form.getByRole('button', { name: 'Save segment' }).click()
    await form.getByRole('button', { name: 'Discard', disabled: true }).waitFor()
    letGo()
    await d.isAt('Professional', 1)
    await d.shows('Saved.')
    const { body } = await d.service.call('GET', 'segments')
    const names = (body.data as { id: string; name: string }[]).filter(({ id }) => id === made.body.data.id)
    assert.deepEqual(
      names.map(({ name }) => name),
      ['Professional'],
    )
    await d.page.getByRole('link', { name: 'Contacts' }).click()
    await d.isAt('Contacts')
  })

  it('enrolls once if a request is repeated after a lost response', async () => {
    const automationId = await anAutomation(d.service, { name: 'Once', steps: [EMAIL] })
    const contactId = await aContact(d.service)
    await d.open(`/contacts/${contactId}`)
    const keys: (string | undefined)[] = []
    await d.page.route('**/enroll', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      return route.abort()
    })
    const send = async () => {
      await d.press('Add to automation…')
      await d.page.getByRole('combobox', { name: 'Automation' }).click()
      await d.page.getByRole('option', { name: 'Once' }).click()
      await d.press('Add contact')
    }
    await send()
    await d.shows('Can’t reach the server')
    await d.press('Cancel')
    await send()
    await d.shows('Already added by your previous click.')
    assert.equal(keys.length, 2)
    assert.ok(keys[0])
    assert.equal(keys[0], keys[1])
    const { body } = await d.service.call('GET', `automations/${automationId}/enrollments`)
    assert.equal(body.data.length, 1)
  })

  it('shows why an automation could not be created', async () => {
    await d.open('/automations')
    await d.page.route('**/automations', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await d.press('New automation', 'Start blank')
    await d.shows('Couldn’t confirm that it was created')
    await d.page.unroute('**/automations')
    await d.press('Start blank')
    await d.page.getByRole('textbox', { name: 'Name' }).waitFor()
  })

  it('accepts no input while saving and does not navigate if the user left', async () => {
    await d.open('/automations')
    await d.page.getByRole('button', { name: 'New automation' }).waitFor()
    const letGo = await d.hold('POST', '**/automations')
    let sent = 0
    d.page.on(
      'request',
      (request) => (sent += Number(request.method() === 'POST' && request.url().endsWith('/automations'))),
    )
    await d.keys('n')
    await d.page.getByRole('button', { name: /^Blank/ }).focus()
    for (let n = 0; n < 3; n += 1) await d.keys('Enter')
    await d.keys('Escape')
    const { body: before } = await d.service.call('GET', 'automations')
    await d.page.getByRole('link', { name: 'Lists' }).click()
    await d.press('New list')
    const form = d.form('New list')
    await form.getByLabel('Name').fill('Typed')
    const made = d.page.waitForResponse((answer) => answer.url().endsWith('/automations') && answer.status() === 201)
    letGo()
    await made
    assert.equal(await form.getByLabel('Name').inputValue(), 'Typed')
    const { body } = await d.service.call('GET', 'automations')
    assert.equal(body.data.length, before.data.length + 1)
    assert.equal(sent, 1)
    const go = await d.hold('POST', '**/lists')
    await form.getByRole('button', { name: 'Create list' }).click()
    await form.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
    await form.getByRole('textbox', { name: 'Name', disabled: true }).waitFor()
    go()
    await form.waitFor({ state: 'detached' })
  })

  it('fails immediately while offline and does not run later', async () => {
    const { body } = await d.service.call('POST', 'lists', { name: 'To be kept' })
    await d.open('/lists')
    await d.press('Actions for To be kept')
    await d.menuItem('Delete…')
    await d.page.context().setOffline(true)
    await d.press('Delete list')
    await d.shows('Can’t reach the server')
    await d.press('Cancel')
    await d.page.context().setOffline(false)
    await d.page.getByRole('link', { name: 'Segments' }).click()
    await d.isAt('Segments', 1)
    assert.equal((await d.service.call('GET', `lists/${body.data.id as string}`)).status, 200)
  })
})
