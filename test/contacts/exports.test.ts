import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runExport } from '../../src/bin/commands/run-export.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, aList, anAutomation, anEvent, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('an export', () => {
  let service: Service
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dripline-exports-'))
    service = await openWorkspace()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  type Thing = Record<string, unknown> & { type: string }
  async function exported(path: string, workspaceId = service.workspaceId): Promise<Thing[]> {
    process.env['DATABASE_URL'] = service.context.config.DATABASE_URL
    try {
      await runExport(path, workspaceId)
    } finally {
      delete process.env['DATABASE_URL']
    }
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Thing)
  }

  it('contains everything stored about a contact, and nothing about other contacts', async () => {
    const listId = await aList(service)
    const contactId = await aContact(service, { listId, tags: ['vip'], externalId: '4711', metadata: { plan: 'pro' } })
    const address = await addressOf(service, contactId)
    await enroll(service, await anAutomation(service, { steps: [EMAIL] }), contactId)
    await eventually('the email is sent', async () => (await activityOf(service, contactId))[0])
    await anEvent(service, contactId, 'bought', { amount: 7 })
    await service.call('POST', 'suppressions', { email: address, reason: 'UNSUBSCRIBED', note: 'by phone' })
    const { body } = await service.call('GET', 'contacts/external:4711/export')
    const data = body.data as Record<string, Record<string, unknown>[]> & { email: string }
    assert.equal(data.email, address)
    assert.deepEqual(
      ['tags', 'lists', 'suppressions', 'enrollments', 'messages', 'bounces', 'listsLeft'].map(
        (name) => data[name]!.length,
      ),
      [1, 1, 1, 1, 1, 0, 0],
    )
    assert.ok(
      data['events']!.some((event) => event['name'] === 'bought' && (event['data'] as { amount: number }).amount === 7),
    )
    assert.equal(data['suppressions']![0]!['note'], 'by phone')
    assert.equal(data['messages']![0]!['to'], address)
  })

  it('contains all events of a contact, no matter how many and how large', async () => {
    const contactId = await aContact(service)
    const count = 450
    // Many events have the same timestamp, including the last of a page and the first of the next.
    await sql(
      service.context.orm.em.fork(),
      `insert into trigger_events (id, workspace_id, contact_id, automation_ids, type, name, data, created_at)
       select gen_random_uuid(), $1::uuid, $2::uuid, '{}', 'EVENT', 'bought',
         jsonb_build_object('n', n, 'words', repeat(md5(n::text), 480)), now() + make_interval(secs => n / 15)
       from generate_series(1, $3::integer) n`,
      [service.workspaceId, contactId, count],
    )
    const numbersIn = (exportedData: Record<string, unknown>) =>
      (exportedData['events'] as { name: string; data: { n: number } }[])
        .filter(({ name }) => name === 'bought')
        .map(({ data }) => data.n)
    const all = Array.from({ length: count }, (_, n) => n + 1)
    const { status, headers, body } = await service.call('GET', `contacts/${contactId}/export`)
    assert.equal(status, 200)
    // The response is streamed, so its length is unknown at the start.
    assert.equal(headers.get('content-length'), null)
    const numbers = numbersIn(body.data as Record<string, unknown>)
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      all,
    )
    // Ordered by age.
    assert.ok(numbers.slice(0, 14).every((n) => n < 15) && numbers.slice(-15).every((n) => n >= count - 15))
    const lines = await exported(join(folder, 'large.ndjson'))
    assert.deepEqual(
      numbersIn(lines.find(({ id }) => id === contactId)!).toSorted((a, b) => a - b),
      all,
    )
  })

  it('writes a workspace as JSON lines to a file that only its owner can read', async () => {
    const many = Array.from({ length: 210 }, (_, n) => ({ email: `exported-${n}@example.com` }))
    await service.call('POST', 'contacts/bulk', { contacts: many })
    await service.call('POST', 'templates', { name: 'T', subject: 'x', text: 'said in a template' })
    await anAutomation(service)
    const path = join(folder, 'all.ndjson')
    const items = await exported(path)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const { body } = await service.call('GET', 'contacts?limit=1')
    const contacts = items.filter(({ type }) => type === 'contact')
    assert.equal(contacts.length, (body as { pagination: { total: number } }).pagination.total)
    assert.equal(new Set(contacts.map(({ id }) => id)).size, contacts.length)
    assert.ok(JSON.stringify(items.find(({ type }) => type === 'template')).includes('said in a template'))
    const automation = items.find(({ type }) => type === 'automation')!
    assert.ok(JSON.stringify(automation['emails']).includes(EMAIL.subject))
    assert.equal(items[0]!.type, 'workspace')
    await assert.rejects(exported(path), /already exists/)
    await assert.rejects(exported(join(folder, 'none'), 'nobody'), /There is no workspace/)
    assert.throws(() => statSync(join(folder, 'none')))
  })
})
