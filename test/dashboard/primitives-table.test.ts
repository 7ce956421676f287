import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { onGallery } from '../support/gallery.ts'

describe('dashboard tables', () => {
  const g = onGallery()
  const list = () => g.section('Table')
  const row = (name: string) => list().getByRole('row', { name })
  const box = (name: string) => list().getByRole('checkbox', { name: `Select ${name}`, exact: true })
  const button = (name: string, where: Locator = list()) => where.getByRole('button', { name, exact: true })
  const namesIn = (where: Locator) => where.getByRole('row').getByRole('link').allInnerTexts()
  const heads = () => list().getByRole('columnheader').allInnerTexts()
  const archived = async () => {
    await button('Archive').click()
    return list().getByLabel('Archived').innerText()
  }
  const shows = (text: string, where: Locator = list()) => where.getByText(text, { exact: true }).waitFor()
  /** Returns the part of the URL that a row's link changes. */
  const opened = () => new URL(g.page.url()).hash
  afterEach(() => assert.deepEqual(g.failures, []))

  it('sort by a column, in both directions', async () => {
    const name = list().getByRole('columnheader', { name: 'Name' })
    const figure = list().getByRole('columnheader', { name: 'Opened' })
    assert.deepEqual(await namesIn(list()), ['Frances 6', 'Barbara 4', 'Grace 2', 'Donald 5', 'Edward 3', 'Ada 1'])
    assert.equal(await figure.getAttribute('aria-sort'), 'descending')
    await button('Opened').click()
    assert.equal(await figure.getAttribute('aria-sort'), 'ascending')
    assert.deepEqual(await namesIn(list()), ['Ada 1', 'Edward 3', 'Donald 5', 'Grace 2', 'Barbara 4', 'Frances 6'])
    await button('Name').click()
    await button('Name').click()
    assert.equal(await name.getAttribute('aria-sort'), 'ascending')
    assert.equal(await figure.getAttribute('aria-sort'), 'none')
    assert.deepEqual(await namesIn(list()), ['Ada 1', 'Barbara 4', 'Donald 5', 'Edward 3', 'Frances 6', 'Grace 2'])
    assert.equal(await list().getByRole('columnheader', { name: 'Email' }).getByRole('button').count(), 0)
  })

  it('select all rows and none, and give the selected ones to an action', async () => {
    const all = list().getByRole('checkbox', { name: 'Select all' })
    await box('Grace 2').check()
    await shows('1 selected')
    assert.equal(await all.evaluate((at) => (at as unknown as { indeterminate: boolean }).indeterminate), true)
    await all.check()
    await shows('6 selected')
    assert.equal(await row('Ada 1').getAttribute('data-selected'), 'true')
    await all.uncheck()
    await list().getByRole('toolbar').waitFor({ state: 'detached' })
    await box('Ada 1').check()
    await box('Barbara 4').check()
    assert.equal(await archived(), 'Barbara 4, Ada 1')
    assert.equal(await list().getByRole('checkbox', { checked: true }).count(), 0)
    await all.check()
    await button('Clear').click()
    assert.equal(await list().getByRole('checkbox', { checked: true }).count(), 0)
  })

  it('select and clear a range with Shift', async () => {
    await box('Barbara 4').click()
    await box('Donald 5').click({ modifiers: ['Shift'] })
    await shows('3 selected')
    await box('Barbara 4').click({ modifiers: ['Shift'] })
    await list().getByRole('toolbar').waitFor({ state: 'detached' })
  })

  it('select a range from the row selected before, wherever sorting moves it', async () => {
    await box('Ada 1').click()
    await button('Opened').click()
    await box('Donald 5').click({ modifiers: ['Shift'] })
    assert.equal(await archived(), 'Ada 1, Edward 3, Donald 5')
    // Nothing is selected any more, so there is no row to begin at.
    await box('Grace 2').click({ modifiers: ['Shift'] })
    assert.equal(await archived(), 'Grace 2')
  })

  it('keep the selection while sorting, and forget rows that another view hides', async () => {
    await box('Ada 1').check()
    await box('Barbara 4').check()
    await button('Name').click()
    await shows('2 selected')
    await button('Active 3').click()
    await shows('1 selected')
    await button('All 12').click()
    assert.equal(await archived(), 'Ada 1')
  })

  it('keep what is selected on other pages until the filter changes', async () => {
    const paged = g.state('With pages')
    const select = (name: string) => paged.getByRole('checkbox', { name, exact: true })
    const all = select('Select all')
    await select('Select Grace 2').check()
    await button('Next', paged).click()
    await shows('1 selected, 1 on other pages', paged)
    assert.equal(await all.isChecked(), false)
    await all.check()
    await shows('7 selected, 1 on other pages', paged)
    await select('Select Ada 7').uncheck()
    await button('Previous', paged).click()
    await shows('6 selected, 5 on other pages', paged)
    assert.equal(await select('Select Grace 2').isChecked(), true)
    assert.equal(await select('Select Ada 1').isChecked(), false)
    await button('Name them', paged).click()
    // The rows of other pages come first.
    assert.match(await paged.getByLabel('Named').innerText(), /^\w+ 8, \w+ 9, \w+ 10, \w+ 11, \w+ 12, Grace 2$/)
    await button('Another filter', paged).click()
    await paged.getByRole('toolbar').waitFor({ state: 'detached' })
    await button('All of them', paged).click()
    assert.equal(await paged.getByRole('checkbox', { checked: true }).count(), 0)
  })

  it('open a record with a click anywhere in its row, except where it is selected', async () => {
    await row('Ada 1').getByText('person-1@example.com').click()
    assert.equal(opened(), '#person-1')
    const cell = row('Donald 5').getByRole('cell').first()
    const { width, height } = (await cell.boundingBox())!
    await cell.click({ position: { x: width - 2, y: height - 2 } })
    assert.equal(opened(), '#person-1')
    // Playwright misses a tab whose document arrives before it listens, so this reads the click that opens it.
    await g.page.evaluate(`window.addEventListener('click', ({ target, ctrlKey, metaKey, defaultPrevented }) => {
      if (target.matches('a')) window.clicked = { hash: target.hash, hasKey: ctrlKey || metaKey, defaultPrevented }
    })`)
    await row('Grace 2')
      .getByText('person-2@example.com')
      .click({ modifiers: ['ControlOrMeta'] })
    const clicked = await g.page.evaluate('window.clicked')
    assert.deepEqual(clicked, { hash: '#person-2', hasKey: true, defaultPrevented: false })
    assert.equal(opened(), '#person-1')
    assert.equal(await row('Grace 2').getAttribute('aria-current'), 'true')
  })

  it('move, open and select with J, K, Enter and X', async () => {
    const link = (name: string) => list().getByRole('link', { name, exact: true })
    await g.keys('j')
    await g.isFocused(link('Frances 6'))
    await g.keys('j', 'j', 'k')
    await g.isFocused(link('Barbara 4'))
    await g.keys('x', 'j', 'j', 'Shift+X')
    await shows('3 selected')
    await g.keys('Enter')
    await g.page.waitForURL('**#person-5')
    assert.equal(opened(), '#person-5')
    await g.keys('k', 'k', 'k', 'k')
    await g.isFocused(link('Frances 6'))
    assert.equal(await list().locator('kbd').allInnerTexts().then(String), '')
    await button('Clear').click()
    assert.equal(await list().locator('kbd').allInnerTexts().then(String), 'J K,Enter,X,N')
  })

  it('show views with counts, and the one that is shown', async () => {
    assert.equal(await button('All 12').getAttribute('aria-pressed'), 'true')
    await shows('12 people')
    await button('None 0').click()
    await shows('No people match this view.')
    assert.equal(await button('None 0').getAttribute('aria-pressed'), 'true')
    assert.equal(await button('All 12').getAttribute('aria-pressed'), 'false')
    assert.equal(await list().getByRole('table').count(), 0)
  })

  it('hide and show columns, which keep their order', async () => {
    const choice = (name: string) => g.page.getByRole('menuitemcheckbox', { name })
    await button('Columns').click()
    for (const name of ['Email', 'Opened', 'Email']) await choice(name).click()
    assert.equal(await choice('Opened').getAttribute('aria-checked'), 'false')
    assert.equal(await choice('Email').getAttribute('aria-checked'), 'true')
    await g.keys('Escape')
    await choice('Email').waitFor({ state: 'detached' })
    assert.deepEqual(await heads(), ['', 'Name', 'Email', 'Created'])
    await g.isFocused(button('Columns'))
  })

  it('turn pages, and stop at the first and the last one', async () => {
    await shows('Page 1 of 2')
    assert.ok(await button('Previous').isDisabled())
    await button('Next').click()
    await shows('Page 2 of 2')
    await row('Ada 7').waitFor()
    assert.ok(await button('Next').isDisabled())
    await button('Previous').click()
    await row('Ada 1').waitFor()
    await button('Active 3').click()
    await button('Previous').waitFor({ state: 'detached' })
  })

  it('show a time with the full date, in UTC too', async () => {
    const time = row('Ada 1').getByRole('time')
    assert.equal(await time.getAttribute('datetime'), '2026-11-01T09:00:00.000Z')
    await time.hover()
    await g.page.getByRole('tooltip', { name: /UTC/ }).waitFor()
  })

  it('show details and a total without a link of their own', async () => {
    const table = g.page.getByRole('table', { name: 'People with details' })
    await button('Details of Grace 2', table).click()
    const details = table.getByRole('row', { name: 'Joined by an import.' })
    const { width, height } = (await details.boundingBox())!
    await details.click({ position: { x: width / 2, y: height / 2 } })
    assert.equal(opened(), '')
    assert.deepEqual(await table.getByRole('row').last().getByRole('cell').allInnerTexts(), ['Total', '15', ''])
    assert.equal(await table.getByRole('columnheader', { name: 'Actions' }).count(), 1)
  })

  it('show why they have no rows, and try again if that may help', async () => {
    const failed = g.state('Failed, and may work later')
    await shows('Can’t reach the server. Retrying automatically.', failed)
    await button('Try again', failed).click()
    await failed.getByRole('row', { name: 'Ada 1' }).waitFor()
    await failed.getByRole('alert').waitFor({ state: 'detached' })
    const gone = g.state('Failed for good')
    await shows('This list does not exist.', gone)
    await shows('req_2', gone)
    assert.equal(await gone.getByRole('button').count(), 0)
    await g.state('Loading').getByRole('status', { name: 'Loading' }).waitFor()
    assert.equal(await g.state('Loading').getByRole('table').count(), 0)
    const empty = g.state('Empty')
    await empty.getByRole('heading', { name: 'People' }).waitFor()
    assert.deepEqual(await empty.getByRole('button').allInnerTexts(), ['New person'])
  })

  it('keep old rows if a refresh fails', async () => {
    const old = g.state('Failed to refresh')
    await button('Try again', old).waitFor()
    await old.getByRole('row', { name: 'Ada 1' }).waitFor()
  })

  it('have two lines a row on a phone, and fit any width', async () => {
    const isTooWide = () => g.page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    assert.equal(await isTooWide(), false)
    await g.page.setViewportSize({ width: 390, height: 900 })
    assert.equal(await isTooWide(), false)
    const places = async (name: string, ...texts: string[]) =>
      Promise.all(texts.map(async (text) => (await row(name).getByText(text, { exact: true }).boundingBox())!))
    const [title, about, figure] = await places('Grace 2', 'Grace 2', 'person-2@example.com', '7')
    assert.ok(title!.y + title!.height <= about!.y)
    assert.ok(about!.x + about!.width <= figure!.x && Math.abs(about!.y - figure!.y) < 4)
    assert.equal(await row('Grace 2').getByRole('time').isVisible(), false)
    // The head is only for screen readers there.
    await list().getByRole('columnheader', { name: 'Opened' }).waitFor({ state: 'attached' })
    const inHeads = g.page.locator('thead').locator('button, input, a, [tabindex]')
    assert.equal(await inHeads.count(), 0)
    const retry = button('Try again', g.state('Failed to refresh'))
    const isCut = (at: unknown) => {
      const { scrollWidth, clientWidth } = at as { scrollWidth: number; clientWidth: number }
      return scrollWidth > clientWidth
    }
    assert.equal(await retry.locator('.mantine-Button-label').evaluate(isCut), false)
    await box('Grace 2').check()
    const bar = (await list().getByRole('toolbar').boundingBox())!
    assert.deepEqual([bar.x, bar.width, bar.y + bar.height], [0, 390, 900])
    await button('Select all').click()
    await shows('6 selected')
  })
})
