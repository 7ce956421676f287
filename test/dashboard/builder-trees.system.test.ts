import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { writeEmail, writeEmailByKeys } from '../support/write-email.ts'
import { readFileSync } from 'node:fs'
import { eventually } from '../support/eventually.ts'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'

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
      ['id', 'position', 'name', 'text', 'html', 'templateId', 'templateVersion', 'category', 'design'].includes(key) ||
      each === null ||
      ((key === 'delayMinutes' || key === 'subject') && (each === 0 || each === '')) ||
      (key === 'ifPast' && each === 'continue')
        ? undefined
        : each,
    ),
  )

describe('builder with branches', () => {
  const d = onDashboard()

  const stepCount = (count: number) =>
    eventually(
      `there are ${count} steps`,
      async () => (await d.page.getByTestId('step').count()) === count || undefined,
    )

  /** Activates the automation and compares it with the recipe. */
  async function activateTrial(): Promise<void> {
    await d.shows('Draft saved')
    await d.press('Activate…', 'Activate')
    await d.shows('Automation activated.')
    const id = /automations\/([^/?]+)/.exec(d.page.url())![1]!
    const data = await d.read(`automations/${id}`)
    const expected = structuredClone(TRIAL) as unknown as {
      steps: { branches?: { if: object }[] }[]
    }
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
    await d.open('/automations')
    await d.press('New automation', 'Start blank')
    await d.choose('Trigger', 'Event received')
    await d.field('Event').first().fill('trial.started')
    await d.choose('Re-entry', 'Once per contact')
    await d.press('Set goal')
    await d.page.getByLabel('Goal: event').first().fill('subscription.started')
    await d.press('Add exit rule')
    await d.page.getByLabel('Exit rule 1: event').first().fill('trial.cancelled')
    const write = async (subject: string) => {
      await d.menuItem('Email')
      await d.fill({ Subject: subject })
      await writeEmail(d, 'Hello')
    }
    const addLast = () =>
      d
        .button(/^Add step/)
        .last()
        .click()
    const addToBranch = () => d.button(/^Add step at the start of branch/)
    await addLast()
    await write('Your trial has begun')
    await addLast()
    await d.menuItem('Wait')
    await d.field('Days').fill('2')
    await addLast()
    await d.menuItem('Condition')
    await d.page.getByLabel('Branch 1: name').fill('Has a project')
    await d.choose('Condition 1: type', 'Event')
    await d.page.getByLabel('Condition 1: attribute').first().fill('project.created')
    await addToBranch().first().click()
    await write('Invite your team')
    await addToBranch().last().click()
    await write('Create your first project')
    // After the branches.
    await d.page.getByText('Performed project.created?').first().click()
    await d.press('Add next step')
    await d.menuItem('Wait until')
    await d.choose('Wait until', 'A date of the contact or the event')
    await d.field('Key').first().fill('trialEndsAt')
    await d.fill({ Days: '3', 'Time of day': '09:00' })
    await d.choose('If the time has passed', 'Exit the automation')
    await d.press('Add next step')
    await write('3 days left in your trial')
    await activateTrial()
  })

  it('builds the trial recipe with the keyboard', async () => {
    /** Selects an option of the focused field. */
    const pick = async (option: string) => {
      await d.keys('Enter')
      await d.page.getByRole('option', { name: option, exact: true }).waitFor()
      for (let n = 0; n < 20; n += 1) {
        const selected = await d.page.locator('[role=option][data-combobox-selected]').allTextContents()
        if (selected[0] === option) return d.keys('Enter')
        await d.keys('ArrowDown')
      }
      throw new Error(`${option} can't be reached`)
    }
    const type = (text: string) => d.page.keyboard.type(text)
    let count = 0
    const write = async (subject: string) => {
      await d.keys('Escape', 'e')
      await stepCount((count += 1))
      await type(subject)
      await writeEmailByKeys(d, 'Hello')
      await d.keys('Escape')
    }
    const add = async (name: string) => {
      await d.keys('Escape', 'a')
      await d.page.locator('[role=menuitem]:focus').waitFor()
      for (let n = 0; n < 12; n += 1) {
        if ((await d.page.locator('[role=menuitem]:focus').textContent())?.startsWith(name)) break
        await d.keys('ArrowDown')
      }
      await d.keys('Enter')
      await stepCount((count += 1))
    }

    await d.open('/automations')
    await d.page.getByRole('button', { name: 'New automation' }).waitFor()
    await d.keys('n')
    await d.page.locator('button[aria-pressed=true]:focus').waitFor()
    await d.keys('Enter')
    await d.isAt('Trigger')
    await d.keys('Enter')
    await d.tabTo('Trigger')
    await pick('Event received')
    await d.tabTo('Event')
    await type('trial.started')
    await d.tabTo('Re-entry')
    await pick('Once per contact')
    await write('Your trial has begun')
    await d.keys('w')
    await stepCount((count += 1))
    await type('2')
    await d.keys('Escape', 'a')
    await d.page.locator('[role=menuitem]:focus').waitFor()
    await d.keys('Escape')
    await add('Condition')
    await type('Has a project')
    await d.tabTo('Condition 1: type')
    await pick('Event')
    await d.tabTo('Condition 1: attribute')
    await type('project.created')
    await d.keys('Escape', 'ArrowRight')
    await write('Invite your team')
    await d.keys('ArrowRight')
    await write('Create your first project')
    await d.keys('ArrowLeft', 'ArrowLeft')
    await add('Wait until')
    await d.tabTo('Wait until')
    await pick('A date of the contact or the event')
    await d.tabTo('Key')
    await type('trialEndsAt')
    await d.keys('Tab')
    await d.tabTo('Days')
    await type('3')
    await d.tabTo('Time of day')
    // A field with AM and PM needs the last letter.
    await type('0900a')
    await d.tabTo('If the time has passed')
    await pick('Exit the automation')
    await write('3 days left in your trial')
    await d.keys('ArrowDown', 'Enter')
    await d.tabTo('Set goal')
    await d.keys('Enter')
    await d.tabTo('Goal: event')
    await type('subscription.started')
    await d.tabTo('Add exit rule')
    await d.keys('Enter')
    await d.page.getByLabel('Exit rule 1: event').first().waitFor()
    await d.keys('Shift+Tab', 'Shift+Tab')
    await d.page.getByLabel('Exit rule 1: event').first().focus()
    await type('trial.cancelled')
    await d.keys('Escape')
    await activateTrial()
  })

  it('copies, moves and deletes a branch, and undoes it', async () => {
    const pro = { name: 'Pro', if: { tag: 'pro' }, steps: [{ ...EMAIL, subject: 'For Pro' }] }
    const free = { name: 'Free', if: { tag: 'free' }, steps: [] }
    const condition = { type: 'CONDITION', branches: [pro, free], else: [wait(60)] }
    const automationId = await anAutomation(d.service, { steps: [condition, { ...EMAIL, subject: 'Last' }] })
    const branches = async () => {
      const { body } = await d.service.call('GET', `automations/${automationId}/draft`)
      const [first] = (body.data?.content.sequence.steps ?? []) as Tree[]
      return first?.branches?.map(({ name, steps }) => `${name} ${steps.map(({ subject }) => subject).join()}`.trim())
    }
    const draftHas = (...expected: string[]) =>
      eventually(`the branches are ${expected.join(' and ')}`, async () => {
        return JSON.stringify(await branches()) === JSON.stringify(expected) || undefined
      })
    await d.open(`/automations/${automationId}`)
    await d.shows('For Pro')
    await d.page.getByText('Pro', { exact: true }).click()
    await d.isAt('Branch “Pro”')
    await d.keys('d')
    await draftHas('Pro For Pro', 'Pro 3 For Pro', 'Free')
    await d.keys('Alt+ArrowRight')
    await draftHas('Pro For Pro', 'Free', 'Pro 3 For Pro')
    await d.keys('Delete')
    await draftHas('Pro For Pro', 'Free')
    await d.keys('Control+z', 'Control+z', 'Control+z')
    await draftHas('Pro For Pro', 'Free')
    // Copies the steps of a branch into another branch, and moves a step with the menu.
    await d.page.getByText('Pro', { exact: true }).click()
    await d.keys('Control+c')
    await d.page.getByText('Free', { exact: true }).click()
    await d.keys('Control+v')
    await draftHas('Pro For Pro', 'Free For Pro')
    await d.keys('m')
    await d.menuItem('Move up')
    await draftHas('Pro For Pro,For Pro', 'Free')
  })

  it('publishes a wait for an event without a filter', async () => {
    const forProject = { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 4_320 }
    const automationId = await anAutomation(d.service, { steps: [{ ...forProject, received: [EMAIL] }] })
    await d.open(`/automations/${automationId}`)
    await d.page.getByText('Wait for project.created').click()
    await d.page.getByLabel('Days').fill('4')
    await d.shows('Draft saved')
    await d.press('Publish')
    await d.shows('Published.')
    const data = await d.read(`automations/${automationId}`)
    assert.partialDeepStrictEqual(data.steps[0], { filter: null, timeoutMinutes: 5_760 })
  })

  it('creates a draft from a recipe', async () => {
    await d.open('/automations')
    await d.press('New automation', /^Trial onboarding/)
    await d.shows('Goal: subscription.started')
    await d.press('Use recipe')
    await d.isAt('Trigger')
    const id = /automations\/([^/?]+)/.exec(d.page.url())![1]!
    const data = await d.read(`automations/${id}`)
    assert.equal(data.status, 'DRAFT')
    assert.deepEqual(contentOf(data.steps), contentOf(TRIAL.steps))
    // It is complete.
    // The texts of a recipe are to be replaced before they are sent.
    await d.press('Activate…')
    await d.shows('has text to replace: “')
    await d.press('Fix 1 problem')
    // The email opens on the canvas, which shows the same problem.
    await d.shows('1 problem')
    await d.page.getByText('These are the first steps: …').last().click()
    await d.page.locator('.ProseMirror:focus').waitFor()
    await d.keys('Control+A')
    await d.page.keyboard.type('Press New project.')
    await d.shows('No problems')
    await d.press('Done')
    await d.page.getByRole('button', { name: 'Edit email' }).waitFor()
    await d.shows('Draft saved')
    await d.press('Activate…', 'Activate')
    await d.shows('Automation activated.')
  })

  it('keeps a design when another kind of content is tried, and follows undo', async () => {
    const design = { blocks: [{ type: 'TEXT', paragraphs: [{ style: 'PARAGRAPH', runs: [{ text: 'Ours' }] }] }] }
    const steps = [{ type: 'EMAIL', subject: 'Designed', design }]
    const id = await anAutomation(d.service, { steps })
    await d.open(`/automations/${id}`)
    await d.page.getByTestId('step').click()
    const kind = (name: string) => d.page.getByRole('radiogroup', { name: 'Content' }).getByRole('radio', { name })
    await kind('Design').focus()
    // By keyboard, as one looks around.
    await d.keys('ArrowRight', 'ArrowRight')
    await d.shows('the design is removed from this email')
    await d.press('Keep the design')
    await d.button('Edit email').or(d.page.getByText('No templates yet')).first().waitFor()
    await d.page.getByRole('radiogroup', { name: 'Content' }).getByText('Code').click()
    await d.press('Replace the design')
    await d.field('HTML').waitFor()
    await d.press('Undo')
    await d.button('Edit email').waitFor()
    assert.equal(await kind('Design').isChecked(), true)
  })

  it('shows all branches when it opens, until the member moves the canvas', async () => {
    const branches = ['A', 'B', 'C'].map((name) => ({
      name,
      if: { metadata: 'plan', is: 'equal', value: name },
      steps: [{ ...EMAIL, subject: `Email of ${name}` }],
    }))
    const otherwise = [{ ...EMAIL, subject: 'Email of others' }]
    const id = await anAutomation(d.service, { steps: [{ type: 'CONDITION', branches, else: otherwise }] })
    await d.open(`/automations/${id}`)
    const canvas = d.page.locator('.react-flow')
    /** Returns whether a step is on the canvas with its whole width. */
    const isWhole = async (text: string) => {
      const [around, step] = await Promise.all([
        canvas.boundingBox(),
        d.page.getByTestId('step').filter({ hasText: text }).boundingBox(),
      ])
      return step!.x >= around!.x && step!.x + step!.width <= around!.x + around!.width
    }
    await d.shows('Email of A', 'Email of others')
    assert.deepEqual([await isWhole('Email of A'), await isWhole('Email of others')], [true, true])
    const { width } = (await canvas.boundingBox())!
    await d.page.setViewportSize({ width: 1_200, height: 800 })
    await eventually('the canvas is narrower', async () => (await canvas.boundingBox())!.width < width || undefined)
    await eventually('it fits again', async () => (await isWhole('Email of others')) || undefined)
    const before = await d.page.getByTestId('step').filter({ hasText: 'Email of A' }).boundingBox()
    await canvas.hover()
    await d.page.mouse.wheel(60, 0)
    await eventually('the canvas has moved', async () => {
      const now = await d.page.getByTestId('step').filter({ hasText: 'Email of A' }).boundingBox()
      return now?.x !== before?.x || undefined
    })
    const moved = await d.page.getByTestId('step').filter({ hasText: 'Email of A' }).boundingBox()
    await d.page.setViewportSize({ width: 1_300, height: 800 })
    assert.equal((await d.page.getByTestId('step').filter({ hasText: 'Email of A' }).boundingBox())?.x, moved?.x)
  })
})
