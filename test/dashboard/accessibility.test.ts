import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { openChromium, openWindow, enterCredentials } from '../support/chromium.ts'
import { aContact, anAutomation, EMAIL, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const TREE = {
  type: 'CONDITION',
  branches: [
    {
      name: 'Pro',
      if: { all: [{ tag: 'pro' }, { any: [{ event: 'order.placed' }] }] },
      steps: [EMAIL, { type: 'EXIT' }],
    },
  ],
  else: [
    {
      type: 'SPLIT',
      branches: [
        { name: 'A', weight: 50, steps: [{ type: 'UPDATE_CONTACT', addTags: ['a'] }] },
        { name: 'B', weight: 50, steps: [{ type: 'WEBHOOK', url: 'https://example.com/' }] },
      ],
    },
    { type: 'WAIT_UNTIL', until: { timeOfDay: '09:00' } },
    { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 },
  ],
}

const PAGES = [
  '',
  '/automations',
  '/contacts',
  '/messages',
  '/campaigns',
  '/templates',
  '/suppressions',
  '/bounces',
  '/imports',
  '/sender',
  '/enrollments',
  '/segments',
  '/lists',
  '/workspace',
  '/keys',
  '/webhooks',
  '/members',
  '/audit',
] as const

describe('dashboard accessibility', function () {
  this.timeout(240_000)
  let service: Service
  let browser: Browser
  let email: string
  let automationId: string
  let contactId: string
  let templateId: string
  let campaignId: string
  before(async () => {
    service = await startService()
    browser = await openChromium()
    ;({ email } = await aMember(service))
    automationId = await anAutomation(service, {
      trigger: 'SIGNUP',
      triggerConfig: undefined,
      steps: [EMAIL, wait(60), TREE, EMAIL],
    })
    contactId = await aContact(service, { firstName: 'Ada', tags: ['vip'] })
    const text = { type: 'TEXT', paragraphs: [{ style: 'HEADING', runs: [{ text: 'Hello' }] }] }
    const column = { blocks: [text, { type: 'BUTTON', label: 'Begin', url: 'https://example.com' }] }
    const blocks = [text, { type: 'CODE', html: '<b>x</b>' }, { type: 'COLUMNS', columns: [column, column] }]
    const { body } = await service.call('POST', 'templates', { name: 'T', format: 'BLOCKS', design: { blocks } })
    templateId = body.data.id as string
    const draft = { name: 'News', subject: 'News', html: '<p>Hello {{ contact.fristName }}</p>' }
    campaignId = (await service.call('POST', 'campaigns', draft)).body.data.id as string
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })

  async function violations(page: Page): Promise<string[]> {
    // Wait for late content.
    await page.waitForLoadState('networkidle').catch(() => undefined)
    await page.evaluate(AXE)
    const { violations: found } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
    )
    return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  }

  // The colors do not depend on the width, so each is checked once.
  for (const [colorScheme, width] of [
    ['light', 1_440],
    ['dark', 390],
  ] as const) {
    it(`has no axe violations on any page (${colorScheme}, ${width} px wide)`, async () => {
      // The CSP blocks the axe script otherwise.
      const { page, failures } = await openWindow(browser, service, { colorScheme, width, bypassCSP: true })
      await page.goto('/sign-in')
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      assert.deepEqual(await violations(page), [], '/sign-in')
      for (const [path, button] of [
        ['/forgot-password', 'Email me a link'],
        ['/reset-password', 'Set password'],
      ] as const) {
        await page.goto(path)
        await page.getByRole('button', { name: button }).waitFor()
        assert.deepEqual(await violations(page), [], path)
      }
      await page.goto('/sign-in')
      await enterCredentials(page, email)
      await page.getByRole('heading', { name: 'Home' }).waitFor()
      const own = `/w/${service.workspaceId}`
      const more = [
        `${own}/automations/${automationId}`,
        `${own}/automations/${automationId}?view=numbers`,
        `${own}/contacts/${contactId}`,
        `${own}/templates/${templateId}`,
        `${own}/campaigns/${campaignId}`,
        '/account',
        '/nowhere',
      ]
      for (const path of [...PAGES.map((each) => `${own}${each}`), ...more]) {
        await page.goto(path)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        assert.deepEqual(await violations(page), [], path)
      }
      assert.deepEqual(failures, [])
      await page.context().close()
    })
  }
})
