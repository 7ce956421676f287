import assert from 'node:assert/strict'
import { enterCredentials } from '../support/chromium.ts'
import { onDashboard } from '../support/dashboard.ts'
import { writeEmail } from '../support/write-email.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { startInstance } from '../support/instance.ts'
import { aLink } from '../support/members.ts'

describe('dashboard by mouse', () => {
  const d = onDashboard()
  afterEach(() => assert.deepEqual(d.failures, []))

  /** Creates an automation and a contact who got its first email. */
  async function aWelcome(): Promise<{ automationId: string; email: string }> {
    const automationId = await anAutomation(d.service, { steps: [EMAIL, wait(2 * 1_440), EMAIL] })
    const email = `grace-${automationId}@example.com`
    await enroll(d.service, automationId, await aContact(d.service, { email, firstName: 'Grace' }))
    await eventually('the email is sent', () => d.sink.mails.find(({ to }) => to.includes(email)))
    return { automationId, email }
  }

  it('signs the first owner up with an invitation link', async () => {
    await d.page.context().clearCookies()
    await d.page.goto(`/join#${await aLink(d.service)}`)
    await enterCredentials(d.page, 'first-owner@example.com')
    await d.isAt('Home')
    assert.ok(d.page.url().endsWith(d.at('')), d.page.url())
  })

  it('guides a new workspace to its first email, checked by what it has', async () => {
    const own = await startInstance()
    try {
      const window = await d.openWindow()
      await window.goto(`http://127.0.0.1:${own.port}/join#${await aLink(own, 'owner')}`)
      await enterCredentials(window, `guided-${process.pid}@example.com`)
      const steps = window.getByRole('region', { name: 'First steps' })
      await steps.getByText('0 of 5 steps done, in any order. Each is checked automatically.').waitFor()
      await steps.getByText('No sender for this workspace').waitFor()
      // Nothing was pressed here: the event and its contact come from the app.
      await own.call('POST', 'events', { name: 'Signed up', email: 'grace@example.com' })
      await steps.getByText('“Signed up” arrived').waitFor()
      await steps.getByText('2 of 5 steps done').waitFor()
      await steps.getByRole('button', { name: 'Create welcome automation' }).click()
      await steps.getByText('4 of 5 steps done').waitFor()
      await steps.getByRole('button', { name: 'Add contact' }).click()
      await steps.getByRole('status').getByRole('link', { name: 'Read email' }).waitFor()
      await steps.getByRole('button', { name: 'Hide first steps' }).click()
      await window.getByRole('heading', { name: 'Sent and scheduled' }).waitFor()
      // A suppressed message is due, but not a part of the sent ones.
      await own.call('POST', 'suppressions', { email: 'eve@example.com' })
      await own.call('POST', 'emails', { to: 'eve@example.com', subject: 'Receipt', text: 'Thanks' })
      await eventually('it is suppressed', async () => {
        const { data } = (await own.call('GET', 'messages?status=SUPPRESSED')).body
        return data.length === 1 || undefined
      })
      await window.reload()
      await window.getByText('2 messages due.').waitFor()
      await window.getByRole('img', { name: 'Bar chart of 14 days: 1 message sent, 0 scheduled.' }).waitFor()
      await window.keyboard.press('ControlOrMeta+K')
      await window.getByPlaceholder('Search or jump to').fill('Show first steps')
      await window.keyboard.press('Enter')
      await steps.getByText('4 of 5 steps done').waitFor()
      await window.context().close()
    } finally {
      await own.stop()
    }
  })

  it('creates an API key that works immediately', async () => {
    await d.open('')
    await d.link('API keys').click()
    await d.press('New API key')
    await d.field('Name').fill('Checkout')
    for (const scope of ['contacts:write', 'automations:write']) await d.page.getByLabel(scope).check()
    await d.press('Create API key')
    const key = (await d.page.getByTestId('shown-once').textContent()) ?? ''
    const { status, body } = await d.service.call('GET', 'whoami', undefined, { key })
    assert.equal(status, 200)
    assert.deepEqual(body.data.scopes, ['contacts:write', 'automations:write'])
  })

  it('builds and activates an automation of five steps', async () => {
    await d.open('')
    await d.link('Automations').click()
    await d.press('New automation', 'Start blank')
    await d.field('Name').fill('Welcome')
    const add = async (what: 'Email' | 'Wait') => {
      await d.page.getByRole('button', { name: 'Add step' }).last().click()
      await d.page.getByRole('menuitem', { name: what, exact: true }).click()
    }
    const write = async (subject: string) => {
      await add('Email')
      await d.fill({ Subject: subject })
      await writeEmail(d, 'Good to have you here.')
    }
    await write('Welcome, {{ contact.firstName }}!')
    await add('Wait')
    await d.page.getByLabel('Days').fill('2')
    await write('How is it going?')
    await add('Wait')
    await write('Anything in the way?')
    await d.shows('Draft saved')
    assert.equal(await d.page.getByTestId('step').count(), 5)
    // Edits survive a reload.
    await d.page.reload()
    await d.page.getByTestId('step').nth(4).waitFor()
    await d.press('Activate…', 'Activate')
    await d.shows('Automation activated.')
    const automation = (await d.read('automations')).find(({ name }: { name: string }) => name === 'Welcome')
    assert.partialDeepStrictEqual(automation, { status: 'active', stepCount: 5 })
  })

  it('shows the stats of every step for a contact who passes through', async () => {
    const { automationId, email } = await aWelcome()
    await d.open(`/automations/${automationId}`)
    await d.page.getByText('Stats', { exact: true }).click()
    await d.shows('1 enrolled', '1 here')
    await d.page.getByTestId('step').first().click()
    await d.shows(email)
  })

  it('pauses, resumes, archives and deletes the automation after a confirmation that states the effect', async () => {
    const { automationId } = await aWelcome()
    const status = async () => {
      const all = (await d.read('automations')) as { id: string; status: string }[]
      return all.find(({ id }) => id === automationId)?.status
    }
    const becomes = (expected: string) =>
      eventually(`it is ${expected}`, async () => (await status()) === expected || undefined)
    const choose = async (item: string, confirm: string) => {
      await d.press('More actions')
      await d.page.getByRole('menuitem', { name: item }).click()
      await d.shows('1 active contact')
      await d.press(confirm)
    }
    await d.open(`/automations/${automationId}`)
    await choose('Pause…', 'Pause automation')
    await d.press('Resume…')
    assert.equal(await status(), 'paused')
    await d.shows('1 active contact will continue')
    await d.press('Resume')
    await becomes('active')
    await d.button('Resume…').waitFor({ state: 'detached' })
    await choose('Archive…', 'Archive automation')
    await becomes('archived')
    await d.page.getByRole('button', { name: 'Activate' }).waitFor()
    await choose('Delete…', 'Delete automation')
    await d.isAt('Automations', 1)
    assert.equal(await status(), undefined)
  })

  it('finds and erases a contact', async () => {
    const { email } = await aWelcome()
    await d.open('/contacts')
    await d.field('Search contacts').fill(email.slice(0, -6).toUpperCase())
    await d.link(email).click()
    await d.press('Hello Grace')
    await d.shows('Hi')
    await d.press('More actions')
    await d.page.getByRole('menuitem', { name: 'Erase…' }).click()
    await d.press('Erase contact')
    await d.isAt('Contacts', 1)
    assert.deepEqual(await d.read(`contacts?email=${email}`), [])
  })
})
