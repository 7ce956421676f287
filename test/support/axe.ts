import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Waits until everything has its place and its color. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(
    document.getAnimations().filter((each) => each instanceof CSSTransition).map(({ finished }) => finished),
  ))`
/** The colors do not depend on the width, so each is checked once. */
const LOOKS = [
  { colorScheme: 'light', width: 1_440 },
  { colorScheme: 'dark', width: 390 },
] as const

/** Returns the axe violations of a page in light and dark. The page must not block scripts (`bypassCSP`). */
export async function violationsOf(page: Page): Promise<string[]> {
  const found: string[] = []
  await page.evaluate(AXE)
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate(SETTLED)
    const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
    found.push(...violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html ?? ''}`))
  }
  return found
}
