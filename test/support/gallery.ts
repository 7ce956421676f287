import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { askMainProcess } from './main-process.ts'

const ROOT = fileURLToPath(new URL('../../dashboard/', import.meta.url))
/** The test answers its requests itself. Browsers trust this name, as they trust a site with HTTPS. */
const ORIGIN = 'http://localhost'

let built: Promise<string> | undefined

/** Builds the gallery of primitives into a temporary folder, once for all test processes. @returns the folder */
export const buildGallery = (): Promise<string> =>
  (built ??= mkdtemp(join(tmpdir(), 'gallery-')).then(async (outDir) => {
    // Only when needed, because every test process loads this module.
    const { build } = await import('vite')
    await build({
      root: ROOT,
      configFile: join(ROOT, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir, minify: false, rolldownOptions: { input: join(ROOT, 'gallery.html') } },
    })
    return outDir
  }))

export async function removeGallery(): Promise<void> {
  if (built) await rm(await built, { recursive: true })
}

/** The gallery of primitives (`dashboard/src/gallery`), in a page of its own for each test. */
export class Gallery {
  browser!: Browser
  page!: Page
  /** Script errors, and requests to other hosts. */
  failures!: string[]

  section = (name: string): Locator => this.page.getByRole('region', { name, exact: true })
  state = (name: string): Locator => this.page.getByRole('group', { name, exact: true })
  keys = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await this.page.keyboard.press(key)
  }
  /** Answers the oldest request of a section, without moving the focus. */
  answer = (where: Locator, how: 'Succeed' | 'Reject the name' | 'Reject' | 'Lose the response'): Promise<void> =>
    where.getByRole('button', { name: how, exact: true }).dispatchEvent('click')
  /** Returns the requests of a section so far. */
  requests = async (where: Locator): Promise<unknown[]> => {
    const text = await where.getByLabel('Requests').innerText()
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]))
  }
  /** Waits until an element has the focus. */
  isFocused = (element: Locator): Promise<void> =>
    element.and(this.page.locator(':focus')).waitFor({ state: 'attached' })
}

/** Opens the gallery before each test of a suite. @param hasClock whether the tests move the clock */
export function onGallery({ hasClock = false, ...options }: { hasClock?: boolean; bypassCSP?: boolean } = {}): Gallery {
  const gallery = new Gallery()
  let folder: string
  before(async () => {
    folder = (await askMainProcess<string>('/gallery')) ?? (await buildGallery())
    gallery.browser = await openChromium()
  })
  after(() => gallery.browser.close())
  beforeEach(async () => {
    const page = await gallery.browser.newPage({
      viewport: { width: 1_440, height: 900 },
      locale: 'en-GB',
      ...options,
    })
    const failures: string[] = []
    page.setDefaultTimeout(15_000)
    page.on('pageerror', ({ message }) => failures.push(message))
    await page.context().route('**/*', (route) => {
      const { origin, pathname } = new URL(route.request().url())
      if (origin === ORIGIN) return route.fulfill({ path: join(folder, pathname) })
      failures.push(`Asked for ${route.request().url()}`)
      return route.abort()
    })
    if (hasClock) await page.clock.install({ time: '2026-11-30T09:00:00Z' })
    await page.goto(`${ORIGIN}/gallery.html`)
    await page.getByRole('heading', { name: 'Primitives', level: 1 }).waitFor()
    Object.assign(gallery, { page, failures })
  })
  afterEach(() => gallery.page.context().close())
  return gallery
}
