import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Dashboard, onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'

describe('automation drafts in the builder', function () {
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

  it('saves the draft, also after all changes are undone', async () => {
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

  it('saves again after a save was rejected', async () => {
    const automationId = await openStep()
    // A rejection by the server, as a proxy may cause.
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

  it('reports no conflict after the response to a save was lost', async () => {
    const automationId = await openStep()
    await loseAnswers('PUT', '**/draft')
    await text().fill('Response lost')
    await draftHas(automationId, 'Response lost')
    // The response must be lost before the next save.
    await page.unrouteAll({ behavior: 'wait' })
    await text().fill('And then this')
    await saved()
    await draftHas(automationId, 'And then this')
  })

  it('does not discard a draft that someone else saved in the meantime', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    const { body: mine } = await service.call('GET', `automations/${automationId}/draft`)
    const content = JSON.parse(JSON.stringify(mine.data.content).replace('Mine', 'An hour of work')) as object
    await service.call('PUT', `automations/${automationId}/draft`, { content, basedOn: mine.data.basedOn })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Discard draft…' }).click()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByText('This was changed since you read it').waitFor()
    await draftHas(automationId, 'An hour of work')
  })

  it('asks which version to keep, and before the user leaves without saving', async () => {
    const automationId = await openStep()
    await service.call('PUT', `automations/${automationId}/draft`, { content: { sequence: null }, basedOn: 1 })
    await text().fill('Mine')
    await page.getByRole('heading', { name: 'Someone else edited this automation' }).waitFor()
    await text().fill('Mine, and more')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await saved()
    await draftHas(automationId, 'Mine, and more')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
  })

  it('shows changes of others: status, steps and deletion', async () => {
    const automationId = await openStep()
    await service.call('PUT', `automations/${automationId}/steps`, { steps: [{ ...EMAIL, subject: 'Theirs' }] })
    await page.getByText('Theirs').first().waitFor()
    await page.getByTestId('step').click()
    await text().fill('Mine')
    await saved()
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await page.getByText('Paused').waitFor()
    assert.equal(await page.getByText('This draft is out of date').count(), 0)
    await service.call('PATCH', `automations/${automationId}`, { name: 'Another name' })
    await page.getByText('This draft is out of date').waitFor()
    await service.call('DELETE', `automations/${automationId}`)
    await page.getByRole('heading', { name: 'This automation was deleted' }).waitFor()
  })

  it('publishes once if the response is lost', async () => {
    const automationId = await openStep()
    await text().fill('Published')
    await saved()
    await loseAnswers('POST', '**/publish')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Contacts already in it stay on their version').waitFor()
    const { body } = await service.call('GET', `automations/${automationId}`)
    assert.equal(body.data.steps[0].text, 'Published')
    assert.equal((await service.call('GET', `automations/${automationId}/draft`)).status, 404)
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByTestId('step').click()
    await text().fill('And the next')
    await saved()
  })

  it('stays editable if the user cancels leaving during a slow save', async () => {
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

  it('does not navigate if the user left while publishing', async () => {
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
    await page.getByText('Contacts already in it stay on their version').waitFor()
    assert.ok(page.url().endsWith('/contacts'), page.url())
  })

  const draftOf = (automationId: string) => service.call('GET', `automations/${automationId}/draft`)
  const choose = async (item: string, word: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('button', { name: word }).click()
  }
  /** Returns the automation's content with the text “Theirs”. */
  async function theirs(automationId: string) {
    const { body } = await service.call('GET', `automations/${automationId}`)
    const { name, trigger, triggerConfig, onSendFailure, steps } = body.data as Record<string, unknown>
    const [{ id, type, subject, html }] = steps as [Record<string, unknown>]
    return { name, trigger, triggerConfig, onSendFailure, steps: [{ id, type, subject, html, text: 'Theirs' }] }
  }

  it('discards the draft during a slow save', async () => {
    const automationId = await openStep()
    await text().fill('First')
    await saved()
    const letGo = await hold('PUT', '**/draft')
    const asked = page.waitForRequest((request) => request.method() === 'PUT')
    await text().fill('Second')
    await asked
    await choose('Discard draft…', 'Discard draft')
    letGo()
    await text().getByText('As it was').waitFor()
    assert.equal(await page.getByText('This was changed since you read it').count(), 0)
    assert.equal((await draftOf(automationId)).status, 404)
    await text().fill('Third')
    await draftHas(automationId, 'Third')
  })

  it('does not delete an automation with a draft that the user has not seen', async () => {
    const automationId = await openStep()
    const sequence = await theirs(automationId)
    await service.call('PUT', `automations/${automationId}/draft`, { content: { sequence }, basedOn: 1 })
    await choose('Delete…', 'Delete automation')
    await page.getByText('Reload the page to review their draft').waitFor()
    assert.equal((await service.call('GET', `automations/${automationId}`)).status, 200)
  })

  it('saves a wait as typed', async () => {
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

  it('does not overwrite a draft of another client without asking', async () => {
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
      await page.getByRole('heading', { name: 'Someone else edited this automation' }).waitFor()
      const { body } = await service.call('GET', `automations/${automationId}/draft`)
      assert.deepEqual(body.data.content, content)
      page.once('dialog', (dialog) => void dialog.accept())
    }
  })

  it('does not treat the second key of a navigation shortcut as a builder shortcut', async () => {
    await openStep()
    await page.keyboard.press('Escape')
    await page.getByTestId('step').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor()
  })
})
