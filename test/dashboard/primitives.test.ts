import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { violationsOf } from '../support/axe.ts'
import { onGallery } from '../support/gallery.ts'

describe('dashboard primitives', () => {
  const g = onGallery({ bypassCSP: true })
  const button = (where: Locator, name: string) => where.getByRole('button', { name, exact: true })
  afterEach(() => assert.deepEqual(g.failures, []))

  it('have no axe violations', async () => {
    assert.deepEqual(await violationsOf(g.page), [])
  })

  it('have no axe violations while they are open, selected or wrong', async () => {
    await button(g.section('Confirmation'), 'Delete list…').click()
    await button(g.section('Undo message'), 'Archive one').click()
    await button(g.section('Details beside a list'), 'Show details').click()
    await g.state('Edit').getByLabel('Name').fill('')
    await button(g.state('Edit'), 'Save list').click()
    await g.state('Edit').getByText('Enter a name.').waitFor()
    await g.section('Table').getByRole('checkbox', { name: 'Select all' }).check()
    // Has no end, unlike the time in which the message is shown.
    await g.page.getByRole('status').getByRole('button', { name: 'Undo' }).hover()
    assert.deepEqual(await violationsOf(g.page), [])
  })

  it('mark each step and each check by its state', async () => {
    const markOf = (where: Locator) => where.getByRole('img').getAttribute('aria-label')
    const steps = ['Audience', 'Email', 'Schedule', 'Sender'].map((name) =>
      g.section('Steps').getByRole('region', { name, exact: true }),
    )
    assert.deepEqual(await Promise.all(steps.map(markOf)), ['Passed', 'Problem', 'Warning', 'Passed'])
    await steps[0]!.getByText('412 contacts').waitFor()
    await button(steps[1]!, 'Edit').waitFor()
    const checks = await g.section('Checklist').getByRole('listitem').all()
    assert.deepEqual(await Promise.all(checks.map(markOf)), ['Passed', 'Warning', 'Problem'])
    await button(checks[2]!, 'Add subject').waitFor()
  })

  it('show a rate with its interval, within the scale', async () => {
    const boxOf = async (where: Locator) => (await where.boundingBox())!
    const show = async (title: string) => {
      const range = g.state(title).getByRole('img')
      const [all, interval, point] = await Promise.all([range, range.locator('i'), range.locator('b')].map(boxOf))
      const at = (x: number) => Math.round((100 * (x - all!.x)) / all!.width)
      return {
        text: await range.getAttribute('aria-label'),
        low: at(interval!.x),
        high: at(interval!.x + interval!.width),
        rate: at(point!.x + point!.width / 2),
        part: (await g.state(title).locator('[aria-hidden] > i').getAttribute('style')) ?? '',
      }
    }
    const best = await show('Best')
    assert.equal(best.text, '30.8%, between 25.5% and 36.6%')
    assert.ok(Math.abs(best.low - 51) <= 2 && Math.abs(best.high - 73) <= 2 && Math.abs(best.rate - 62) <= 3)
    assert.match(best.part, /width: 30\.79/)
    const beyond = await show('Beyond the scale')
    assert.deepEqual([beyond.low, beyond.high], [100, 100])
    assert.ok(beyond.rate <= 103)
    const none = await show('No emails')
    assert.equal(none.text, 'No data')
    assert.match(none.part, /width: 0%/)
  })

  it('draw bars by their values, as a list of facts', async () => {
    const chart = (name: string) => g.page.getByRole('list', { name, exact: true })
    const few = chart('Open rate by week')
    const heights = await few
      .locator('i')
      .evaluateAll((bars) => bars.map((bar) => (bar as unknown as { style: { height: string } }).style.height))
    assert.deepEqual(heights, ['0%', '25%', '50%', '75%', '100%', '0%'])
    assert.equal(await few.getByRole('listitem', { name: 'Week 3: 2%, 2 of 100' }).innerText(), '2%\nW3')
    assert.deepEqual(await few.locator('i').last().getAttribute('data-open'), 'true')
    assert.equal(await few.locator('[data-open]').count(), 1)
    assert.equal(await chart('Open rate by day').getByRole('listitem').count(), 60)
    assert.equal(
      await chart('Open rate by day')
        .innerText()
        .then((text) => text.trim()),
      'W1\n4%\nW16\nW31\nW46',
    )
    // Bars of a third each, drawn over 48 of 60 bars, because the others are 0.
    assert.equal(await chart('Opens and clicks').locator('[data-part]').count(), 48)
    assert.match((await chart('Clicks by week').locator('i').last().getAttribute('style'))!, /height: 0%/)
  })

  it('show figures with their counts and how they are measured', async () => {
    const tiles = g.page.getByLabel('Results', { exact: true })
    assert.deepEqual(
      await tiles
        .getByRole('definition')
        .allInnerTexts()
        .then((all) => all.slice(0, 5)),
      ['12,391', '99.8% of 12,420', '42.8%', '5,302 opened', '0'],
    )
    assert.deepEqual(await tiles.getByTitle('Sent minus bounced').getByRole('term').allInnerTexts(), ['Delivered'])
  })

  it('show a status as a word and an icon', async () => {
    const badges = g.section('Statuses').locator('[class*=state]')
    assert.equal(await badges.count(), 21)
    assert.equal(
      await badges
        .filter({ has: g.page.locator('svg') })
        .filter({ hasText: /^\S.+$/ })
        .count(),
      21,
    )
  })

  it('show an error of the API with its ID, and no details of a bug', async () => {
    const errors = g.section('Errors').getByRole('alert')
    assert.deepEqual(
      (await errors.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
      ['The monthly limit is reached. Request ID req_1', 'Something went wrong. Reload the page.'],
    )
  })
})
