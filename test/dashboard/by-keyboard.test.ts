import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { openChromium, openWindow } from '../support/chromium.ts'
import { aContact } from '../support/factories.ts'
import { aMember, PASSWORD } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('dashboard by keyboard', function () {
  this.timeout(180_000)
  let service: Service
  let browser: Browser
  let page: Page
  before(async () => {
    service = await startService({ worker: false })
    browser = await openChromium()
    ;({ page } = await openWindow(browser, service))
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })

  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Presses Tab until an element with this name has the focus. */
  const tabTo = async (name: string) => {
    for (let n = 0; n < 60; n += 1) {
      const at = await page.evaluate(() => {
        const { activeElement } = (
          globalThis as unknown as {
            document: { activeElement: { textContent: string; getAttribute(of: string): string | null } | null }
          }
        ).document
        return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
      })
      if (at.trim() === name) return
      await press('Tab')
    }
    throw new Error(`Nothing called ${name} can be reached`)
  }

  it('signs a member in', async () => {
    const { email } = await aMember(service)
    await page.goto('/sign-in')
    await page.getByLabel('Email').waitFor()
    await page.keyboard.type(email)
    const outline = await page.evaluate(() => {
      const { document, getComputedStyle } = globalThis as unknown as {
        document: { activeElement: unknown }
        getComputedStyle: (of: unknown) => { outlineStyle: string; outlineWidth: string }
      }
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
      return `${outlineWidth} ${outlineStyle}`
    })
    assert.equal(outline, '2px solid')
    await press('Tab')
    await page.keyboard.type(PASSWORD)
    await press('Enter')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  })

  it('builds, undoes, redoes and activates an automation of five steps', async () => {
    await tabTo('Automations')
    await press('Enter')
    await page.getByText('Automations send a series of emails').waitFor()
    await tabTo('New automation')
    await press('Enter')
    await page.locator('button[aria-pressed=true]:focus').waitFor()
    await press('Enter')
    await page.getByLabel('Name', { exact: true }).waitFor()
    await tabTo('Name')
    await press('Control+A')
    await page.keyboard.type('By keyboard')
    const steps = page.getByTestId('step')
    const write = async (subject: string, count: number) => {
      await press('Escape', 'e')
      await steps.nth(count - 1).waitFor()
      await page.keyboard.type(subject)
      await press('Tab')
      await page.keyboard.type('Good to have you here.')
    }
    const waitDays = async (days: string, count: number) => {
      await press('Escape', 'w')
      await steps.nth(count - 1).waitFor()
      await page.keyboard.type(days)
    }
    await page.evaluate(() =>
      (globalThis as unknown as { document: { activeElement: { blur(): void } } }).document.activeElement.blur(),
    )
    await write('First', 1)
    await waitDays('3', 2)
    await write('Second', 3)
    await waitDays('1', 4)
    await write('Third', 5)
    await press('Escape', 'd')
    assert.equal(await steps.count(), 6)
    await press('Delete')
    assert.equal(await steps.count(), 5)
    await press('ArrowUp', 'ArrowUp', 'Alt+ArrowUp')
    await press('Control+z', 'Control+z', 'Control+z')
    assert.equal(await steps.count(), 5)
    await page.getByText('Draft saved').waitFor()
    await tabTo('Activate')
    await press('Enter')
    await page.getByText('Automation activated.').waitFor()
    const [{ id, name }] = (await service.call('GET', 'automations')).body.data
    assert.equal(name, 'By keyboard')
    const { body } = await service.call('GET', `automations/${id}`)
    assert.deepEqual(
      body.data.steps.map(
        ({ subject, delayMinutes }: { subject?: string; delayMinutes: number }) => subject ?? delayMinutes / 1_440,
      ),
      ['First', 3, 'Second', 1, 'Third'],
    )
  })

  it('gives a step the focus only when it is added', async () => {
    const steps = page.getByTestId('step')
    const before = await steps.count()
    await press('Escape', 'e')
    await steps.nth(before).waitFor()
    await page.keyboard.type('New')
    await press('Escape', 'ArrowUp', 'ArrowDown')
    // In a field, this would be a letter.
    await press('d')
    await steps.nth(before + 1).waitFor()
    await press('Delete', 'Control+z', 'Control+z', 'Control+z')
  })

  it('gives the title of the next page the focus if nothing else has it', async () => {
    await press('Escape', 'g', 'h')
    await page.locator('h1:focus').getByText('Home').waitFor()
  })

  it('opens pages by name and by shortcut', async () => {
    await press('Control+k')
    await page.locator('[aria-label="Search or jump to"]:focus').waitFor()
    await page.keyboard.type('Audit')
    await press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await page.getByText('Create automation').waitFor()
  })

  it('opens a contact by the beginning of the address', async () => {
    const email = `grace-${process.pid}@example.com`
    await aContact(service, { email, firstName: 'Grace' })
    // The search clears its text after it has closed.
    await page.getByLabel('Search or jump to').waitFor({ state: 'detached' })
    await press('Control+k')
    await page.locator('[aria-label="Search or jump to"]:focus').waitFor()
    await page.keyboard.type(email.slice(0, -6))
    await page.getByRole('button', { name: email }).waitFor()
    await press('Enter')
    await page.getByRole('heading', { name: 'Grace', level: 1 }).waitFor()
  })
})
