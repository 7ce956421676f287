import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { setTimeout as later } from 'node:timers/promises'
import { aContact, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('what is edited in the dashboard', function () {
  this.timeout(60_000)
  let service: Service
  let browser: Browser
  let page: Page
  let email: string
  before(async () => {
    service = await startService({ worker: false })
    browser = await openChromium()
    ;({ email } = await aMember(service))
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })
  beforeEach(async () => {
    await sql(service.context.orm.em.fork(), 'delete from rate_windows')
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
  })
  afterEach(() => page.context().close())

  const at = (path: string) => `/w/${service.workspaceId}${path}`
  const text = () => page.locator('[aria-multiline=true]').first()
  const saved = () => page.getByText('Draft saved').waitFor()
  async function openStep(): Promise<string> {
    const automationId = await anAutomation(service, { steps: [{ ...EMAIL, text: 'As it was' }] })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByTestId('step').click()
    return automationId
  }
  const draftHas = (automationId: string, words: string) =>
    eventually(`the draft says “${words}”`, async () => {
      const { body } = await service.call('GET', `automations/${automationId}/draft`)
      return JSON.stringify(body.data?.content ?? null).includes(words) || undefined
    })

  /** What is asked is done, and its answer is lost. */
  const loseAnswers = (method: string, path: string) =>
    page.route(path, async (route) => {
      if (route.request().method() !== method) return route.continue()
      await route.fetch()
      return route.abort()
    })

  it('is kept, also when it is undone as far as the beginning', async () => {
    const automationId = await openStep()
    await text().fill('Another')
    await saved()
    await draftHas(automationId, 'Another')
    await page.getByRole('button', { name: 'Undo' }).click()
    await draftHas(automationId, 'As it was')
    await page.reload()
    await page.getByTestId('step').click()
    await text().getByText('As it was').waitFor()
  })

  it('is kept again after one save of it was refused', async () => {
    const automationId = await openStep()
    // The service's own refusal: what a proxy may make of a request.
    await page.route('**/draft', (route) =>
      route.request().method() === 'PUT'
        ? route.continue({ headers: { ...route.request().headers(), 'content-type': 'text/plain' } })
        : route.continue(),
    )
    await text().fill('Refused')
    await page.getByText(/Content-Type/).waitFor()
    await page.unroute('**/draft')
    await text().fill('Taken')
    await saved()
    await draftHas(automationId, 'Taken')
  })

  it('is not told to be somebody else’s where the answer to a save was lost', async () => {
    const automationId = await openStep()
    await loseAnswers('PUT', '**/draft')
    await text().fill('Answered to nobody')
    await draftHas(automationId, 'Answered to nobody')
    await page.unroute('**/draft')
    await text().fill('And then this')
    await saved()
    await draftHas(automationId, 'And then this')
  })

  it('is kept where it was undone before the lost answer to a save came', async () => {
    const automationId = await openStep()
    await text().fill('First')
    await saved()
    await loseAnswers('PUT', '**/draft')
    await page.getByLabel('Subject').fill('Unwanted')
    await draftHas(automationId, 'Unwanted')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.unroute('**/draft')
    await eventually('the draft is without it', async () => {
      const { body } = await service.call('GET', `automations/${automationId}/draft`)
      return !JSON.stringify(body.data.content).includes('Unwanted') || undefined
    })
  })

  it('is what the automation says as soon as the draft is discarded', async () => {
    const automationId = await openStep()
    await text().fill('Discarded')
    await saved()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Discard the draft…' }).click()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await text().getByText('As it was').waitFor()
    assert.equal((await service.call('GET', `automations/${automationId}/draft`)).status, 404)
  })

  it('is thrown away by nobody who has not read what another has saved since', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    const { body: mine } = await service.call('GET', `automations/${automationId}/draft`)
    const content = JSON.parse(JSON.stringify(mine.data.content).replace('Mine', 'An hour of work')) as object
    await service.call('PUT', `automations/${automationId}/draft`, { content, basedOn: mine.data.basedOn })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Discard the draft…' }).click()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByText('This was changed since you have read it').waitFor()
    await draftHas(automationId, 'An hour of work')
  })

  it('stays in the page while a pause is being answered, and no letter of it is an order', async () => {
    const automationId = await openStep()
    await page.route(`**/automations/${automationId}`, async (route) => {
      if (route.request().method() === 'PATCH') await later(1_500)
      return route.continue()
    })
    await page.getByTestId('step').focus()
    await page.keyboard.press('p')
    await page.getByRole('button', { name: 'Pause automation' }).click()
    await text().fill('')
    const words = 'and a draw and a wait and a draw'
    await text().pressSequentially(words, { delay: 90 })
    await page.getByText('Paused').waitFor()
    await saved()
    assert.equal(await text().textContent(), words)
    assert.equal(await page.getByTestId('step').count(), 1)
    await draftHas(automationId, words)
    await page.reload()
    await page.getByText('Draft saved').waitFor()
    assert.equal(await page.getByText('was changed since this draft was begun').count(), 0)
  })

  it('asks until it is said whose is meant, and before one leaves without it', async () => {
    const automationId = await openStep()
    await service.call('PUT', `automations/${automationId}/draft`, { content: { sequence: null }, basedOn: 1 })
    await text().fill('Mine')
    await page.getByRole('heading', { name: 'Somebody else has edited it' }).waitFor()
    await text().fill('Mine, and more')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await saved()
    await draftHas(automationId, 'Mine, and more')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
  })

  it('learns what others do to the automation: its state, its steps, and that it is gone', async () => {
    const automationId = await openStep()
    await service.call('PUT', `automations/${automationId}/steps`, { steps: [{ ...EMAIL, subject: 'Theirs' }] })
    await page.getByText('Theirs').first().waitFor()
    await page.getByTestId('step').click()
    await text().fill('Mine')
    await saved()
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await page.getByText('Paused').waitFor()
    assert.equal(await page.getByText('was changed since this draft was begun').count(), 0)
    await service.call('PATCH', `automations/${automationId}`, { name: 'Another name' })
    await page.getByText('was changed since this draft was begun').waitFor()
    await service.call('DELETE', `automations/${automationId}`)
    await page.getByRole('heading', { name: 'This automation was deleted' }).waitFor()
  })

  it('is published once, and told so, where the answer was lost', async () => {
    const automationId = await openStep()
    await text().fill('Published')
    await saved()
    await loseAnswers('POST', '**/publish')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The new version runs').waitFor()
    const { body } = await service.call('GET', `automations/${automationId}`)
    assert.equal(body.data.steps[0].text, 'Published')
    assert.equal((await service.call('GET', `automations/${automationId}/draft`)).status, 404)
    await page.unroute('**/publish')
    await page.getByTestId('step').click()
    await text().fill('And the next')
    await saved()
  })

  it('goes on being edited where one wanted to leave in the middle of a slow save', async () => {
    const automationId = await openStep()
    await page.route('**/draft', async (route) => {
      if (route.request().method() === 'PUT') await later(2_000)
      return route.continue()
    })
    await text().fill('Slowly')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await text().pressSequentially(' and on')
    await page.getByRole('button', { name: 'Stay' }).click()
    await text().pressSequentially(' and on')
    await page.unroute('**/draft')
    await draftHas(automationId, 'Slowly and on and on')
  })

  it('asks whose is meant until it is said, whatever becomes of the automation meanwhile', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    await service.call('PATCH', `automations/${automationId}`, { name: 'Renamed by them' })
    await page.getByText('was changed since this draft was begun').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Pause…' }).click()
    await page.getByRole('button', { name: 'Pause automation' }).click()
    await page.getByText('Paused').waitFor()
    await text().fill('Mine, and more')
    await draftHas(automationId, 'Mine, and more')
    await page.reload()
    await page.getByText('was changed since this draft was begun').waitFor()
    await page.getByRole('button', { name: /^Publish/ }).click()
    await page.getByText('Say above which of the two is meant').waitFor()
    assert.equal((await service.call('GET', `automations/${automationId}`)).body.data.name, 'Renamed by them')
  })

  it('takes no letter for an order while it is being published, and is where it was then', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    await page.route('**/publish', async (route) => {
      await later(1_500)
      return route.continue()
    })
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.keyboard.type('add a wait p12', { delay: 40 })
    await page.getByText('The new version runs').waitFor()
    await page.getByRole('button', { name: 'More' }).and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByTestId('step').count(), 1)
    assert.ok(!page.url().includes('view=numbers'))
    assert.equal(await page.getByText(/^Pause “/).count(), 0)
    assert.equal((await service.call('GET', `automations/${automationId}/draft`)).status, 404)
  })

  it('leaves whoever has gone elsewhere while it is published where they are', async () => {
    await openStep()
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
    await page.goBack()
    await text().fill('Mine')
    await saved()
    await page.route('**/publish', async (route) => {
      await later(1_500)
      return route.continue()
    })
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.goForward()
    await page.getByText('The new version runs').waitFor()
    assert.ok(page.url().endsWith('/contacts'), page.url())
  })

  it('is asked for once more where it was changed while one was asked whether to publish it', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    await enroll(service, automationId, await aContact(service))
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('button', { name: 'Publish it' }).waitFor()
    await service.call('PATCH', `automations/${automationId}`, { name: 'Renamed by them' })
    await page.getByText('was changed since this draft was begun').waitFor()
    await page.getByRole('button', { name: 'Publish it' }).waitFor({ state: 'hidden' })
    assert.equal((await service.call('GET', `automations/${automationId}`)).body.data.name, 'Renamed by them')
  })

  it('is kept where somebody says so, though its draft has ended elsewhere', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    const { body } = await service.call('GET', `automations/${automationId}/draft`)
    await service.call('DELETE', `automations/${automationId}/draft`)
    await service.call('PATCH', `automations/${automationId}`, { name: 'Renamed by them' })
    await page.getByRole('heading', { name: 'Somebody else has edited it' }).waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await draftHas(automationId, 'Mine')
    assert.ok(body.data)
    await page.getByRole('button', { name: 'Keep the draft' }).click()
    await saved()
    assert.equal((await service.call('GET', `automations/${automationId}/draft`)).body.data.isStale, false)
  })

  it('says whose is meant where what is published is not the draft there is', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    await service.call('DELETE', `automations/${automationId}/draft`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { name: 'Somebody else has edited it' }).waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await saved()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The new version runs').waitFor()
  })

  it('is one step back behind theirs', async () => {
    const automationId = await openStep()
    const { body } = await service.call('GET', `automations/${automationId}`)
    const { name, trigger, triggerConfig, onSendFailure, steps } = body.data as Record<string, unknown>
    const theirs = JSON.parse(JSON.stringify(steps).replace('As it was', 'Theirs')) as object
    const content = { sequence: { name, trigger, triggerConfig, onSendFailure, steps: theirs } }
    await service.call('PUT', `automations/${automationId}/draft`, { content, basedOn: 1 })
    await text().fill('An hour of mine')
    await page.getByRole('button', { name: 'Look at theirs' }).click()
    await text().getByText('Theirs').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await text().getByText('An hour of mine').waitFor()
    await draftHas(automationId, 'An hour of mine')
  })

  it('of a wait is what was typed', async () => {
    const automationId = await anAutomation(service, { steps: [wait(60), EMAIL] })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByTestId('step').first().click()
    for (const [field, typed] of [
      ['Minutes', '1000'],
      ['Days', '15'],
    ] as const) {
      await page.getByLabel(field).fill('')
      await page.getByLabel(field).pressSequentially(typed)
      await page.keyboard.press('Tab')
    }
    await saved()
    const { body } = await service.call('GET', `automations/${automationId}/draft`)
    assert.equal(body.data.content.sequence.steps[0].delayMinutes, 15 * 1_440 + 1_060)
  })

  it('of another program is not written over unasked, and breaks nothing', async () => {
    const automationId = await anAutomation(service, { steps: [{ ...EMAIL, text: 'As it was' }] })
    for (const content of [
      { sequence: { name: 'x', steps: [] } },
      { sequence: { steps: 'none' } },
      { sequence: { name: 'x', trigger: 'SIGNUP', triggerConfig: null, steps: [] } },
      { mine: true },
    ]) {
      await service.call('PUT', `automations/${automationId}/draft`, { content, basedOn: 1 })
      await page.goto(at(`/automations/${automationId}`))
      await page.getByTestId('step').click()
      await text().fill('Written over')
      await page.getByRole('heading', { name: 'Somebody else has edited it' }).waitFor()
      const { body } = await service.call('GET', `automations/${automationId}/draft`)
      assert.deepEqual(body.data.content, content)
      page.once('dialog', (dialog) => void dialog.accept())
    }
  })

  it('of a contact changes what somebody has changed in the form, and not what others did meanwhile', async () => {
    const contactId = await aContact(service, {
      firstName: 'Before',
      tags: ['old', 'removed by both'],
      metadata: { plan: 'free' },
    })
    await page.goto(at(`/contacts/${contactId}`))
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const form = page.getByRole('form', { name: 'Edit the contact' })
    await form.getByLabel('externalId').fill('x-1')
    await service.call('PATCH', `contacts/${contactId}`, { firstName: 'Theirs', metadata: { plan: 'pro' } })
    await service.call('POST', `contacts/${contactId}/tags`, { tags: ['theirs'] })
    await form.getByLabel('Tags', { exact: true }).press('Backspace')
    await service.call('DELETE', `contacts/${contactId}/tags/removed by both`)
    // A refusal first, and another: what others did is read since, and in no next try of this one.
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

  it('has one letter of a place’s two be no order to the builder', async () => {
    await openStep()
    await page.keyboard.press('Escape')
    await page.getByTestId('step').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor()
  })
})
