import assert from 'node:assert/strict'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { BrowserLike } from '../support/browser-like.ts'
import { startDnsServer, type Zone } from '../support/dns-server.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

interface Sender {
  dkimSelector: string | null
  nextDkimSelector: string | null
  records: { what: string; name: string; value: string; note: string | null }[]
}

describe('rotating the DKIM key', () => {
  const zone: Zone = {}
  let service: Service
  let sink: SmtpSink
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  let owner: BrowserLike
  before(async () => {
    sink = await startSmtpSink()
    dns = await startDnsServer(zone)
    const env = { SMTP_URL: sink.url, SECRETS_KEY: 'k'.repeat(44), DNS_SERVERS: dns.address }
    service = await startService({ env })
    const member = await aMember(service, 'owner')
    owner = member.browser
    await ask('PUT', 'sender', { fromAddress: 'hello@orchard.example' })
  })
  after(async () => {
    await service.stop()
    await sink.close()
    dns.close()
  })

  const ask = (method: string, path: string, body?: object) =>
    owner.ask(method, path, { workspaceId: service.workspaceId, ...(body && { body }) })
  const codeOf = ({ headers }: Awaited<ReturnType<typeof ask>>) => headers.get('x-error-code')
  const senderOf = ({ body }: Awaited<ReturnType<typeof ask>>) => body.data as Sender
  const read = async () => senderOf(await ask('GET', 'sender'))
  const publish = ({ records }: Sender, what: string) => {
    const { name, value } = records.find((record) => record.what === what)!
    zone[name] = [value]
  }
  /** The selector that a test email is signed with, and whether the published record verifies it. */
  async function signed(): Promise<[string | undefined, string | undefined]> {
    const { body } = await ask('POST', 'emails/test', { subject: 'x', text: 'x' })
    assert.equal(body.data.status, 'SENT')
    const { headers, body: text } = sink.mails.at(-1)!
    const resolver = (name: string) => Promise.resolve((zone[name] ?? []).map((record) => [record]))
    const { results } = (await dkimVerify(Buffer.from(`${headers}\r\n\r\n${text}`), { resolver })) as {
      results: { selector: string; status: { result: string } }[]
    }
    return [results[0]?.selector, results[0]?.status.result]
  }

  it('signs with the first key at once, and with the next one only after its record is published', async () => {
    publish(senderOf(await ask('POST', 'sender/dkim')), 'DKIM')
    assert.deepEqual(await signed(), ['dripline', 'pass'])
    assert.equal(codeOf(await ask('POST', 'sender/dkim/switch')), 'dkim_key_missing')
    const created = senderOf(await ask('POST', 'sender/dkim'))
    assert.deepEqual([created.dkimSelector, created.nextDkimSelector], ['dripline', 'dripline2'])
    const refused = await ask('POST', 'sender/dkim/switch')
    assert.deepEqual([refused.status, codeOf(refused)], [409, 'dkim_record_missing'])
    assert.match(refused.body.error, /dripline2\._domainkey\.orchard\.example is not published yet/)
    assert.deepEqual(await signed(), ['dripline', 'pass'])
    publish(created, 'DKIM_NEXT')
    const switched = senderOf(await ask('POST', 'sender/dkim/switch'))
    assert.deepEqual([switched.dkimSelector, switched.nextDkimSelector], ['dripline2', null])
    assert.deepEqual(await signed(), ['dripline2', 'pass'])
  })

  it('keeps the record of the previous key for a week, and deletes its private key', async () => {
    const previous = (await read()).records.find(({ what }) => what === 'DKIM_PREVIOUS')!
    assert.equal(previous.name, 'dripline._domainkey.orchard.example')
    assert.match(previous.note!, /^Keep it until \d{4}-\d\d-\d\d/)
    const em = service.context.orm.em.fork()
    const [row] = await sql<{ key: Buffer | null }>(
      em,
      `select private_key as key from dkim_keys where role = 'PREVIOUS'`,
    )
    assert.equal(row!.key, null)
    const used = await ask('POST', 'sender/dkim', { selector: 'Dripline' })
    assert.deepEqual([used.status, codeOf(used)], [409, 'dkim_selector_in_use'])
    await sql(em, `update dkim_keys set since = now() - interval '8 days' where role = 'PREVIOUS'`)
    assert.ok(!(await read()).records.some(({ what }) => what === 'DKIM_PREVIOUS'))
    assert.equal(senderOf(await ask('POST', 'sender/dkim', { selector: 'dripline' })).nextDkimSelector, 'dripline')
  })

  it('switches only to the key whose record was checked', async () => {
    const created = senderOf(await ask('POST', 'sender/dkim', { selector: 'three' }))
    publish(created, 'DKIM_NEXT')
    // The next key is replaced while its record is looked up.
    const em = service.context.orm.em.fork()
    const isAsked = dns.asked.length
    const replaced = await em.transactional(async (unit) => {
      await sql(unit, 'select from senders where workspace_id = $1 for update', [service.workspaceId])
      const answer = ask('POST', 'sender/dkim/switch')
      while (!dns.asked.slice(isAsked).some((question) => question.includes('three._domainkey')))
        await new Promise((resolve) => setImmediate(resolve))
      await sql(unit, `update dkim_keys set public_key = 'other' where role = 'NEXT'`)
      // The transaction commits before the request can continue.
      return () => answer
    })
    const answer = await replaced()
    assert.deepEqual([answer.status, codeOf(answer)], [409, 'dkim_key_missing'])
    assert.equal((await read()).dkimSelector, 'dripline2')
  })

  it('deletes all keys', async () => {
    const { dkimSelector, nextDkimSelector, records } = senderOf(await ask('DELETE', 'sender/dkim'))
    assert.deepEqual([dkimSelector, nextDkimSelector], [null, null])
    assert.ok(!records.some(({ what }) => what.startsWith('DKIM')))
  })
})
