import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'

describe('automation drafts in the builder', () => {
  const d = onDashboard()

  const text = () => d.page.locator('[aria-multiline=true]').first()
  const saved = () => d.shows('Draft saved')
  async function openStep(): Promise<string> {
    const automationId = await anAutomation(d.service, { steps: [{ ...EMAIL, text: 'As it was' }] })
    await d.open(`/automations/${automationId}`)
    await d.page.getByTestId('step').click()
    return automationId
  }
  const draftHas = (automationId: string, words: string) =>
    eventually(`the draft says “${words}”`, async () => {
      const { body } = await d.service.call('GET', `automations/${automationId}/draft`)
      return JSON.stringify(body.data?.content ?? null).includes(words) || undefined
    })

  it('saves the draft, also after all changes are undone', async () => {
    const automationId = await openStep()
    await text().fill('Another')
    await saved()
    await draftHas(automationId, 'Another')
    await d.press('Undo')
    await draftHas(automationId, 'As it was')
    await d.page.reload()
    await d.page.getByTestId('step').click()
    await text().getByText('As it was').waitFor()
  })

  it('saves again after a save was rejected', async () => {
    const automationId = await openStep()
    // A rejection by the server, as a proxy may cause.
    await d.page.route('**/draft', (route) =>
      route.request().method() === 'PUT'
        ? route.continue({ headers: { ...route.request().headers(), 'content-type': 'text/plain' } })
        : route.continue(),
    )
    await text().fill('Refused')
    await d.shows(/Content-Type/)
    await d.page.unroute('**/draft')
    await text().fill('Taken')
    await saved()
    await draftHas(automationId, 'Taken')
  })

  it('reports no conflict after the response to a save was lost', async () => {
    const automationId = await openStep()
    await d.loseAnswers('PUT', '**/draft')
    await text().fill('Response lost')
    await draftHas(automationId, 'Response lost')
    // The response must be lost before the next save.
    await d.page.unrouteAll({ behavior: 'wait' })
    await text().fill('And then this')
    await saved()
    await draftHas(automationId, 'And then this')
  })

  it('does not discard a draft that someone else saved in the meantime', async () => {
    const automationId = await openStep()
    await text().fill('Mine')
    await saved()
    const { body: mine } = await d.service.call('GET', `automations/${automationId}/draft`)
    const content = JSON.parse(JSON.stringify(mine.data.content).replace('Mine', 'An hour of work')) as object
    await d.service.call('PUT', `automations/${automationId}/draft`, { content, basedOn: mine.data.basedOn })
    await d.press('More actions')
    await d.page.getByRole('menuitem', { name: 'Discard draft…' }).click()
    await d.press('Discard draft')
    await d.shows('This was changed since you read it')
    await draftHas(automationId, 'An hour of work')
  })

  it('asks which version to keep, and before the user leaves without saving', async () => {
    const automationId = await openStep()
    await d.service.call('PUT', `automations/${automationId}/draft`, { content: { sequence: null }, basedOn: 1 })
    await text().fill('Mine')
    await d.isAt('Someone else edited this automation')
    await text().fill('Mine, and more')
    await d.page.getByRole('link', { name: 'Contacts' }).click()
    await d.press('Stay', 'Keep mine')
    await saved()
    await draftHas(automationId, 'Mine, and more')
    await d.page.getByRole('link', { name: 'Contacts' }).click()
    await d.isAt('Contacts')
  })

  it('shows changes of others: status, steps and deletion', async () => {
    const automationId = await openStep()
    await d.service.call('PUT', `automations/${automationId}/steps`, { steps: [{ ...EMAIL, subject: 'Theirs' }] })
    await d.shows('Theirs')
    await d.page.getByTestId('step').click()
    await text().fill('Mine')
    await saved()
    await d.service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await d.shows('Paused')
    assert.equal(await d.page.getByText('This draft is out of date').count(), 0)
    await d.service.call('PATCH', `automations/${automationId}`, { name: 'Another name' })
    await d.shows('This draft is out of date')
    await d.service.call('DELETE', `automations/${automationId}`)
    await d.isAt('This automation was deleted')
  })

  it('publishes once if the response is lost', async () => {
    const automationId = await openStep()
    await text().fill('Published')
    await saved()
    await d.loseAnswers('POST', '**/publish')
    await d.press('Publish')
    await d.shows('Contacts already in it stay on their version')
    const { body } = await d.service.call('GET', `automations/${automationId}`)
    assert.equal(body.data.steps[0].text, 'Published')
    assert.equal((await d.service.call('GET', `automations/${automationId}/draft`)).status, 404)
    await d.page.unrouteAll({ behavior: 'wait' })
    await d.page.getByTestId('step').click()
    await text().fill('And the next')
    await saved()
  })

  it('stays editable if the user cancels leaving during a slow save', async () => {
    const automationId = await openStep()
    const letGo = await d.hold('PUT', '**/draft')
    await text().fill('Slowly')
    await d.page.getByRole('link', { name: 'Contacts' }).click()
    await text().pressSequentially(' and on')
    await d.press('Stay')
    await text().pressSequentially(' and on')
    letGo()
    await draftHas(automationId, 'Slowly and on and on')
  })

  it('does not navigate if the user left while publishing', async () => {
    await openStep()
    await d.page.getByRole('link', { name: 'Contacts' }).click()
    await d.isAt('Contacts')
    await d.page.goBack()
    await text().fill('Mine')
    await saved()
    const letGo = await d.hold('POST', '**/publish')
    await d.press('Publish')
    await d.page.goForward()
    await d.isAt('Contacts')
    letGo()
    await d.shows('Contacts already in it stay on their version')
    assert.ok(d.page.url().endsWith('/contacts'), d.page.url())
  })

  const draftOf = (automationId: string) => d.service.call('GET', `automations/${automationId}/draft`)
  const choose = async (item: string, word: string) => {
    await d.press('More actions')
    await d.page.getByRole('menuitem', { name: item }).click()
    await d.page.getByRole('button', { name: word }).click()
  }
  /** Returns the automation's content with the text “Theirs”. */
  async function theirs(automationId: string) {
    const { body } = await d.service.call('GET', `automations/${automationId}`)
    const { name, trigger, triggerConfig, onSendFailure, steps } = body.data as Record<string, unknown>
    const [{ id, type, subject, html }] = steps as [Record<string, unknown>]
    return { name, trigger, triggerConfig, onSendFailure, steps: [{ id, type, subject, html, text: 'Theirs' }] }
  }

  it('discards the draft during a slow save', async () => {
    const automationId = await openStep()
    await text().fill('First')
    await saved()
    const letGo = await d.hold('PUT', '**/draft')
    const asked = d.page.waitForRequest((request) => request.method() === 'PUT')
    await text().fill('Second')
    await asked
    await choose('Discard draft…', 'Discard draft')
    letGo()
    await text().getByText('As it was').waitFor()
    assert.equal(await d.page.getByText('This was changed since you read it').count(), 0)
    assert.equal((await draftOf(automationId)).status, 404)
    await text().fill('Third')
    await draftHas(automationId, 'Third')
  })

  it('does not delete an automation with a draft that the user has not seen', async () => {
    const automationId = await openStep()
    const sequence = await theirs(automationId)
    await d.service.call('PUT', `automations/${automationId}/draft`, { content: { sequence }, basedOn: 1 })
    await choose('Delete…', 'Delete automation')
    await d.shows('Reload the page to review their draft')
    assert.equal((await d.service.call('GET', `automations/${automationId}`)).status, 200)
  })

  it('saves a wait as typed', async () => {
    const automationId = await anAutomation(d.service, { steps: [wait(60), EMAIL] })
    await d.open(`/automations/${automationId}`)
    await d.page.getByTestId('step').first().click()
    for (const [field, typed] of [
      ['Minutes', '1000'],
      ['Days', '15'],
    ] as const) {
      await d.page.getByLabel(field).fill('')
      await d.page.getByLabel(field).pressSequentially(typed)
      await d.keys('Tab')
    }
    await saved()
    const { body } = await d.service.call('GET', `automations/${automationId}/draft`)
    assert.equal(body.data.content.sequence.steps[0].delayMinutes, 15 * 1_440 + 1_060)
  })

  it('does not overwrite a draft of another client without asking', async () => {
    const automationId = await anAutomation(d.service, { steps: [{ ...EMAIL, text: 'As it was' }] })
    for (const content of [
      { sequence: { name: 'x', steps: [] } },
      { sequence: { steps: 'none' } },
      { sequence: { name: 'x', trigger: 'SIGNUP', triggerConfig: null, steps: [] } },
      { mine: true },
    ]) {
      await d.service.call('PUT', `automations/${automationId}/draft`, { content, basedOn: 1 })
      await d.open(`/automations/${automationId}`)
      await d.page.getByTestId('step').click()
      await text().fill('Written over')
      await d.isAt('Someone else edited this automation')
      const { body } = await d.service.call('GET', `automations/${automationId}/draft`)
      assert.deepEqual(body.data.content, content)
      d.page.once('dialog', (dialog) => void dialog.accept())
    }
  })

  it('does not treat the second key of a navigation shortcut as a builder shortcut', async () => {
    await openStep()
    await d.keys('Escape')
    await d.page.getByTestId('step').focus()
    await d.keys('g', 'a')
    await d.isAt('Automations', 1)
  })
})
