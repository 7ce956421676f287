/**
 * Compares the roles and names that a screen reader announces on each page with `names/PAGE.txt`. After an intended change, rewrite
 * the files and review the diff:
 *
 *     UPDATE=1 npx mocha test/dashboard/names.system.test.ts
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { foldCounters } from '../../src/counters/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aCampaign, campaignIs } from '../support/campaigns.ts'
import { onDashboard } from '../support/dashboard.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { eventually } from '../support/eventually.ts'
import { EMAIL, sentTo, wait } from '../support/factories.ts'
import { importRows } from '../support/imports.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { aLink, aMember } from '../support/members.ts'
import { recount } from '../support/stats.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

/** Milliseconds that a page may take to show everything. */
const MAX_WAIT_MS = 15_000
const DOT = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const TREE = {
  type: 'CONDITION',
  branches: [{ name: 'Pro', if: { tag: 'pro' }, steps: [EMAIL, { type: 'EXIT' }] }],
  else: [{ type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 }],
}
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*'

/** Text that differs between runs, and its placeholder. */
const PLACEHOLDERS: readonly [RegExp, string][] = [
  // Neither addresses of links nor the inside of an image are announced.
  [/^ *- \/url: .*\n?/gm, ''],
  [/^( *- (?:'img ".*"'|img "[^"]*")): .*$/gm, '$1'],
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID'],
  [/svc_live_\w+/g, 'svc_live_KEY'],
  [/\/m\/[\w-]{32}\b/g, '/m/FILE'],
  [/\bmember-\d+-\d+@/g, 'member@'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
  [/\b\d+(\.\d+)? ms\b/g, 'DURATION'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)?/g, 'TIME'],
  [new RegExp(`(\\w+day,? )?\\b\\d{1,2} ${MONTH}( \\d{4})?((,| at) \\d\\d:\\d\\d)?`, 'g'), 'TIME'],
  [new RegExp(`strong: "\\d+"(\\n *)- text: ${MONTH}$`, 'gm'), 'strong: DAY$1- text: MONTH'],
  [/(\w+day )?\b\d\d:\d\d(:\d\d)?\b/g, 'TIME'],
  [/\b(\d+ (sec|min|hr|day)s?\.? ago|in \d+ (sec|min|hr|day)s?\b\.?)/g, 'TIME'],
  [/(?<=- (time: |(row|cell|link) ".*\b))now\b/g, 'TIME'],
]

/** Pages that need no preparation. Their names are their paths. */
const SIMPLE =
  `automations campaigns templates contacts lists enrollments messages suppressions bounces sender imports workspace
  retention transactional members audit`.split(/\s+/)

type Name =
  | 'automation'
  | 'proposal'
  | 'contact'
  | 'draft'
  | 'campaign'
  | 'template'
  | 'segment'
  | 'import'
  | 'draftImport'
  | 'webhook'

describe('names and roles in the dashboard', () => {
  const d = onDashboard({
    async start() {
      dns = await startDnsServer({})
      sink = await startSmtpSink()
      const env = { SMTP_URL: sink.url, DNS_SERVERS: dns.address, SECRETS_KEY: 'k'.repeat(44) }
      service = await startInstance({ env: { ...env, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' } })
      return { service, sink }
    },
  })
  const ids = {} as Record<Name, string>
  let service: Instance
  let sink: SmtpSink
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  let receiver: Awaited<ReturnType<typeof startWebhookServer>>
  before(async function () {
    this.timeout(120_000)
    receiver = await startWebhookServer()
    const { create, owner } = d
    const em = service.context.orm.em.fork()
    await aMember(service, 'editor')
    await aLink(service, 'viewer', 'grace@example.com')
    const sender = { fromName: 'Orchard', fromAddress: 'hello@orchard.example' }
    await owner.browser.ask('PUT', 'sender', { body: sender, workspaceId: service.workspaceId })
    const listId = await create('lists', { name: 'Newsletter' })
    const steps = [EMAIL, wait(60), TREE, { ...EMAIL, subject: 'How is it?' }]
    ids.automation = await create('automations', { name: 'Welcome', status: 'ACTIVE', trigger: 'SIGNUP', steps })
    ids.contact = await create('contacts', { email: 'ada@example.com', firstName: 'Ada', tags: ['vip'], listId })
    await sentTo(service, ids.contact)
    const bob = await create('contacts', { email: 'bob@example.com', firstName: 'Bob' })
    const [email] = await sentTo(service, bob)
    const changed = { content: { steps: steps.slice(0, 2), name: 'Shorter' }, reason: 'Few read to the end.' }
    ids.proposal = await create(`automations/${ids.automation}/proposals`, changed)
    const { rehearsalId } = await d.read(`proposals/${ids.proposal}`)
    // Before there are more contacts.
    await eventually('it is rehearsed', async () => (await d.read(`rehearsals/${rehearsalId}`)).finishedAt as unknown)
    ids.campaign = await aCampaign(service, [listId], { name: 'Spring sale', subject: 'Our spring sale' })
    await campaignIs(service, ids.campaign, 'SENT')
    const news = { name: 'News', subject: 'News', html: '<p>Hello {{ contact.fristName }}</p>' }
    ids.draft = await create('campaigns', { ...news, audience: { listIds: [listId] } })
    const text = { type: 'TEXT', paragraphs: [{ style: 'HEADING', runs: [{ text: 'Hello' }] }] }
    const button = { type: 'BUTTON', label: 'Begin', url: 'https://example.com' }
    const blocks = [text, button, { type: 'COLUMNS', columns: [{ blocks: [text] }, { blocks: [button] }] }]
    ids.template = await create('templates', { name: 'Letter', format: 'BLOCKS', design: { blocks } })
    await create('media-files', { name: 'logo.gif', content: DOT })
    ids.segment = await create('segments', { name: 'VIPs', condition: { tag: 'vip' } })
    await create('suppressions', { email: 'eve@example.com', reason: 'MANUAL' })
    const bounce = `insert into bounces (id, workspace_id, contact_id, message_id, kind, source, status, diagnostic)
      select gen_random_uuid(), workspace_id, contact_id, id, 'SOFT', 'smtp', '4.2.2', '452 4.2.2 Mailbox full'
      from messages where message_id = $1`
    await sql(em, bounce, [email?.messageId])
    const csv = { name: 'people.csv', text: 'email,name\ncyd@example.com,Cyd\nno address,Eve\n', consent: 'SUBSCRIBED' }
    ids.draftImport = await create('imports', csv)
    const columns = [{ column: 'name', field: 'firstName' }]
    ids.import = await create('imports', { ...csv, name: 'customers.csv', columns, start: true })
    await importRows(service, ids.import)
    ids.webhook = await create('webhooks', { url: receiver.url, events: ['*'], description: 'Shop' })
    await create('events', { email: 'ada@example.com', name: 'order.placed', data: { total: 12 } })
    await service.call('POST', `webhooks/${ids.webhook}/test`)
    await service.call('GET', 'contacts/unknown', undefined, { headers: { 'x-request-id': 'wanted' } })
    const delivered = `webhooks/${ids.webhook}/deliveries?status=DELIVERED`
    await eventually('a test event is delivered', async () => (await d.read(delivered))[0] as unknown)
    // The relay adds up the counters later.
    await recount(em)
    while ((await foldCounters(em, 1_000)) > 0);
    await sql(em, `update api_keys set last_used_at = null`)
  })
  after(async () => {
    await service.stop()
    await sink.close()
    dns.close()
    await receiver.stop()
  })

  /** The pages: the name of the file, the path in the workspace, and how the page is prepared. */
  const PAGES: [name: string, path: () => string, prepare?: () => Promise<unknown>][] = [
    ...SIMPLE.map((name): [string, () => string] => [name, () => `/${name}`]),
    ['home', () => ''],
    ['builder', () => `/automations/${ids.automation}`, () => d.page.getByTestId('step').first().click()],
    ['automation-report', () => `/automations/${ids.automation}/report`],
    ['proposals', () => '/proposals'],
    ['proposal', () => `/proposals/${ids.proposal}`, () => d.page.getByText('entered now').waitFor()],
    ['rehearsal', () => `/automations/${ids.automation}/rehearse?contact=${ids.contact}&at=2032-03-01T09:00:00.000Z`],
    ['campaign-composer', () => `/campaigns/${ids.draft}`],
    ['campaign-report', () => `/campaigns/${ids.campaign}`],
    ['template', () => `/templates/${ids.template}`, () => d.page.getByRole('listitem', { name: 'Button 2' }).click()],
    ['media', () => '/media', () => d.page.getByRole('button', { name: /logo\.gif/ }).click()],
    ['contact', () => `/contacts/${ids.contact}`],
    ['contact-messages', () => `/contacts/${ids.contact}?tab=messages`],
    ['contact-enrollments', () => `/contacts/${ids.contact}?tab=enrollments`],
    ['contact-consent', () => `/contacts/${ids.contact}?tab=consent&why=automation:${ids.automation}`],
    ['segments', () => '/segments', () => d.press('New segment')],
    ['segment', () => `/segments/${ids.segment}`],
    ['bounce-sources', () => '/bounces?view=sources'],
    ['import', () => `/imports/${ids.import}`],
    ['import-columns', () => `/imports/${ids.draftImport}`],
    ['keys', () => '/keys', () => d.press('New API key')],
    ['webhooks', () => `/webhooks?id=${ids.webhook}`],
    ['events', () => '/events?name=order.placed'],
    ['logs', () => '/logs?requestId=wanted', () => d.row(/GET/).getByRole('link').click()],
  ]

  async function namesIn(selector: string): Promise<string> {
    const snapshot = await d.page.locator(selector).ariaSnapshot()
    return PLACEHOLDERS.reduce((text, [pattern, placeholder]) => text.replaceAll(pattern, placeholder), `${snapshot}\n`)
  }

  /** Compares a part of the page with its file, or rewrites the file. */
  async function compare(name: string, selector: string): Promise<void> {
    await d.isLoaded()
    const file = new URL(`names/${name}.txt`, import.meta.url)
    const isUpdate = Boolean(process.env['UPDATE'])
    let expected = !isUpdate && existsSync(file) ? readFileSync(file, 'utf8') : ''
    let actual = await namesIn(selector)
    // A page may load more after it was idle.
    for (const deadline = Date.now() + MAX_WAIT_MS; actual !== expected && Date.now() < deadline;) {
      if (isUpdate) expected = actual
      await delay(isUpdate ? 1_000 : 200)
      actual = await namesIn(selector)
    }
    if (isUpdate) writeFileSync(file, actual)
    assert.equal(actual, expected, `names/${name}.txt differs. If the change is intended, run this file with UPDATE=1.`)
  }

  for (const [name, path, prepare] of PAGES)
    it(`have not changed on the page ${name}`, async () => {
      await d.open(path())
      await d.isLoaded()
      await prepare?.()
      await compare(name, '#page')
    })

  it('have not changed in the navigation', async () => {
    await d.open('')
    await compare('navigation', 'aside[aria-label=Dripline]')
  })

  it('have not changed on the account page', async () => {
    // Each test began a session. Only the current one and another stay.
    const older = `delete from sessions where account_id = $1::uuid and id not in
      (select id from sessions where account_id = $1::uuid order by created_at desc limit 2)`
    await sql(service.context.orm.em.fork(), older, [d.owner.accountId])
    await d.page.goto('/account')
    await compare('account', 'body')
  })

  it('have not changed on the sign-in page', async () => {
    await d.page.context().clearCookies()
    await d.page.goto('/sign-in')
    await compare('sign-in', 'body')
  })
})
