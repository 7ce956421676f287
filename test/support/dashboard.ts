import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { openChromium, openWindow, signIn } from './chromium.ts'
import { aMember } from './members.ts'
import { startService, type Service } from './service.ts'

/** A dashboard page with a signed-in owner. */
export interface Dashboard {
  service: Service
  page: Page
  email: string
  /** Returns the path of a page in the workspace. */
  at: (path: string) => string
  /** Holds matching requests back. @returns a function that releases them */
  hold: (method: string, path: string) => Promise<() => void>
  /** Executes matching requests but drops their responses. */
  loseAnswers: (method: string, path: string) => Promise<void>
}

/** Starts a service for the suite and opens a page for each test. @param begin called before each test */
export function onDashboard(begin: (dashboard: Dashboard) => void): void {
  let service: Service
  let browser: Browser
  let page: Page
  let email: string
  before(async () => {
    service = await startService({ worker: false })
    browser = await openChromium()
    ;({ email } = await aMember(service))
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })
  beforeEach(async () => {
    await sql(service.context.orm.em.fork(), 'delete from rate_windows')
    ;({ page } = await openWindow(browser, service))
    await signIn(page, email)
    begin({
      service,
      page,
      email,
      at: (path) => `/w/${service.workspaceId}${path}`,
      async hold(method, path) {
        const { promise, resolve } = Promise.withResolvers<void>()
        await page.route(path, async (route) => {
          if (route.request().method() === method) await promise
          return route.continue()
        })
        return resolve
      },
      async loseAnswers(method, path) {
        await page.route(path, async (route) => {
          if (route.request().method() !== method) return route.continue()
          await route.fetch()
          return route.abort()
        })
      },
    })
  })
  afterEach(async () => {
    // Release routes that are still held.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
  })
}
