import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { onGallery } from '../support/gallery.ts'

describe('dashboard actions', () => {
  const g = onGallery()
  const button = (where: Locator, name: string) => where.getByRole('button', { name, exact: true })
  afterEach(() => assert.deepEqual(g.failures, []))

  describe('a confirmation', () => {
    const place = () => g.section('Confirmation')
    const dialog = () => place().getByRole('alertdialog', { name: 'Delete list' })
    const opener = () => button(place(), 'Delete list…')

    it('has the focus on Cancel, and gives it back when it is cancelled', async () => {
      for (const key of ['Escape', 'Enter']) {
        await opener().press('Enter')
        await g.isFocused(button(dialog(), 'Cancel'))
        assert.equal(await opener().isVisible(), false)
        await g.keys(key)
        await dialog().waitFor({ state: 'detached' })
        await g.isFocused(opener())
      }
      assert.deepEqual(await g.requests(place()), [])
    })

    it('acts once, and cannot be closed in the meantime', async () => {
      await opener().click()
      const confirm = button(dialog(), 'Delete list')
      await confirm.dblclick()
      await dialog().getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
      await dialog().dispatchEvent('keydown', { key: 'Escape' })
      assert.deepEqual(await g.requests(place()), ['delete'])
      await g.answer(place(), 'Reject')
      await dialog().getByRole('alert').getByText('The monthly limit is reached.').waitFor()
      await confirm.click()
      await g.answer(place(), 'Succeed')
      await dialog().waitFor({ state: 'detached' })
      assert.deepEqual(await g.requests(place()), ['delete', 'delete'])
      await g.isFocused(opener())
    })
  })

  describe('details beside a list', () => {
    const place = () => g.section('Details beside a list')
    const opener = () => button(place(), 'Show details')
    const panel = () => g.page.getByRole('region', { name: 'Details', exact: true })

    it('take the focus, and give it back when they are closed', async () => {
      for (const close of [() => g.keys('Escape'), () => button(panel(), 'Close').press('Enter')]) {
        await opener().press('Enter')
        await g.isFocused(panel().getByRole('heading', { name: /person-1@example.com/ }))
        await close()
        await panel().waitFor({ state: 'detached' })
        await g.isFocused(opener())
      }
    })

    it('stay open when Escape closes something in them', async () => {
      await opener().click()
      await button(panel(), 'More').click()
      const menu = g.page.getByRole('menu')
      await menu.getByRole('menuitem', { name: 'Copy ID' }).focus()
      await g.keys('Escape')
      await menu.waitFor({ state: 'detached' })
      const options = g.page.getByRole('listbox')
      await panel().getByRole('combobox', { name: 'Status' }).click()
      await options.waitFor()
      await g.keys('Escape')
      await options.waitFor({ state: 'detached' })
      assert.equal(await panel().count(), 1)
      await g.keys('Escape')
      await panel().waitFor({ state: 'detached' })
    })
  })

  describe('a drop zone', () => {
    const zone = () => g.page.getByTestId('zone')
    const files = (where: Locator) => where.getByLabel('Files').innerText()
    const hint = () => g.page.getByText('Drop to upload to Media')
    /** Dispatches an event with a file, or with text. @returns whether the zone took it */
    const drag = (where: Locator, type: string, has: 'file' | 'text' = 'file') =>
      where.evaluate(
        (at, [kind, content]) => {
          const { DataTransfer, File, DragEvent, ClipboardEvent } = globalThis as never as Record<
            string,
            new (...given: unknown[]) => unknown
          >
          const data = new DataTransfer!() as { items: { add: (...given: unknown[]) => void } }
          if (content === 'file') data.items.add(new File!(['text'], `${kind}.txt`))
          else data.items.add('text', 'text/plain')
          const event = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }
          const target = at as unknown as { dispatchEvent: (event: unknown) => boolean }
          return !target.dispatchEvent(new (kind === 'paste' ? ClipboardEvent! : DragEvent!)(kind, event))
        },
        [type, has] as const,
      )

    it('takes dropped and pasted files, and shows what happens to one that is over it', async () => {
      assert.equal(await drag(zone(), 'dragover'), true)
      await hint().waitFor()
      await drag(zone(), 'dragleave')
      await hint().waitFor({ state: 'detached' })
      await drag(zone(), 'dragover')
      assert.equal(await drag(zone(), 'drop'), true)
      await hint().waitFor({ state: 'detached' })
      assert.equal(await drag(zone(), 'paste'), true)
      assert.equal(await files(zone()), 'drop.txt, paste.txt')
    })

    it('leaves text to the browser', async () => {
      for (const type of ['dragover', 'drop', 'paste']) assert.equal(await drag(zone(), type, 'text'), false)
      assert.equal(await hint().count(), 0)
      assert.equal(await files(zone()), '')
    })

    it('takes nothing from a member who may not upload', async () => {
      const none = g.page.getByTestId('no zone')
      for (const type of ['dragover', 'drop', 'paste']) assert.equal(await drag(none, type), false)
      assert.equal(await hint().count(), 0)
      assert.equal(await files(none), '')
      assert.equal(await none.getByRole('button').count(), 0)
    })

    it('takes a chosen file, and the same one again', async () => {
      for (const names of ['chosen.txt', 'chosen.txt, chosen.txt']) {
        const [chooser] = await Promise.all([g.page.waitForEvent('filechooser'), button(zone(), 'Upload').click()])
        await chooser.setFiles({ name: 'chosen.txt', mimeType: 'text/plain', buffer: Buffer.from('text') })
        await eventually(`the files are ${names}`, async () => (await files(zone())) === names || undefined)
      }
    })
  })
})

describe('dashboard actions that can be undone', () => {
  const g = onGallery({ hasClock: true })
  const button = (where: Locator, name: string) => where.getByRole('button', { name, exact: true })
  const after = (ms: number) => g.page.clock.runFor(ms)
  beforeEach(() => g.page.clock.pauseAt('2026-11-30T12:00:00Z'))
  afterEach(() => assert.deepEqual(g.failures, []))

  describe('an undo message', () => {
    const place = () => g.section('Undo message')
    const toast = (text: string) => g.page.getByRole('status').filter({ hasText: text })
    const show = async (name: string) => {
      await button(place(), name).press('Enter')
      await after(500)
    }

    it('undoes the change, and leaves the focus where it is', async () => {
      await show('Archive one')
      await g.isFocused(button(place(), 'Archive one'))
      await button(toast('Archived 1 list.'), 'Undo').dblclick()
      assert.deepEqual(await g.requests(place()), ['restore 1'])
      await g.answer(place(), 'Reject')
      await g.page.getByRole('alert').filter({ hasText: 'The monthly limit is reached.' }).last().waitFor()
      await after(1_000)
      await toast('Archived 1 list.').waitFor({ state: 'detached' })
    })

    it('disappears after ten seconds', async () => {
      await show('Archive one')
      await after(9_000)
      await toast('Archived 1 list.').waitFor()
      await after(1_500)
      await toast('Archived 1 list.').waitFor({ state: 'detached' })
    })

    it('replaces the one before, and has ten seconds of its own', async () => {
      await show('Archive one')
      await after(7_000)
      await show('Archive two')
      await toast('Archived 1 list.').waitFor({ state: 'detached' })
      await after(7_000)
      assert.equal(await toast('Archived 2 lists.').count(), 1)
      await after(3_500)
      await toast('Archived 2 lists.').waitFor({ state: 'detached' })
    })

    it('stays while it is hovered or focused', async () => {
      await show('Archive one')
      const undo = button(toast('Archived 1 list.'), 'Undo')
      await undo.focus()
      await after(20_000)
      assert.equal(await undo.count(), 1)
      await button(place(), 'Archive one').focus()
      await after(9_000)
      await undo.hover()
      await after(20_000)
      assert.equal(await undo.count(), 1)
      await button(place(), 'Archive one').hover()
      await after(11_000)
      await undo.waitFor({ state: 'detached' })
    })
  })

  it('undo and redo changes, of which consecutive letters are one', async () => {
    const place = g.section('Steps that can be undone')
    const press = (...names: string[]) =>
      names.reduce((last, name) => last.then(() => button(place, name).click()), after(0))
    const has = async (text: string) => assert.equal(await place.getByLabel('Text').innerText(), text)
    assert.ok(await button(place, 'Undo').isDisabled())
    await press('Type a letter', 'Type a letter')
    await after(1_100)
    await press('Type a letter', 'Insert an image', 'Insert an image', 'Change nothing')
    await has('aaa[image][image]')
    await press('Undo')
    await has('aaa[image]')
    await press('Undo', 'Undo')
    await has('aa')
    await press('Redo', 'Redo')
    await has('aaa[image]')
    await press('Undo', 'Type a letter')
    await has('aaaa')
    assert.ok(await button(place, 'Redo').isDisabled())
    await press('Undo', 'Undo', 'Undo')
    await has('')
    assert.ok(await button(place, 'Undo').isDisabled())
    await press('Redo', 'Start over')
    await has('')
    assert.ok((await button(place, 'Undo').isDisabled()) && (await button(place, 'Redo').isDisabled()))
  })
})
