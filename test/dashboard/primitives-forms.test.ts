import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { onGallery } from '../support/gallery.ts'

interface InBrowser {
  getComputedStyle(element: unknown): { borderTopColor: string }
}

describe('dashboard form primitives', () => {
  const g = onGallery()
  afterEach(() => assert.deepEqual(g.failures, []))

  describe('an edit form', () => {
    const place = () => g.state('Edit')
    const form = () => g.page.getByRole('form', { name: 'Edit list' })
    const field = (label: string) => form().getByLabel(label, { exact: true })
    const save = () => form().getByRole('button', { name: 'Save list' })
    const done = (times: number) => place().getByLabel('Done').getByText(String(times), { exact: true }).waitFor()
    const press = (name: string) => g.page.getByRole('button', { name, exact: true }).click()
    const isWrong = (label: string, isIt = true) =>
      field(label)
        .and(g.page.locator(isIt ? '[aria-invalid=true]' : ':not([aria-invalid=true])'))
        .waitFor()

    const hasValue = (label: string, value: string) =>
      eventually(`${label} is ${value}`, async () => (await field(label).inputValue()) === value || undefined)

    it('sends the changed fields once, and takes no input in the meantime', async () => {
      await field('Name').fill('Product news')
      await save().dblclick()
      await field('Name').and(g.page.locator(':disabled')).waitFor()
      assert.ok(await save().isDisabled())
      assert.deepEqual(await g.requests(place()), [{ name: 'Product news' }])
      await g.answer(place(), 'Succeed')
      await done(1)
      await field('Name').and(g.page.locator(':enabled')).waitFor()
      assert.equal((await g.requests(place())).length, 1)
    })

    it('sends nothing without changes', async () => {
      await save().click()
      await done(1)
      await field('Name').fill('Other')
      await field('Name').fill('Newsletter')
      await save().click()
      await done(2)
      assert.deepEqual(await g.requests(place()), [])
    })

    it('shows an error of the API at its field until it is edited', async () => {
      await field('Name').fill('Taken')
      await save().click()
      await g.answer(place(), 'Reject the name')
      await isWrong('Name')
      await g.isFocused(field('Name'))
      await form().getByText('This is already taken.').waitFor()
      assert.equal(await form().getByText('Request ID').count(), 0)
      await g.keys('End', '2')
      await isWrong('Name', false)
      await form().getByText('This is already taken.').waitFor({ state: 'detached' })
      await save().click()
      await g.answer(place(), 'Reject the name')
      await isWrong('Name')
      // Another field may be at fault.
      await field('Note').fill('Monthly')
      await isWrong('Name', false)
      await save().click()
      await g.answer(place(), 'Succeed')
      await done(1)
      const sent = [{ name: 'Taken' }, { name: 'Taken2' }, { name: 'Taken2', note: 'Monthly' }]
      assert.deepEqual(await g.requests(place()), sent)
    })

    it('focuses the wrong field even if a frame is due before the fields are enabled', async () => {
      await g.page.evaluate('requestAnimationFrame = (run) => setTimeout(() => run(performance.now()))')
      await field('Name').fill('Taken')
      await save().click()
      await g.answer(place(), 'Reject the name')
      await isWrong('Name')
      await g.isFocused(field('Name'))
    })

    it('sends a rejected value again, because the reason may be gone', async () => {
      await field('Name').fill('Taken')
      for (const n of [1, 2]) {
        await save().click()
        await field('Name').and(g.page.locator(':disabled')).waitFor()
        assert.equal((await g.requests(place())).length, n)
        await g.answer(place(), 'Reject the name')
        await isWrong('Name')
        await g.isFocused(field('Name'))
      }
    })

    it('shows an error of no field above the fields until a field is edited', async () => {
      await field('Note').fill('Monthly')
      await save().click()
      await g.answer(place(), 'Reject')
      const banner = form().getByRole('alert').filter({ hasText: 'The monthly limit is reached.' })
      await banner.getByText('req_1').waitFor()
      assert.equal(await field('Note').inputValue(), 'Monthly')
      await field('Name').fill('Another')
      await banner.waitFor({ state: 'detached' })
    })

    it('is not sent while a field is wrong, and focuses it', async () => {
      await field('Name').fill(' ')
      await field('Note').fill('Buy now!')
      await save().click()
      await form().getByText('Enter a name.').waitFor()
      await form().getByText('Remove the exclamation mark.').waitFor()
      await g.isFocused(field('Name'))
      await field('Name').fill('News')
      await field('Note').fill('')
      await field('Emails per day').fill('25')
      await form().getByText('Enter a whole number from 1 to 24.').waitFor()
      await save().click()
      await g.isFocused(field('Emails per day'))
      assert.deepEqual(await g.requests(place()), [])
      await field('Emails per day').fill('24')
      await save().click()
      await field('Name').and(g.page.locator(':disabled')).waitFor()
      assert.deepEqual(await g.requests(place()), [{ name: 'News', perDay: 24 }])
    })

    it('follows changes of others, except in fields that the user changed', async () => {
      await field('Name').fill('Mine')
      await press('Save as another member')
      await hasValue('Note', 'Note of another member')
      assert.equal(await field('Name').inputValue(), 'Mine')
      await save().click()
      await field('Name').and(g.page.locator(':disabled')).waitFor()
      assert.deepEqual(await g.requests(place()), [{ name: 'Mine' }])
      await g.answer(place(), 'Succeed')
      await done(1)
      await press('Save as another member')
      await hasValue('Name', 'Mine of another member')
    })

    it('keeps an error while it follows changes of others', async () => {
      await field('Name').fill('Taken')
      await save().click()
      await g.answer(place(), 'Reject the name')
      await isWrong('Name')
      await press('Save as another member')
      await hasValue('Note', 'Note of another member')
      await isWrong('Name')
      await form().getByText('This is already taken.').waitFor()
    })

    it('asks before a user leaves it with changes', async () => {
      await field('Name').fill('Mine')
      await press('Leave the page')
      const dialog = g.page.getByRole('dialog', { name: 'Unsaved changes' })
      await dialog.getByRole('button', { name: 'Stay' }).click()
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await field('Name').inputValue(), 'Mine')
      await press('Leave the page')
      await dialog.getByRole('button', { name: 'Discard changes' }).click()
      await g.page.getByRole('heading', { name: 'Another page' }).waitFor()
    })

    it('does not ask a user who leaves it without changes', async () => {
      await field('Name').fill('Mine')
      await field('Name').fill('Newsletter')
      await press('Leave the page')
      await g.page.getByRole('heading', { name: 'Another page' }).waitFor()
    })
  })

  describe('a form that a button opens', () => {
    const place = () => g.state('Opened by a button')
    const form = () => g.page.getByRole('form', { name: 'New list' })
    const opener = () => place().getByRole('button', { name: 'New list' })

    it('gives the focus back when it is cancelled', async () => {
      await opener().click()
      await form().getByRole('button', { name: 'Cancel' }).press('Enter')
      await form().waitFor({ state: 'detached' })
      await g.isFocused(opener())
    })

    it('is sent once, and gives the focus back when it is done', async () => {
      await opener().click()
      const name = form().getByLabel('Name')
      await name.fill('News')
      await g.keys('Enter', 'Enter')
      await form().getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
      assert.deepEqual(await g.requests(place()), [{ name: 'News' }])
      await g.answer(place(), 'Succeed')
      await form().waitFor({ state: 'detached' })
      await g.isFocused(opener())
    })
  })

  it('look and are read-only for a member who may not change them', async () => {
    const form = g.page.getByRole('form', { name: 'Read list' })
    const name = form.getByLabel('Name', { exact: true })
    const borderOf = (field: Locator) =>
      field.evaluate((at) => (globalThis as unknown as InBrowser).getComputedStyle(at).borderTopColor)
    assert.equal(await name.isEditable(), false)
    assert.equal(await form.getByLabel('Emails per day').isEditable(), false)
    assert.equal(await form.getByLabel('Public').isDisabled(), true)
    assert.equal(await form.getByRole('button').count(), 0)
    // Its text can still be selected and copied.
    await name.focus()
    await g.isFocused(name)
    await g.keys('x', 'Enter')
    assert.equal(await name.inputValue(), 'Newsletter')
    assert.equal(await borderOf(name), 'rgba(0, 0, 0, 0)')
    const editable = g.page.getByRole('form', { name: 'Edit list' }).getByLabel('Name', { exact: true })
    assert.notEqual(await borderOf(editable), 'rgba(0, 0, 0, 0)')
  })
})

describe('dashboard drafts that save themselves', () => {
  const g = onGallery({ hasClock: true })
  const place = () => g.state('Draft')
  const field = () => place().getByLabel('Subject')
  const shows = (text: string | RegExp) => place().getByRole('status').getByText(text).first().waitFor()
  const after = (ms: number) => g.page.clock.runFor(ms)
  /** Waits until the last of these requests is sent. @returns all of them */
  const sent = (many: number) =>
    eventually(`${many} requests are sent`, async () => {
      const all = await g.requests(place())
      return all.length >= many ? all : undefined
    })
  beforeEach(() => g.page.clock.pauseAt('2026-11-30T12:00:00Z'))
  afterEach(() => assert.deepEqual(g.failures, []))

  it('are saved once, after a pause', async () => {
    for (const text of ['Hello a', 'Hello ab', 'Hello abc']) {
      await field().fill(text)
      await shows('Saving…')
      await after(700)
    }
    assert.deepEqual(await g.requests(place()), [])
    await after(200)
    assert.deepEqual(await sent(1), ['Hello abc'])
    await g.answer(place(), 'Succeed')
    await shows(/^Saved \d\d:\d\d$/)
    await after(60_000)
    assert.equal((await g.requests(place())).length, 1)
  })

  it('save what changes during a request after it', async () => {
    await field().fill('one')
    await after(900)
    await sent(1)
    await field().fill('two')
    await after(10_000)
    assert.deepEqual(await g.requests(place()), ['one'])
    await g.answer(place(), 'Succeed')
    assert.deepEqual(await sent(2), ['one', 'two'])
    await g.answer(place(), 'Succeed')
    await shows(/^Saved/)
  })

  it('send one request at a time, even if two callers want them saved', async () => {
    const saveTwice = () => place().getByRole('button', { name: 'Save now, twice' }).click()
    await field().fill('one')
    await saveTwice()
    assert.deepEqual(await sent(1), ['one'])
    await g.answer(place(), 'Succeed')
    await shows(/^Saved/)
    await field().fill('two')
    await after(900)
    await sent(2)
    // Both wait for the request that is under way, and find that there is nothing left to save.
    await saveTwice()
    await g.answer(place(), 'Succeed')
    await shows(/^Saved/)
    await after(900)
    assert.deepEqual(await g.requests(place()), ['one', 'two'])
  })

  it('show a rejected save until the user tries again', async () => {
    await field().fill('one')
    await after(900)
    await sent(1)
    await g.answer(place(), 'Reject')
    await shows('Not saved.')
    await after(60_000)
    assert.equal((await g.requests(place())).length, 1)
    assert.equal(await field().inputValue(), 'one')
    await place().getByRole('button', { name: 'Retry' }).click()
    await shows('Saving…')
    await g.answer(place(), 'Succeed')
    await shows(/^Saved/)
    assert.deepEqual(await g.requests(place()), ['one', 'one'])
  })

  it('repeat a save without a response', async () => {
    await field().fill('one')
    await after(900)
    for (const many of [1, 2]) {
      await sent(many)
      await g.answer(place(), 'Lose the response')
      await shows('Not saved.')
      await after(4_000)
      assert.equal((await g.requests(place())).length, many)
      await after(1_100)
    }
    assert.deepEqual(await sent(3), ['one', 'one', 'one'])
  })
})
