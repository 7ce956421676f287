import assert from 'node:assert/strict'
import { onDashboard } from '../support/dashboard.ts'
import { writeEmailByKeys } from '../support/write-email.ts'
import { aContact, anAutomation } from '../support/factories.ts'
import { PASSWORD } from '../support/members.ts'

describe('dashboard by keyboard', () => {
  const d = onDashboard()

  it('signs a member in', async () => {
    await d.page.context().clearCookies()
    await d.page.goto('/sign-in')
    await d.page.getByLabel('Email').waitFor()
    await d.page.keyboard.type(d.owner.email)
    const outline = await d.page.evaluate(
      '(({ outlineStyle, outlineWidth }) => `${outlineWidth} ${outlineStyle}`)(getComputedStyle(document.activeElement))',
    )
    assert.equal(outline, '2px solid')
    await d.keys('Tab')
    await d.page.keyboard.type(PASSWORD)
    await d.keys('Enter')
    await d.isAt('Home')
  })

  it('moves through a list, selects, sorts and opens', async () => {
    for (const name of ['Anna', 'Berta', 'Clara']) await d.create('campaigns', { name, subject: name })
    await d.open('/campaigns')
    await d.row(/Clara/).waitFor()
    const cursor = () => d.page.locator('tr:has(a:focus)').innerText()
    await d.keys('j', 'j')
    assert.match(await cursor(), /Berta/)
    await d.keys('x', 'j', 'Shift+X')
    await d.shows('2 selected')
    await d.keys('k', 'k')
    assert.match(await cursor(), /Clara/)
    await d.tabTo('Campaign')
    await d.keys('Enter', 'Enter')
    assert.match(await d.page.getByRole('row').nth(1).innerText(), /Anna/)
    // The selection stays with its campaigns.
    assert.ok(await d.page.getByLabel('Select Anna').isChecked())
    await d.page.evaluate('document.activeElement.blur()')
    await d.keys('k', 'Enter')
    await d.isAt('Clara', 1)
  })

  it('keeps all keys that are typed after the one that opens the palette', async () => {
    const contactId = await aContact(d.service, { email: 'ada.l@example.com' })
    const release = await d.hold('GET', '**/assets/CommandPalette-*.js')
    await d.open('')
    await d.isAt('Home')
    await d.keys('Control+k')
    await d.page.keyboard.type('ada.n')
    await d.keys('Backspace')
    release()
    await d.page.getByRole('button', { name: 'ada.l@example.com' }).waitFor()
    assert.equal(await d.page.getByLabel('Search or jump to').last().inputValue(), 'ada.')
    await d.page.getByRole('button', { name: 'ada.l@example.com' }).click()
    await d.page.waitForURL(`**/contacts/${contactId}`)
  })

  it('builds, undoes, redoes and activates an automation of five steps', async () => {
    await d.open('')
    await d.isAt('Home')
    await d.tabTo('Automations')
    await d.keys('Enter')
    await d.isAt('Automations', 1)
    await d.tabTo('New automation')
    await d.keys('Enter')
    await d.page.locator('button[aria-pressed=true]:focus').waitFor()
    await d.keys('Enter')
    await d.field('Name').waitFor()
    await d.tabTo('Name')
    await d.keys('Control+A')
    await d.page.keyboard.type('By keyboard')
    const steps = d.page.getByTestId('step')
    const write = async (subject: string, count: number) => {
      await d.keys('Escape', 'e')
      await steps.nth(count - 1).waitFor()
      await d.page.keyboard.type(subject)
      await writeEmailByKeys(d, 'Good to have you here.')
    }
    const waitDays = async (days: string, count: number) => {
      await d.keys('Escape', 'w')
      await steps.nth(count - 1).waitFor()
      await d.page.keyboard.type(days)
    }
    await d.page.evaluate('document.activeElement.blur()')
    await write('First', 1)
    await waitDays('3', 2)
    await write('Second', 3)
    await waitDays('1', 4)
    await write('Third', 5)
    await d.keys('Escape', 'd')
    assert.equal(await steps.count(), 6)
    await d.keys('Delete')
    assert.equal(await steps.count(), 5)
    await d.keys('ArrowUp', 'ArrowUp', 'Alt+ArrowUp', 'Control+z', 'Control+z', 'Control+z')
    assert.equal(await steps.count(), 5)
    await d.shows('Draft saved')
    await d.tabTo('Activate…')
    await d.keys('Enter')
    await d.page.getByRole('dialog').getByRole('button', { name: 'Activate' }).and(d.page.locator(':focus')).waitFor()
    await d.keys('Enter')
    await d.shows('Automation activated.')
    const [{ id, name }] = await d.read('automations')
    assert.equal(name, 'By keyboard')
    const { steps: stored } = (await d.read(`automations/${id}`)) as {
      steps: { subject?: string; delayMinutes: number }[]
    }
    assert.deepEqual(
      stored.map(({ subject, delayMinutes }) => subject ?? delayMinutes / 1_440),
      ['First', 3, 'Second', 1, 'Third'],
    )
  })

  it('gives a step the focus only when it is added', async () => {
    await d.open(`/automations/${await anAutomation(d.service)}`)
    const steps = d.page.getByTestId('step')
    await steps.first().waitFor()
    await d.keys('Escape', 'e')
    await steps.nth(1).waitFor()
    await d.page.keyboard.type('New')
    await d.keys('Escape', 'ArrowUp', 'ArrowDown')
    // In a field, this would be a letter.
    await d.keys('d')
    await steps.nth(2).waitFor()
  })

  it('gives the title of the next page the focus if nothing else has it', async () => {
    await d.open('/contacts')
    await d.isAt('Contacts')
    await d.keys('g', 'h')
    await d.page.locator('h1:focus').getByText('Home').waitFor()
  })

  const search = async (text: string) => {
    await d.open('')
    await d.isLoaded()
    await d.keys('Control+k')
    await d.page.locator('[aria-label="Search or jump to"]:focus').waitFor()
    await d.page.keyboard.type(text)
  }

  it('opens pages by name and by shortcut', async () => {
    await anAutomation(d.service)
    await search('Audit')
    await d.keys('Enter')
    await d.isAt('Audit log')
    await d.shows('Create automation')
  })

  it('opens a contact by the beginning of the address', async () => {
    const email = `grace-${process.pid}@example.com`
    await aContact(d.service, { email, firstName: 'Grace' })
    await search(email.slice(0, -6))
    await d.page.getByRole('button', { name: email }).waitFor()
    await d.keys('Enter')
    await d.isAt('Grace', 1)
  })
})
