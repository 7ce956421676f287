import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { openChromium, openWindow, enterCredentials } from '../support/chromium.ts'
import { aLink } from '../support/members.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('dashboard by mouse', function () {
  this.timeout(180_000)
  let service: Service
  let browser: Browser
  let page: Page
  let failures: string[]
  let key: string
  before(async () => {
    service = await startService()
    browser = await openChromium()
    ;({ page, failures } = await openWindow(browser, service))
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })
  afterEach(() => assert.deepEqual(failures, []))

  it('signs the first owner up with an invitation link', async () => {
    await page.goto(`/join#${await aLink(service)}`)
    await enterCredentials(page, 'ada@example.com')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.ok(page.url().endsWith(`/w/${service.workspaceId}`), page.url())
  })

  it('creates an API key that works immediately', async () => {
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'New API key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Checkout')
    for (const scope of ['contacts:write', 'automations:write']) await page.getByLabel(scope).check()
    await page.getByRole('button', { name: 'Create API key' }).click()
    key = (await page.getByTestId('key').textContent()) ?? ''
    const { status, body } = await service.call('GET', 'whoami', undefined, { key })
    assert.equal(status, 200)
    assert.deepEqual(body.data.scopes, ['contacts:write', 'automations:write'])
  })

  it('builds and activates an automation of five steps', async () => {
    await page.getByRole('link', { name: 'Automations' }).click()
    await page.getByRole('button', { name: 'New automation' }).click()
    await page.getByRole('button', { name: 'Start blank' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Welcome')
    const add = async (what: 'Email' | 'Wait') => {
      await page.getByRole('button', { name: 'Add step' }).last().click()
      await page.getByRole('menuitem', { name: what, exact: true }).click()
    }
    const write = async (subject: string) => {
      await add('Email')
      await page.getByLabel('Subject', { exact: true }).fill(subject)
      await page.getByLabel('Plain text', { exact: true }).fill('Good to have you here.')
    }
    await write('Welcome, {{ contact.firstName }}!')
    await add('Wait')
    await page.getByLabel('Days').fill('2')
    await write('How is it going?')
    await add('Wait')
    await write('Anything in the way?')
    await page.getByText('Draft saved').waitFor()
    assert.equal(await page.getByTestId('step').count(), 5)
    // Edits survive a reload.
    await page.reload()
    await page.getByTestId('step').nth(4).waitFor()
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Automation activated.').waitFor()
    const { body } = await service.call('GET', 'automations')
    assert.partialDeepStrictEqual(body.data[0], { name: 'Welcome', status: 'active', stepCount: 5 })
  })

  it('shows the stats of every step for a contact who passes through', async () => {
    await service.call('POST', 'contacts', { email: 'grace@example.com', firstName: 'Grace' }, { key })
    await eventually('it is captured', async () => {
      const { body } = await service.call('GET', 'messages?status=CAPTURED')
      return body.data.length === 1 || undefined
    })
    await page.getByText('Stats', { exact: true }).click()
    await page.getByText('1 enrolled').waitFor()
    await page.getByText('1 here').waitFor()
    await page.getByTestId('step').first().click()
    await page.getByText('grace@example.com').waitFor()
  })

  it('pauses, resumes, archives and deletes the automation after a confirmation that states the effect', async () => {
    const status = async () => (await service.call('GET', 'automations')).body.data[0]?.status as string | undefined
    const choose = async (item: string, confirm: string) => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.getByText('1 active contact').waitFor()
      await page.getByRole('button', { name: confirm }).click()
    }
    await page.getByText('Edit', { exact: true }).click()
    await choose('Pause…', 'Pause automation')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    assert.equal(await status(), 'paused')
    await page.getByRole('button', { name: 'Resume…' }).click()
    await page.getByText('1 active contact will continue').waitFor()
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await eventually('it is active', async () => ((await status()) === 'active' ? true : undefined))
    await page.getByRole('button', { name: 'Resume…' }).waitFor({ state: 'detached' })
    await choose('Archive…', 'Archive automation')
    await eventually('it is archived', async () => ((await status()) === 'archived' ? true : undefined))
    await page.getByRole('button', { name: 'Activate' }).waitFor()
    await choose('Delete…', 'Delete automation')
    await page.getByText('Automations send a series of emails').waitFor()
    assert.equal(await status(), undefined)
  })

  it('finds and erases a contact', async () => {
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByLabel('Search', { exact: true }).fill('GRACE@exam')
    await page.getByRole('link', { name: 'grace@example.com' }).click()
    await page.getByRole('button', { name: 'Welcome, Grace!' }).click()
    await page.getByText('Good to have you here.').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Erase…' }).click()
    await page.getByRole('button', { name: 'Erase contact' }).click()
    await page.getByText('No contacts yet').waitFor()
    assert.equal((await service.call('GET', 'contacts')).body.pagination.total, 0)
  })
})
