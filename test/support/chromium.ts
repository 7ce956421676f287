import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type BrowserServer,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { resolveChromium } from './chromium-binary.ts'
import { askMainProcess } from './main-process.ts'
import { PASSWORD } from './members.ts'
import type { Service } from './service.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let server: Promise<BrowserServer> | undefined

const launchOptions = async () => ({ ...(await resolveChromium(process.env)), args: FLAGS })

/** Starts the browser that all test processes share. */
export async function startBrowser(): Promise<string> {
  server ??= launchOptions().then((options) => chromium.launchServer(options))
  return (await server).wsEndpoint()
}

export const stopBrowser = async (): Promise<void> => (await server)?.close()

/** Connects to the shared browser; in a script without Mocha, it starts one. Closing it closes its windows. */
export async function openChromium(): Promise<Browser> {
  const endpoint = await askMainProcess<string>('/browser')
  return endpoint === undefined ? chromium.launch(await launchOptions()) : chromium.connect(endpoint)
}

/** A page, with its script errors, violations of the content security policy and requests to other hosts so far. */
interface Window {
  page: Page
  failures: string[]
}

/** Opens a window in a context of its own. @param also allowed origins */
export async function openWindow(
  browser: Browser,
  service: Service,
  { width = 1_440, height = 900, also = [], ...options }: BrowserContextOptions & WindowOptions = {},
): Promise<Window> {
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${service.port}`,
    viewport: { width, height },
    locale: 'en-GB',
    ...options,
  })
  return openPage(context, service, also)
}

interface WindowOptions {
  width?: number
  height?: number
  also?: string[]
}

/** Opens another page of a context. @param also allowed origins */
export async function openPage(context: BrowserContext, service: Service, also: string[] = []): Promise<Window> {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const failures: string[] = []
  page.on('pageerror', ({ message }) => failures.push(message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) failures.push(message.text())
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    const isOurs = url.port === String(service.port) || also.includes(url.origin)
    if (url.protocol.startsWith('http') && !isOurs) failures.push(`Asked for ${url.href}`)
  })
  return { page, failures }
}

/** Fills in and submits the sign-in or join form. @param email omitted if the form has it */
export async function enterCredentials(where: Page | Locator, email?: string): Promise<void> {
  if (email !== undefined) await where.getByLabel('Email').fill(email)
  await where.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await where.getByRole('button', { name: /^(Sign in|Join workspace)$/ }).click()
}

/** Signs a member in and waits for Home. @param origin if it differs from the base URL of the window */
export async function signIn(page: Page, email: string, origin = ''): Promise<void> {
  await page.goto(`${origin}/sign-in`)
  await enterCredentials(page, email)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
}
