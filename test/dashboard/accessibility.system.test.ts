import assert from 'node:assert/strict'
import { violationsOf } from '../support/axe.ts'
import { onDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, EMAIL, wait } from '../support/factories.ts'

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
  ...[
    '',
    '/automations',
    '/contacts',
    '/messages',
    '/campaigns',
    '/templates',
    '/suppressions',
    '/bounces',
    '/bounces?view=sources',
    '/transactional',
    '/imports',
  ],
  ...[
    '/sender',
    '/events',
    '/logs',
    '/enrollments',
    '/proposals',
    '/segments',
    '/lists',
    '/workspace',
    '/retention',
    '/keys',
    '/webhooks',
    '/members',
    '/audit',
  ],
]

describe('dashboard accessibility', () => {
  // The CSP blocks the axe script otherwise.
  const d = onDashboard({ bypassCSP: true })

  /** Opens pages and returns the axe violations in each. */
  async function violationsOn(paths: readonly string[]): Promise<string[]> {
    const found: string[] = []
    for (const path of paths) {
      await d.page.goto(path)
      await d.isLoaded()
      found.push(...(await violationsOf(d.page)).map((each) => `${path} in ${each}`))
    }
    return found
  }

  it('has no axe violations before signing in', async () => {
    await d.page.context().clearCookies()
    assert.deepEqual(await violationsOn(['/sign-in', '/forgot-password', '/reset-password']), [])
  })

  it('has no axe violations on any page of a workspace', async function () {
    this.timeout(240_000)
    const steps = [EMAIL, wait(60), TREE, EMAIL]
    const automationId = await anAutomation(d.service, { trigger: 'SIGNUP', triggerConfig: undefined, steps })
    const contactId = await aContact(d.service, { firstName: 'Ada', tags: ['vip'] })
    // Until the first email, Home shows other content.
    await eventually('an email is sent', () => d.sink.mails[0])
    const text = { type: 'TEXT', paragraphs: [{ style: 'HEADING', runs: [{ text: 'Hello' }] }] }
    const column = { blocks: [text, { type: 'BUTTON', label: 'Begin', url: 'https://example.com' }] }
    const blocks = [text, { type: 'CODE', html: '<b>x</b>' }, { type: 'COLUMNS', columns: [column, column] }]
    const templateId = await d.create('templates', { name: 'T', format: 'BLOCKS', design: { blocks } })
    const segmentId = await d.create('segments', { name: 'VIPs', condition: { tag: 'vip' } })
    const draft = { name: 'News', subject: 'News', html: '<p>Hello {{ contact.fristName }}</p>' }
    const campaignId = await d.create('campaigns', draft)
    const proposed = { content: { steps: [EMAIL, TREE] }, reason: 'Shorter.' }
    const proposalId = await d.create(`automations/${automationId}/proposals`, proposed)
    const more = [
      ...[`/automations/${automationId}`, `/automations/${automationId}?view=numbers`, `/contacts/${contactId}`],
      ...[`/templates/${templateId}`, `/campaigns/${campaignId}`, `/automations/${automationId}/report`],
      ...[`/segments/${segmentId}`, `/proposals/${proposalId}`],
      ...[`/contacts/${contactId}?why=automation:${automationId}`, `/contacts/${contactId}?tab=consent`],
    ]
    const paths = [...[...PAGES, ...more].map((path) => d.at(path)), '/account', '/nowhere']
    assert.deepEqual(await violationsOn(paths), [])
    assert.deepEqual(d.failures, [])
  })
})
