import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Dashboard, onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'

describe('what is edited in the dashboard', function () {
  this.timeout(180_000)
  let service: Service
  let page: Page
  let at: Dashboard['at']
  let hold: Dashboard['hold']
  let loseAnswers: Dashboard['loseAnswers']
  onDashboard((dashboard) => ({ service, page, at, hold, loseAnswers } = dashboard))

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
    const letGo = await hold('PUT', '**/draft')
    await text().fill('Slowly')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await text().pressSequentially(' and on')
    await page.getByRole('button', { name: 'Stay' }).click()
    await text().pressSequentially(' and on')
    letGo()
    await draftHas(automationId, 'Slowly and on and on')
  })

  it('leaves whoever has gone elsewhere while it is published where they are', async () => {
    await openStep()
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
    await page.goBack()
    await text().fill('Mine')
    await saved()
    const letGo = await hold('POST', '**/publish')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.goForward()
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
    letGo()
    await page.getByText('The new version runs').waitFor()
    assert.ok(page.url().endsWith('/contacts'), page.url())
  })

  const draftOf = (automationId: string) => service.call('GET', `automations/${automationId}/draft`)
  const choose = async (item: string, word: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('button', { name: word }).click()
  }
  /** Another one that says “Theirs”, as it was made from what the automation says. */
  async function theirs(automationId: string) {
    const { body } = await service.call('GET', `automations/${automationId}`)
    const { name, trigger, triggerConfig, onSendFailure, steps } = body.data as Record<string, unknown>
    const [{ id, type, subject, html }] = steps as [Record<string, unknown>]
    return { name, trigger, triggerConfig, onSendFailure, steps: [{ id, type, subject, html, text: 'Theirs' }] }
  }

  it('is discarded in the middle of a slow save, by whoever has typed it', async () => {
    const automationId = await openStep()
    await text().fill('First')
    await saved()
    const letGo = await hold('PUT', '**/draft')
    const asked = page.waitForRequest((request) => request.method() === 'PUT')
    await text().fill('Second')
    await asked
    await choose('Discard the draft…', 'Discard draft')
    letGo()
    await text().getByText('As it was').waitFor()
    assert.equal(await page.getByText('This was changed since you have read it').count(), 0)
    assert.equal((await draftOf(automationId)).status, 404)
    await text().fill('Third')
    await draftHas(automationId, 'Third')
  })

  it('is deleted by nobody who has not read what another has edited', async () => {
    const automationId = await openStep()
    const sequence = await theirs(automationId)
    await service.call('PUT', `automations/${automationId}/draft`, { content: { sequence }, basedOn: 1 })
    await choose('Delete…', 'Delete automation')
    await page.getByText('Somebody else has edited a draft of it').waitFor()
    assert.equal((await service.call('GET', `automations/${automationId}`)).status, 200)
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

  it('has one letter of a place’s two be no order to the builder', async () => {
    await openStep()
    await page.keyboard.press('Escape')
    await page.getByTestId('step').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor()
  })
})
