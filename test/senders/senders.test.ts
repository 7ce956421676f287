import assert from 'node:assert/strict'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createSecrets, NoSecretsKey } from '../../src/platform/secrets.ts'
import { aMember } from '../support/members.ts'
import type { BrowserLike } from '../support/browser-like.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'
import { startService, type Service } from '../support/service.ts'

const SECRETS_KEY = 'k'.repeat(44)

describe('the sender of a workspace', () => {
  let service: Service
  let sink: SmtpSink
  let owner: BrowserLike
  const texts: Record<string, string[]> = {}
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  before(async () => {
    sink = await startSmtpSink()
    dns = await startDnsServer(texts)
    service = await startService({ worker: false, env: { SMTP_URL: sink.url, SECRETS_KEY, DNS_SERVERS: dns.address } })
    // Set by another process. No sign-in of these tests uses this address.
    await sql(service.context.orm.em.fork(), `update instance set public_url = 'https://mail.example.com'`)
    await service.startWorker()
    owner = (await aMember(service, 'owner')).browser
  })
  after(async () => {
    await service.stop()
    await sink.close()
    dns.close()
  })

  interface SenderDetails {
    records: { what: string; name: string; value: string }[]
    isSigned: boolean
  }
  const ask = (method: string, path: string, body?: object) =>
    owner.ask(method, path, { workspaceId: service.workspaceId, ...(body && { body }) })
  const set = (body: object) => ask('PUT', 'sender', body)
  /** The complete message that the mail server received. */
  async function mailed(fields: object = {}) {
    const contactId = await aContact(service)
    await enroll(
      service,
      await anAutomation(service, { steps: [{ ...EMAIL, html: '<p>Hi</p>', ...fields }] }),
      contactId,
    )
    const address = await addressOf(service, contactId)
    return eventually('the email arrives', () => sink.mails.find(({ to }) => to[0] === address))
  }
  const whole = ({ headers, body }: { headers: string; body: string }) => Buffer.from(`${headers}\r\n\r\n${body}`)
  const verify = async (mail: { headers: string; body: string }) => {
    const resolver = (name: string) => Promise.resolve((texts[name] ?? []).map((text) => [text]))
    const { results } = (await dkimVerify(whole(mail), { resolver })) as {
      results: { status: { result: string }; signingDomain: string; signingHeaders: { keys: string } }[]
    }
    return results
  }

  it('appears in its emails, with the postal address in marketing emails', async () => {
    const name = 'Orchard, "Fruit" <b>'
    await set({
      fromName: name,
      fromAddress: 'hello@orchard.example',
      replyTo: 'support@orchard.example',
      postalAddress: 'Orchard Ltd\n1 Main Street & Co',
    })
    const mail = await mailed()
    const { headers } = readMail(mail)
    assert.equal(mail.from, 'hello@orchard.example')
    assert.equal(headers['from'], '"Orchard, \\"Fruit\\" <b>" <hello@orchard.example>')
    assert.equal(headers['reply-to'], 'support@orchard.example')
    assert.match(headers['message-id']!, /@orchard\.example>$/)
    assert.match(mail.body.replaceAll('=\r\n', ''), /Orchard Ltd<br>1 Main Street &amp; Co/)
    assert.ok(!whole(await mailed({ category: 'transactional' })).includes('Main Street'))
  })

  it('signs its emails verifiably, including the unsubscribe headers', async () => {
    await set({ fromAddress: 'hello@orchard.example' })
    const { body } = await ask('POST', 'sender/dkim', { selector: 'one' })
    const told = body.data as SenderDetails
    assert.equal(told.isSigned, true)
    const record = told.records.find(({ what }) => what === 'DKIM')!
    assert.equal(record.name, 'one._domainkey.orchard.example')
    texts[record.name] = [record.value]
    const mail = await mailed()
    const [signature] = await verify(mail)
    assert.equal(signature!.status.result, 'pass')
    assert.equal(signature!.signingDomain, 'orchard.example')
    for (const name of ['from', 'to', 'subject', 'list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'feedback-id'])
      assert.ok(
        signature!.signingHeaders.keys
          .toLowerCase()
          .split(/[:,\s]+/)
          .includes(name),
        name,
      )
    for (const [value, other] of [
      ['One-Click', 'Two-Click'],
      [':dripline', ':other'],
      ['.mail.example.com>', '.example.com>'],
    ] as const) {
      const [changed] = await verify({ ...mail, headers: mail.headers.replace(value, other) })
      assert.notEqual(changed!.status.result, 'pass')
    }
    for (const line of whole(mail).toString().split('\r\n')) assert.ok(Buffer.byteLength(line) <= 998)
  })

  it('also signs campaigns', async () => {
    const contactId = await aContact(service)
    const list = await aList(service)
    await service.call('POST', `lists/${list}/contacts`, { contactId })
    const campaign = { name: 'x', subject: 'x', text: 'x', audience: { listIds: [list] } }
    const id = (await service.call('POST', 'campaigns', campaign)).body.data.id as string
    await service.call('POST', `campaigns/${id}/schedule`, {})
    const address = await addressOf(service, contactId)
    const mail = await eventually('the email arrives', () => sink.mails.find(({ to }) => to[0] === address))
    assert.equal((await verify(mail))[0]!.status.result, 'pass')
  })

  it('sends and signs test emails', async () => {
    await set({ fromAddress: 'hello@orchard.example', replyTo: 'support@orchard.example' })
    const { browser, email: to } = await aMember(service, 'editor')
    const body = { subject: 'Mine', text: 'To look at' }
    const answer = await browser.ask('POST', 'emails/test', { workspaceId: service.workspaceId, body })
    assert.equal(answer.body.data.status, 'SENT')
    const mine = sink.mails.find((mail) => mail.to.includes(to))!
    assert.equal(readMail(mine).headers['from'], 'hello@orchard.example')
    assert.equal(readMail(mine).headers['reply-to'], 'support@orchard.example')
    const [signature] = await verify(mine)
    assert.deepEqual([signature!.status.result, signature!.signingDomain], ['pass', 'orchard.example'])
  })

  it('lists the required DNS records and their state', async () => {
    const check = async () =>
      Object.fromEntries(
        ((await ask('POST', 'sender/check')).body.data.records as { what: string; status: string }[]).map(
          ({ what, status }) => [what, status],
        ),
      )
    const known = { ...texts }
    for (const name of Object.keys(texts)) delete texts[name]
    assert.deepEqual(await check(), { SPF: 'MISSING', DKIM: 'MISSING', DMARC: 'MISSING' })
    Object.assign(texts, known, {
      'orchard.example': ['v=spf1 include:_spf.example.net ~all', 'something else'],
      '_spf.example.net': ['v=spf1 ip4:192.0.2.1 ~all'],
      '_dmarc.orchard.example': ['v=DMARC1; p=reject'],
    })
    assert.deepEqual(await check(), { SPF: 'OK', DKIM: 'OK', DMARC: 'OK' })
    texts['orchard.example'] = ['v=spf1 +all', 'v=spf1 -all']
    texts['one._domainkey.orchard.example'] = ['v=DKIM1; p=AAAA']
    texts['_dmarc.orchard.example'] = ['v=DMARC1; p=maybe']
    assert.deepEqual(await check(), { SPF: 'WRONG', DKIM: 'WRONG', DMARC: 'WRONG' })
  })

  it('lists the record of the bounce domain and checks it', async () => {
    const em = service.context.orm.em.fork()
    await sql(em, `update instance set bounce_domain = 'bounces.orchard.example'`)
    const { body } = await ask('GET', 'sender')
    const told = (body.data as SenderDetails).records.find(({ what }) => what === 'RETURN_PATH')!
    assert.deepEqual([told.name, told.value], ['bounces.orchard.example', '10 mail.example.com'])
    // Receivers check SPF for the bounce domain, because it is in the envelope.
    assert.equal(
      (body.data as SenderDetails).records.find(({ what }) => what === 'SPF')!.name,
      'bounces.orchard.example',
    )
    const check = async () =>
      (
        (await ask('POST', 'sender/check')).body.data.records as { what: string; status: string; found: string[] }[]
      ).find(({ what }) => what === 'RETURN_PATH')!
    assert.equal((await check()).status, 'MISSING')
    texts['MX bounces.orchard.example'] = ['mail.example.com']
    assert.deepEqual([(await check()).status, (await check()).found], ['OK', ['10 mail.example.com']])
    texts['MX bounces.orchard.example'] = ['']
    assert.equal((await check()).status, 'WRONG')
    // Also if the workspace has no fromAddress.
    await sql(em, 'update senders set from_address = null where workspace_id = $1', [service.workspaceId])
    const without = (await ask('GET', 'sender')).body.data as SenderDetails
    assert.deepEqual(
      without.records.map(({ what, name }) => [what, name]),
      [
        ['SPF', 'bounces.orchard.example'],
        ['RETURN_PATH', 'bounces.orchard.example'],
      ],
    )
    await sql(em, `update senders set from_address = 'hello@orchard.example' where workspace_id = $1`, [
      service.workspaceId,
    ])
    await sql(em, 'update instance set bounce_domain = null')
  })

  it('encrypts its DKIM key, and defers mail while a worker cannot decrypt it', async () => {
    const [row] = await sql<{ key: Buffer }>(service.context.orm.em.fork(), 'select private_key as key from dkim_keys')
    assert.ok(!row!.key.toString('latin1').includes('PRIVATE KEY'))
    assert.throws(() => createSecrets('x'.repeat(44)).decrypt(row!.key, 'dkim'), NoSecretsKey)
    assert.throws(() => createSecrets(undefined).decrypt(row!.key, 'dkim'), NoSecretsKey)
    await sql(
      service.context.orm.em.fork(),
      `update dkim_keys set private_key = set_byte(private_key, 40, 255 - get_byte(private_key, 40))`,
    )
    const contactId = await aContact(service)
    await enroll(service, await anAutomation(service), contactId)
    const address = await addressOf(service, contactId)
    const seen = sink.mails.length
    await ask('PUT', 'sender', { fromAddress: 'hello@orchard.example' })
    assert.deepEqual(await activityOf(service, contactId), [])
    assert.equal(sink.mails.length, seen)
    await ask('DELETE', 'sender/dkim')
    await eventually('the email arrives unsigned', () => sink.mails.find(({ to }) => to[0] === address), 60_000)
  })

  for (const [what, body] of [
    ['a line break in its name', { fromName: 'A\r\nBcc: evil@example.com' }],
    ['an invalid address', { fromAddress: 'a@b.co, c@d.co' }],
    ['a line break in an address', { replyTo: 'a@b.co\r\nBcc: evil@example.com' }],
  ] as const) {
    it(`returns 400 for ${what}`, async () => assert.equal((await set(body)).status, 400))
  }
})
