/**
 * Takes screenshots of every page of the dashboard into `docs/pictures`: with much and little data, light and dark, wide and on a phone; and of two emails as recipients see them.
 *
 *     npm run screenshots [-- PART_OF_NAME]
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { sql } from '../../src/platform/db/sql.ts'
import { createWorkspace, updateWorkspace } from '../../src/workspaces/create-workspace.ts'
import { startSmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { openChromium, openWindow, signIn } from '../support/chromium.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import { joinWorkspaces } from '../../src/accounts/queries.ts'
import { stopServices } from '../support/servers.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { pictureEmails } from './emails.ts'
import { createTransactional, createCampaigns, createEmailData } from './email-data.ts'
import { fillWorkspace } from './sample-data.ts'
import { rehearsalPages } from './rehearsal-pages.ts'
import { createRequests, openFailedRequest } from './requests.ts'
import { createProposals } from './proposals.ts'
import { createWebhooks } from './webhook-data.ts'

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
const GREETING = {
  theme: { accent: '#2f6b45', page: '#f2f5f1' },
  blocks: [
    {
      type: 'TEXT',
      paragraphs: [
        { style: 'HEADING', runs: [{ text: 'Thank you for signing up' }] },
        {
          style: 'PARAGRAPH',
          runs: [{ text: 'Hello {{ contact.firstName | default: "friend" }}, this is your first week:' }],
        },
      ],
    },
    { type: 'BUTTON', label: 'Create a project', url: 'https://orchard.example/new' },
  ],
}
const EXAMPLE = new URL('../../examples/plan-follow-up.json', import.meta.url)
const SIZES = { wide: { width: 1_440, height: 900 }, phone: { width: 390, height: 844 } } as const
const only = process.argv[2] ?? ''

interface PageShot {
  name: string
  path: string
  /** Prepares the page before the screenshot. */
  act?: (page: Page) => Promise<unknown>
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click()

const byName = (name: string): PageShot => ({ name, path: `/${name}` })
const openDraft = async (page: Page) => {
  await page.getByRole('link', { name: 'Winter apples' }).first().click()
  await page.getByText('recipients').first().waitFor()
}
const checkInSegment = async (page: Page) => {
  await page.getByRole('link', { name: /^Large teams/ }).click()
  const address = page.getByRole('listitem').getByText(/@example/)
  await page.getByLabel('Email or ID').fill((await address.first().textContent()) ?? '')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}
const clickStep = (n: number) => (page: Page) => page.getByTestId('step').nth(n).click()

const openPublishing = async (page: Page) => {
  await page.getByTestId('step').filter({ hasText: /^Wait/ }).first().click()
  await page.getByRole('textbox', { name: 'Days' }).fill('9')
  // On a phone, the step is a sheet above the page.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('radio', { name: /^Move to version/ }).check()
  await page.getByText('By step').click()
}

interface Shown {
  automationId: string
  contactId: string
  campaignId?: string
  /** A campaign that is being sent. */
  sendingId?: string
  templateId?: string
  /** An automation with branches. */
  branchesId?: string
  /** A webhook with a failed delivery. */
  webhook?: { webhookId: string; deliveryId: string }
  proposalId?: string
  steps: number
}

/** Lists the pages of a workspace. */
const pagesOf = ({
  automationId,
  contactId,
  campaignId,
  sendingId,
  templateId,
  branchesId,
  webhook,
  proposalId,
  steps,
}: Shown): PageShot[] => [
  { name: 'home', path: '' },
  { name: 'builder', path: `/automations/${automationId}`, act: clickStep(steps > 1 ? 2 : 0) },
  { name: 'builder-numbers', path: `/automations/${automationId}?view=numbers`, act: clickStep(steps > 1 ? 1 : 0) },
  ...(branchesId === undefined
    ? []
    : [
        {
          name: 'step-email',
          path: `/automations/${branchesId}`,
          act: async (page: Page) => {
            await page.getByTestId('step').first().click()
            await page.getByRole('button', { name: 'Edit email' }).click()
            await page.getByRole('dialog', { name: 'Design the email' }).waitFor()
          },
        },
      ]),
  ...(branchesId === undefined
    ? []
    : ['Plan is pro?', 'Wait for project.created', 'B: Invite your team'].map((step, n) => ({
        name: ['branches', 'waits', 'actions'][n]!,
        path: `/automations/${branchesId}`,
        act: (page: Page) => page.getByTestId('step').filter({ hasText: step }).click(),
      }))),
  { name: 'events', path: '/events?name=order.placed' },
  { name: 'automation-report', path: `/automations/${automationId}/report?window=5` },
  ...rehearsalPages(branchesId ?? automationId, contactId),
  { name: 'new-automation', path: '/automations', act: press('New automation') },
  { name: 'contact', path: `/contacts/${contactId}` },
  { name: 'why', path: `/contacts/${contactId}?tab=consent&why=automation:${branchesId ?? automationId}` },
  { name: 'enrollments', path: '/enrollments?status=ACTIVE' },
  { name: 'new-template', path: '/templates', act: press('New template') },
  ...(templateId === undefined
    ? []
    : [
        {
          name: 'template',
          path: `/templates/${templateId}`,
          act: (page: Page) => page.getByRole('listitem', { name: 'Button 3' }).click(),
        },
      ]),
  ...(campaignId === undefined
    ? []
    : [
        { name: 'campaign', path: `/campaigns/${campaignId}` },
        { name: 'campaign-sending', path: `/campaigns/${sendingId}` },
        { name: 'segment', path: '/segments', act: checkInSegment },
        { name: 'campaign-compose', path: '/campaigns', act: openDraft },
      ]),
  {
    name: 'webhooks',
    path: webhook ? `/webhooks?id=${webhook.webhookId}&delivery=${webhook.deliveryId}` : '/webhooks',
  },
  { name: 'logs', path: '/logs', act: openFailedRequest },
  byName('proposals'),
  ...(proposalId === undefined ? [] : [{ name: 'proposal', path: `/proposals/${proposalId}` }]),
  ...['automations', 'contacts', 'segments', 'messages', 'lists', 'campaigns', 'templates'].map(byName),
  ...['suppressions', 'imports', 'media', 'transactional', 'sender', 'workspace', 'retention'].map(byName),
  ...['keys', 'members', 'audit'].map(byName),
  // Last, because it leaves a draft.
  ...(steps > 1 ? [{ name: 'publish', path: `/automations/${automationId}`, act: openPublishing }] : []),
]

async function take(page: Page, name: string): Promise<void> {
  // A page that polls may never be idle.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined)
  await page
    .locator('[aria-busy=true]')
    .first()
    .waitFor({ state: 'detached', timeout: 5_000 })
    .catch(() => undefined)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await session.detach()
  await writeFile(`${FOLDER}${name}.webp`, Buffer.from(data, 'base64'))
  process.stdout.write(`${name}\n`)
}

async function picture(browser: Browser, service: Instance, email: string, sets: [string, string, PageShot[]][]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, { width, height }] of Object.entries(SIZES)) {
      const { page } = await openWindow(browser, service, { colorScheme, width, height })
      await page.goto('/sign-in')
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      if (`sign-in-${colorScheme}-${size}`.includes(only)) await take(page, `sign-in-${colorScheme}-${size}`)
      await signIn(page, email)
      for (const [amount, workspaceId, pages] of sets) {
        for (const { name, path, act } of pages) {
          const whole = `${name}-${amount}-${colorScheme}-${size}`
          if (!whole.includes(only)) continue
          await page.goto(`/w/${workspaceId}${path}`)
          await page.getByRole('heading', { level: 1 }).first().waitFor()
          await act?.(page).catch((error: unknown) =>
            process.stdout.write(`${whole}: ${String(error).split('\n')[0]}\n`),
          )
          await take(page, whole)
        }
      }
      await page.context().close()
    }
  }
}

async function rename({ context }: Instance, accountId: string, email: string): Promise<string> {
  await sql(context.orm.em.fork(), 'update accounts set email = $2, email_key = $2 where id = $1::uuid', [
    accountId,
    email,
  ])
  return email
}

/** Takes the screenshots of docs/getting-started.md, in a new workspace that captures mail. */
async function firstAutomation(browser: Browser): Promise<void> {
  const service = await startInstance()
  try {
    const { page } = await openWindow(browser, service, { width: 1_280, height: 800 })
    const link = await aLink(service, 'owner')
    await updateWorkspace(service.context.orm.em, service.workspaceId, { name: 'My workspace' })
    await page.goto(`/join#${link}`)
    await page.getByLabel('Email').fill('robin@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await take(page, 'first-1-join')
    await page.getByRole('button', { name: 'Join workspace' }).click()
    const make = page.getByRole('button', { name: 'Create welcome automation' })
    await make.waitFor()
    await take(page, 'first-2-steps')
    await make.click()
    await page.getByLabel('Done').first().waitFor()
    await page.getByRole('button', { name: 'Add contact' }).click()
    const read = page.getByRole('link', { name: 'Read email' })
    await read.waitFor()
    await take(page, 'first-3-added')
    await read.click()
    await page.getByRole('button', { name: /Welcome, friend/ }).click()
    await take(page, 'first-4-email')
    await page.goto(`/w/${service.workspaceId}/automations`)
    await page.getByRole('link', { name: 'Welcome' }).click()
    for (const type of ['Wait', 'Email']) {
      await page.getByRole('button', { name: 'Add step' }).last().click()
      await page.getByRole('menuitem', { name: type, exact: true }).click()
    }
    await page.keyboard.type('How was your first day?')
    await page.getByText('Draft saved').waitFor()
    await take(page, 'first-5-builder')
    await page.context().close()
  } finally {
    await service.stop()
  }
}

// Emails need no service.
if (only.startsWith('email')) {
  await mkdir(FOLDER, { recursive: true })
  const browser = await openChromium()
  await pictureEmails(browser, take)
  await browser.close()
  process.exit()
}

const sink = await startSmtpSink()
const service = await startInstance({ env: { SMTP_URL: sink.url }, worker: false })
try {
  if (only === '') await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER, { recursive: true })
  const { em } = service.context.orm
  const { accountId } = await aMember(service)
  const { accountId: another } = await aMember(service, 'editor')
  const email = await rename(service, accountId, 'robin@example.com')
  await rename(service, another, 'sam@example.com')
  await updateWorkspace(em, service.workspaceId, { name: 'Orchard' })
  for (const name of ['ines', 'yuki', 'omar']) {
    const { accountId: more } = await aMember(service, name === 'ines' ? 'owner' : 'viewer')
    await rename(service, more, `${name}@example.com`)
  }
  await sql(em.fork(), `update api_keys set name = 'Backend', rate_limit = 6000`)
  const { workspaceId } = service
  const limited = { scopes: ['contacts:write' as const], rateLimit: 600, allowedRanges: ['203.0.113.0/24'] }
  await service.newKey({ name: 'Checkout', workspaceId, ...limited })
  const reading = { scopes: ['contacts:read' as const, 'automations:read' as const], rateLimit: 120 }
  await service.newKey({ name: 'Data warehouse', workspaceId, ...reading })
  const many = await fillWorkspace(service, service.workspaceId)
  const templateId = await createEmailData(service, service.workspaceId)
  const followUp = JSON.parse(await readFile(EXAMPLE, 'utf8')) as { steps: object[] }
  followUp.steps[0] = { ...followUp.steps[0], text: null, design: GREETING }
  const branchesId = (await service.call('POST', 'automations', followUp)).body.data.id as string

  const few = await createWorkspace(em, { name: 'Orchard staging', mode: 'test' })
  await joinWorkspaces(em.fork(), accountId, [few.id], 'owner')
  const key = await service.newKey({ workspaceId: few.id, name: 'Staging' })
  const call: Instance['call'] = (method, path, body) => service.call(method, path, body, { key })
  const create = async (path: string, body: object) => (await call('POST', path, body)).body.data.id as string
  const contactId = await create('contacts', { email: 'ada@example.com', firstName: 'Ada' })
  const steps = [{ type: 'EMAIL', subject: 'Welcome, {{ contact.firstName }}!', text: 'Good to have you here.' }]
  const automationId = await create('automations', { name: 'Welcome', trigger: 'SIGNUP', steps })

  // Last: the worker's reconciliation starts workflows for the inserted enrollments.
  await service.startWorker()
  const { campaignId, sendingId } = await createCampaigns(service)
  await createTransactional(service)
  const webhook = await createWebhooks(service, service.workspaceId)
  const proposalId = await createProposals(service, { automationId: branchesId })
  await createRequests(service, service.workspaceId)
  const browser = await openChromium()
  if ('first'.includes(only)) await firstAutomation(browser)
  if (only === '') await pictureEmails(browser, take)
  await picture(browser, service, email, [
    [
      'many',
      service.workspaceId,
      pagesOf({ ...many, campaignId, sendingId, templateId, branchesId, webhook, proposalId, steps: 7 }),
    ],
    ['few', few.id, pagesOf({ automationId, contactId, steps: 1 })],
  ])
  await browser.close()
} finally {
  await service.stop()
  await sink.close()
  await stopServices()
}
