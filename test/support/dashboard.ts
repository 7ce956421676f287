import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { openChromium, openWindow, signIn } from './chromium.ts'
import { aMember } from './members.ts'
import { startService, type Service } from './service.ts'

/** A page of a service's dashboard, on which one of its owners is signed in. */
export interface Dashboard {
  service: Service
  page: Page
  email: string
  /** Of a place in the service's workspace. */
  at: (path: string) => string
  /** Holds back what is asked. @returns what lets it go */
  hold: (method: string, path: string) => Promise<() => void>
  /** Has what is asked be done, and its answer be lost. */
  loseAnswers: (method: string, path: string) => Promise<void>
}

/** Has a service for the tests of a suite, and a page of it for each of them. @param begin is given them before each test */
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
    // What is held still is nobody's any more.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
  })
}
