import { eventually } from './eventually.ts'
import type { Dashboard } from './dashboard.ts'

/** Designs the selected email of the builder: one block of text. */
export async function writeEmail(d: Pick<Dashboard, 'press' | 'page' | 'button'>, text: string): Promise<void> {
  await d.press('Edit email', 'Add block to the email')
  await d.page.getByRole('menuitem', { name: 'Text', exact: true }).click()
  await d.page.locator('.ProseMirror:focus').waitFor()
  await d.page.keyboard.type(text)
  await d.press('Done')
  await d.button('Edit email').waitFor()
}

/** The smallest GIF. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Writes into the first text of the open canvas, and uploads an image below it. */
export async function writeWithImage(
  d: Pick<Dashboard, 'press' | 'page' | 'keys'>,
  { text, alt }: { text: string; alt: string },
): Promise<void> {
  await d.page.getByRole('listitem', { name: 'Text 1' }).click()
  await d.page.locator('.ProseMirror:focus').waitFor()
  await d.page.keyboard.type(`${text} /image`)
  await d.page.getByRole('option', { name: 'Image', exact: true }).waitFor()
  await d.keys('Enter')
  await d.press('Choose image…')
  const file = { name: 'box.gif', mimeType: 'image/gif', buffer: IMAGE }
  await d.page.locator('input[type=file]').setInputFiles(file)
  await d.page.getByRole('dialog', { name: 'Insert image' }).getByLabel('Alt text').fill(alt)
  await d.press('Insert image')
}

/** Designs the selected email of the builder by keyboard, beginning at its subject. */
export async function writeEmailByKeys(d: Pick<Dashboard, 'keys' | 'tabTo' | 'page' | 'button'>, text: string) {
  await d.tabTo('Edit email')
  await d.keys('Enter')
  await d.button('Add block to the email').waitFor()
  await d.tabTo('Add block to the email')
  await d.keys('Enter')
  const focused = d.page.locator('[role=menuitem]:focus')
  await d.page.getByRole('menu', { name: 'Add block to the email' }).waitFor()
  // The first item is Text. The menu takes keys once it has the focus.
  await eventually('the first item has the focus', async () => {
    if ((await focused.count()) === 0) await d.keys('ArrowDown')
    return (await focused.count()) === 1 || undefined
  })
  await d.keys('Enter')
  await d.page.locator('[contenteditable=true]:focus').waitFor()
  await d.page.keyboard.type(text)
  await d.tabTo('Done')
  await d.keys('Enter')
  await d.button('Edit email').waitFor()
}
