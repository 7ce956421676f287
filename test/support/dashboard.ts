import type { Browser, Locator, Page } from 'playwright-core'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { beginSession } from '../../src/accounts/sessions.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openChromium, openPage, openWindow } from './chromium.ts'
import { aMember, type SignedInMember } from './members.ts'
import type { Service } from './service.ts'
import { openDashboardWorkspace, type ServiceAndSink } from './shared-service.ts'

/** A dashboard page of an owner, for one test, in a workspace and a browser cache that the suite has for itself. */
export class Dashboard {
  service!: Service
  /** The mail server, which accepts mail at the begin of each test. */
  sink!: SmtpSink
  browser!: Browser
  /** The owner who is signed in. */
  owner!: SignedInMember
  page!: Page
  /** Script errors, violations of the content security policy and requests to other hosts. */
  failures!: string[]

  /** Returns the path of a page in the workspace. */
  at = (path: string): string => `/w/${this.service.workspaceId}${path}`
  /** Opens a page in the workspace. */
  open = (path: string): Promise<unknown> => this.page.goto(this.at(path))
  button = (name: string | RegExp): Locator => this.page.getByRole('button', { name, exact: true })
  /** Presses buttons one after another. */
  press = async (...names: (string | RegExp)[]): Promise<void> => {
    for (const name of names) await this.button(name).click()
  }
  link = (name: string): Locator => this.page.getByRole('link', { name })
  form = (name: string): Locator => this.page.getByRole('form', { name })
  row = (name: string | RegExp): Locator => this.page.getByRole('row', { name })
  field = (label: string): Locator => this.page.getByLabel(label, { exact: true })
  /** Fills in fields, by label. @param where the form, if the page has several */
  fill = async (values: Record<string, string>, where: Page | Locator = this.page): Promise<void> => {
    for (const [label, value] of Object.entries(values)) await where.getByLabel(label, { exact: true }).fill(value)
  }
  /** Waits until the page shows texts. */
  shows = async (...texts: (string | RegExp)[]): Promise<void> => {
    for (const text of texts) await this.page.getByText(text).first().waitFor()
  }
  /** Waits until the page has a heading. */
  isAt = (name: string, level?: number): Promise<void> =>
    this.page
      .getByRole('heading', { name, exact: true, ...(level === undefined ? {} : { level }) })
      .first()
      .waitFor()
  /** Waits until the page has its title and sends no more requests. */
  isLoaded = async (): Promise<void> => {
    await this.page.getByRole('heading', { level: 1 }).first().waitFor()
    await this.page.waitForLoadState('networkidle').catch(() => undefined)
  }
  /** Chooses an option of a field with a menu. */
  choose = async (field: string | Locator, option: string): Promise<void> => {
    await (typeof field === 'string' ? this.field(field).first() : field).click()
    await this.page.getByRole('option', { name: option, exact: true }).click()
  }

  menuItem = (name: string): Promise<void> => this.page.getByRole('menuitem', { name, exact: true }).click()
  /** Presses keys one after another. */
  keys = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await this.page.keyboard.press(key)
  }
  /** Presses Tab until a field or button with this name has the focus. */
  tabTo = async (name: string): Promise<void> => {
    for (let n = 0; n < 80; n += 1) {
      const focused = await this.page.evaluate<string>(
        `(({ activeElement: at }) => at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent)(document)`,
      )
      if (focused.trim() === name) return
      await this.keys('Tab')
    }
    throw new Error(`Nothing called ${name} can be reached`)
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers have many shapes
  read = async (path: string): Promise<any> => (await this.service.call('GET', path)).body.data
  /** @returns the ID of what it creates over HTTP */
  create = async (path: string, body: object): Promise<string> =>
    (await this.service.call('POST', path, body)).body.data.id as string

  /** Opens another window of the owner, with a cache and a clock of its own. The test closes it. */
  openWindow = async (): Promise<Page> => {
    const { page } = await openWindow(this.browser, this.service)
    await this.signIn(page)
    return page
  }
  /** Begins a session of the owner in a window. */
  signIn = async (page: Page): Promise<void> => {
    const value = await beginSession(this.service.context.orm.em.fork(), this.owner.accountId, 'A test')
    await page.context().addCookies([{ name: 'dripline', value, url: `http://127.0.0.1:${this.service.port}` }])
  }

  /** Holds matching requests back. @returns a function that releases them */
  hold = async (method: string, path: string): Promise<() => void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await this.page.route(path, async (route) => {
      if (route.request().method() === method) await promise
      return route.continue()
    })
    return resolve
  }
  /** Executes matching requests but drops their responses. */
  loseAnswers = async (method: string, path: string): Promise<void> => {
    await this.page.route(path, async (route) => {
      if (route.request().method() !== method) return route.continue()
      await route.fetch()
      return route.abort()
    })
  }
}

/**
 * Opens a page of the dashboard for each test of a suite.
 *
 * @param start starts the service, if it is not the shared one
 * @returns the dashboard, whose fields are set before each test
 */
export function onDashboard({ start = openDashboardWorkspace, ...options }: Options = {}): Dashboard {
  const dashboard = new Dashboard()
  let first: Page
  before(async () => {
    Object.assign(dashboard, await start())
    dashboard.browser = await openChromium()
    dashboard.owner = await aMember(dashboard.service)
    ;({ page: first } = await openWindow(dashboard.browser, dashboard.service, options))
  })
  after(() => dashboard.browser.close())
  beforeEach(async () => {
    const { service, sink } = dashboard
    await sql(service.context.orm.em.fork(), 'delete from rate_windows')
    sink.mails.length = 0
    await dashboard.signIn(first)
    Object.assign(dashboard, await openPage(first.context(), service))
  })
  afterEach(async () => {
    dashboard.sink.behave('accept')
    // Release routes that are still held.
    await dashboard.page.unrouteAll({ behavior: 'ignoreErrors' })
    await dashboard.page.close()
  })
  return dashboard
}

interface Options {
  start?: () => Promise<ServiceAndSink>
  bypassCSP?: boolean
}
