import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { type Dashboard, onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'

interface Tree {
  type: string
  subject?: string
  branches?: { name: string; steps: Tree[] }[]
  else?: Tree[]
}

const TRIAL = JSON.parse(readFileSync(new URL('../../examples/trial.json', import.meta.url), 'utf8')) as {
  steps: Tree[]
}

/** Keeps the fields of a step that both a request and a response have. */
const contentOf = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, each: unknown) =>
      ['id', 'position', 'name', 'text', 'html', 'templateId', 'templateVersion', 'category'].includes(key) ||
      each === null ||
      ((key === 'delayMinutes' || key === 'subject') && (each === 0 || each === '')) ||
      (key === 'ifPast' && each === 'continue')
        ? undefined
        : each,
    ),
  )

describe('builder with branches', function () {
  this.timeout(240_000)
  let service: Service
  let page: Page
  let at: Dashboard['at']
  onDashboard((dashboard) => ({ service, page, at } = dashboard))

  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const choose = async (label: string, option: string) => {
    await page.getByLabel(label, { exact: true }).first().click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const menuItem = (name: string) => page.getByRole('menuitem', { name, exact: true }).click()
  const stepCount = (count: number) =>
    eventually(`there are ${count} steps`, async () => (await page.getByTestId('step').count()) === count || undefined)

  /** Activates the automation and compares it with the recipe. */
  async function activateTrial(): Promise<void> {
    await page.getByText('Draft saved').waitFor()
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Automation activated.').waitFor()
    const id = /automations\/([^/?]+)/.exec(page.url())![1]!
    const { data } = (await service.call('GET', `automations/${id}`)).body
    const expected = structuredClone(TRIAL) as unknown as { steps: { branches?: { if: object }[] }[] }
    // The editor stores a condition as a group.
    for (const { branches = [] } of expected.steps) for (const branch of branches) branch.if = { all: [branch.if] }
    assert.deepEqual(contentOf(data.steps), contentOf(expected.steps))
    assert.deepEqual(
      { trigger: data.trigger, entry: data.entry, goal: data.goal, exitOn: data.exitOn },
      {
        trigger: 'EVENT',
        entry: { reentry: 'ONCE' },
        goal: { eventName: 'subscription.started' },
        exitOn: [{ eventName: 'trial.cancelled' }],
      },
    )
  }

  it('builds the trial recipe with the mouse', async () => {
    await page.goto(at('/automations'))
    await page.getByRole('button', { name: 'New automation' }).click()
    await page.getByRole('button', { name: 'Start blank' }).click()
    await choose('Trigger', 'Event received')
    await page.getByLabel('Event', { exact: true }).first().fill('trial.started')
    await choose('Re-entry', 'Once per contact')
    await page.getByRole('button', { name: 'Set goal' }).click()
    await page.getByLabel('Goal: event').first().fill('subscription.started')
    await page.getByRole('button', { name: 'Add exit rule' }).click()
    await page.getByLabel('Exit rule 1: event').first().fill('trial.cancelled')
    const write = async (subject: string) => {
      await menuItem('Email')
      await page.getByLabel('Subject', { exact: true }).fill(subject)
      await page.getByLabel('Plain text', { exact: true }).fill('Hello')
    }
    const addLast = () =>
      page
        .getByRole('button', { name: /^Add step/ })
        .last()
        .click()
    const addToBranch = () => page.getByRole('button', { name: 'Add step at the start of the branch' })
    await addLast()
    await write('Your trial has begun')
    await addLast()
    await menuItem('Wait')
    await page.getByLabel('Days', { exact: true }).fill('2')
    await addLast()
    await menuItem('Condition')
    await page.getByLabel('Branch 1: name').fill('Has a project')
    await choose('Condition 1: type', 'Event')
    await page.getByLabel('Condition 1: attribute').first().fill('project.created')
    await addToBranch().first().click()
    await write('Invite your team')
    await addToBranch().last().click()
    await write('Create your first project')
    // After the branches.
    await page.getByText('Performed project.created?').first().click()
    await page.getByRole('button', { name: 'Add next step' }).click()
    await menuItem('Wait until')
    await choose('Wait until', 'A date of the contact or the event')
    await page.getByLabel('Key', { exact: true }).first().fill('trialEndsAt')
    await page.getByLabel('Days', { exact: true }).fill('3')
    await page.getByLabel('Time of day').fill('09:00')
    await choose('If the time has passed', 'Exit the automation')
    await page.getByRole('button', { name: 'Add next step' }).click()
    await write('3 days left in your trial')
    await activateTrial()
  })

  it('builds the trial recipe with the keyboard', async () => {
    /** Presses Tab until a field or button with this name has the focus. */
    const tabTo = async (name: string) => {
      for (let n = 0; n < 80; n += 1) {
        const focused = await page.evaluate(() => {
          const { activeElement: at } = (
            globalThis as unknown as {
              document: {
                activeElement: {
                  textContent: string
                  labels?: ArrayLike<{ textContent: string }>
                  getAttribute(of: string): string | null
                }
              }
            }
          ).document
          return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent
        })
        if (focused.trim() === name) return
        await press('Tab')
      }
      throw new Error(`Nothing called ${name} can be reached`)
    }
    /** Selects an option of the focused field. */
    const pick = async (option: string) => {
      await press('Enter')
      await page.getByRole('option', { name: option, exact: true }).waitFor()
      for (let n = 0; n < 20; n += 1) {
        const selected = await page.locator('[role=option][data-combobox-selected]').allTextContents()
        if (selected[0] === option) return press('Enter')
        await press('ArrowDown')
      }
      throw new Error(`${option} can't be reached`)
    }
    const type = (text: string) => page.keyboard.type(text)
    let count = 0
    const write = async (subject: string) => {
      await press('Escape', 'e')
      await stepCount((count += 1))
      await type(subject)
      await press('Tab')
      await type('Hello')
      await press('Escape')
    }
    const add = async (name: string) => {
      await press('Escape', 'a')
      await page.locator('[role=menuitem]:focus').waitFor()
      for (let n = 0; n < 12; n += 1) {
        if ((await page.locator('[role=menuitem]:focus').textContent())?.startsWith(name)) break
        await press('ArrowDown')
      }
      await press('Enter')
      await stepCount((count += 1))
    }

    await page.goto(at('/automations'))
    await page.getByRole('button', { name: 'New automation' }).waitFor()
    await press('n')
    await page.locator('button[aria-pressed=true]:focus').waitFor()
    await press('Enter')
    await page.getByRole('heading', { name: 'Trigger' }).waitFor()
    await press('Enter')
    await tabTo('Trigger')
    await pick('Event received')
    await tabTo('Event')
    await type('trial.started')
    await tabTo('Re-entry')
    await pick('Once per contact')
    await write('Your trial has begun')
    await press('w')
    await stepCount((count += 1))
    await type('2')
    await press('Escape', 'a')
    await page.locator('[role=menuitem]:focus').waitFor()
    await press('Escape')
    await add('Condition')
    await type('Has a project')
    await tabTo('Condition 1: type')
    await pick('Event')
    await tabTo('Condition 1: attribute')
    await type('project.created')
    await press('Escape', 'ArrowRight')
    await write('Invite your team')
    await press('ArrowRight')
    await write('Create your first project')
    await press('ArrowLeft', 'ArrowLeft')
    await add('Wait until')
    await tabTo('Wait until')
    await pick('A date of the contact or the event')
    await tabTo('Key')
    await type('trialEndsAt')
    await press('Tab')
    await tabTo('Days')
    await type('3')
    await tabTo('Time of day')
    // A field with AM and PM needs the last letter.
    await type('0900a')
    await tabTo('If the time has passed')
    await pick('Exit the automation')
    await write('3 days left in your trial')
    await press('ArrowDown', 'Enter')
    await tabTo('Set goal')
    await press('Enter')
    await tabTo('Goal: event')
    await type('subscription.started')
    await tabTo('Add exit rule')
    await press('Enter')
    await page.getByLabel('Exit rule 1: event').first().waitFor()
    await press('Shift+Tab', 'Shift+Tab')
    await page.getByLabel('Exit rule 1: event').first().focus()
    await type('trial.cancelled')
    await press('Escape')
    await activateTrial()
  })

  it('copies, moves and deletes a branch, and undoes it', async () => {
    const pro = { name: 'Pro', if: { tag: 'pro' }, steps: [{ ...EMAIL, subject: 'For Pro' }] }
    const free = { name: 'Free', if: { tag: 'free' }, steps: [] }
    const condition = { type: 'CONDITION', branches: [pro, free], else: [wait(60)] }
    const automationId = await anAutomation(service, { steps: [condition, { ...EMAIL, subject: 'Last' }] })
    const branches = async () => {
      const { body } = await service.call('GET', `automations/${automationId}/draft`)
      const [first] = (body.data?.content.sequence.steps ?? []) as Tree[]
      return first?.branches?.map(({ name, steps }) => `${name} ${steps.map(({ subject }) => subject).join()}`.trim())
    }
    const draftHas = (...expected: string[]) =>
      eventually(`the branches are ${expected.join(' and ')}`, async () => {
        return JSON.stringify(await branches()) === JSON.stringify(expected) || undefined
      })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByText('For Pro').waitFor()
    await page.getByText('Pro', { exact: true }).click()
    await page.getByRole('heading', { name: 'Branch “Pro”' }).waitFor()
    await press('d')
    await draftHas('Pro For Pro', 'Pro 3 For Pro', 'Free')
    await press('Alt+ArrowRight')
    await draftHas('Pro For Pro', 'Free', 'Pro 3 For Pro')
    await press('Delete')
    await draftHas('Pro For Pro', 'Free')
    await press('Control+z', 'Control+z', 'Control+z')
    await draftHas('Pro For Pro', 'Free')
    // Copies the steps of a branch into another branch, and moves a step with the menu.
    await page.getByText('Pro', { exact: true }).click()
    await press('Control+c')
    await page.getByText('Free', { exact: true }).click()
    await press('Control+v')
    await draftHas('Pro For Pro', 'Free For Pro')
    await press('m')
    await menuItem('Move up')
    await draftHas('Pro For Pro,For Pro', 'Free')
  })

  it('publishes a wait for an event without a filter', async () => {
    const forProject = { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 4_320 }
    const automationId = await anAutomation(service, { steps: [{ ...forProject, received: [EMAIL] }] })
    await page.goto(at(`/automations/${automationId}`))
    await page.getByText('Wait for project.created').click()
    await page.getByLabel('Days').fill('4')
    await page.getByText('Draft saved').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Published.').waitFor()
    const { data } = (await service.call('GET', `automations/${automationId}`)).body
    assert.partialDeepStrictEqual(data.steps[0], { filter: null, timeoutMinutes: 5_760 })
  })

  it('creates a draft from a recipe', async () => {
    await page.goto(at('/automations'))
    await page.getByRole('button', { name: 'New automation' }).click()
    await page.getByRole('button', { name: /^Trial onboarding/ }).click()
    await page.getByText('Goal: subscription.started').waitFor()
    await page.getByRole('button', { name: 'Use recipe' }).click()
    await page.getByRole('heading', { name: 'Trigger' }).waitFor()
    const id = /automations\/([^/?]+)/.exec(page.url())![1]!
    const { data } = (await service.call('GET', `automations/${id}`)).body
    assert.equal(data.status, 'DRAFT')
    assert.deepEqual(contentOf(data.steps), contentOf(TRIAL.steps))
    // It is complete.
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Automation activated.').waitFor()
  })
})
