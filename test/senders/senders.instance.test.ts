import assert from 'node:assert/strict'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createSecrets, NoSecretsKey } from '../../src/platform/secrets.ts'
import { aCampaign } from '../support/campaigns.ts'
import { aMember } from '../support/members.ts'
import type { BrowserLike } from '../support/browser-like.ts'
import { startDnsServer, type Zone } from '../support/dns-server.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { isDeferred, tryAgain } from '../support/pending-email.ts'
import { readMail } from '../support/read-mail.ts'
import { serviceWithWorkspace, type Service } from '../support/service.ts'
import { startInstance, type Instance } from '../support/instance.ts'

interface Sender {
  dkimSelector: string | null
  nextDkimSelector: string | null
  records: { what: string; name: string; value: string; note: string | null; status: string; found: string[] }[]
  isSigned: boolean
}

// The instance uses a DNS server and a bounce domain of its own.
describe('the sender of a workspace', () => {
  let instance: Instance
  let service: Service
  let sink: SmtpSink
  let owner: BrowserLike
  const texts: Zone = {}
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  before(async () => {
    sink = await startSmtpSink()
    dns = await startDnsServer(texts)
    const env = { SMTP_URL: sink.url, PUBLIC_URL: 'https://mail.example.com', DNS_SERVERS: dns.address }
    instance = await startInstance({ env: { ...env, SECRETS_KEY: 'k'.repeat(44) } })
  })
  after(async () => {
    await instance.stop()
    await sink.close()
    dns.close()
  })
  /** Opens a workspace that signs its emails with a key whose record is published. */
  beforeEach(async () => {
    for (const name of Object.keys(texts)) delete texts[name]
    // Each test has the domain for itself.
    await sql(em(), 'delete from proven_domains')
    service = await serviceWithWorkspace(instance.context, instance.port)
    owner = (await aMember(service, 'owner')).browser
    assert.equal((await ask('PUT', 'sender', FROM)).status, 200)
    publish(senderOf(await ask('POST', 'sender/dkim')), 'DKIM')
  })

  const FROM = { fromAddress: 'hello@orchard.example' }
  const em = () => instance.context.orm.em.fork()
  const ask = (method: string, path: string, body?: object) =>
    owner.ask(method, path, { workspaceId: service.workspaceId, ...(body && { body }) })
  const codeOf = ({ headers }: Awaited<ReturnType<typeof ask>>) => headers.get('x-error-code')
  const senderOf = ({ body }: Awaited<ReturnType<typeof ask>>) => body.data as Sender
  const read = async () => senderOf(await ask('GET', 'sender'))
  const check = async () => senderOf(await ask('POST', 'sender/check')).records
  const publish = ({ records }: Sender, what: string) => {
    const { name, value } = records.find((record) => record.what === what)!
    texts[name] = [value]
  }
  const mailTo = (address: string) =>
    eventually('the email arrives', () => sink.mails.find(({ to }) => to[0] === address))
  /** Sends an email of an automation. @returns the complete message that the mail server received */
  async function mailed(fields: object = {}) {
    const contactId = await aContact(service)
    const steps = [{ ...EMAIL, html: '<p>Hi</p>', ...fields }]
    await enroll(service, await anAutomation(service, { steps }), contactId)
    return mailTo(await addressOf(service, contactId))
  }
  const whole = ({ headers, body }: { headers: string; body: string }) => Buffer.from(`${headers}\r\n\r\n${body}`)
  /** Verifies the signature of a mail with the published records. */
  const verify = async (mail: { headers: string; body: string }) => {
    const resolver = (name: string) => Promise.resolve((texts[name] ?? []).map((text) => [text]))
    const { results } = (await dkimVerify(whole(mail), { resolver })) as {
      results: {
        status: { result: string }
        selector: string
        signingDomain: string
        signingHeaders: { keys: string }
      }[]
    }
    return results[0]
  }

  it('appears in its emails, with the postal address in marketing emails', async () => {
    const name = 'Orchard, "Fruit" <b>'
    await ask('PUT', 'sender', {
      ...FROM,
      fromName: name,
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
    assert.equal((await read()).isSigned, true)
    const mail = await mailed()
    const signature = await verify(mail)
    assert.deepEqual([signature!.status.result, signature!.signingDomain], ['pass', 'orchard.example'])
    const signed = signature!.signingHeaders.keys.toLowerCase().split(/[:,\s]+/)
    for (const name of ['from', 'to', 'subject', 'list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'feedback-id'])
      assert.ok(signed.includes(name), name)
    for (const [value, other] of [
      ['One-Click', 'Two-Click'],
      [':dripline', ':other'],
      ['.mail.example.com>', '.example.com>'],
    ] as const) {
      const changed = await verify({ ...mail, headers: mail.headers.replace(value, other) })
      assert.notEqual(changed!.status.result, 'pass')
    }
    for (const line of whole(mail).toString().split('\r\n')) assert.ok(Buffer.byteLength(line) <= 998)
  })

  it('also signs campaigns', async () => {
    const list = await aList(service)
    const contactId = await aContact(service, { listId: list })
    await aCampaign(service, [list])
    assert.equal((await verify(await mailTo(await addressOf(service, contactId))))!.status.result, 'pass')
  })

  it('sends and signs test emails', async () => {
    await ask('PUT', 'sender', { ...FROM, replyTo: 'support@orchard.example' })
    const { browser, email: to } = await aMember(service, 'editor')
    const body = { subject: 'Mine', text: 'To look at' }
    const answer = await browser.ask('POST', 'emails/test', { workspaceId: service.workspaceId, body })
    assert.equal(answer.body.data.status, 'SENT')
    const mine = sink.mails.find((mail) => mail.to.includes(to))!
    assert.equal(readMail(mine).headers['from'], 'hello@orchard.example')
    assert.equal(readMail(mine).headers['reply-to'], 'support@orchard.example')
    const signature = await verify(mine)
    assert.deepEqual([signature!.status.result, signature!.signingDomain], ['pass', 'orchard.example'])
  })

  it('lists the required DNS records and their state', async () => {
    const statuses = async () => Object.fromEntries((await check()).map(({ what, status }) => [what, status]))
    const known = { ...texts }
    for (const name of Object.keys(texts)) delete texts[name]
    assert.deepEqual(await statuses(), { SPF: 'MISSING', DKIM: 'MISSING', DMARC: 'MISSING' })
    Object.assign(texts, known, {
      'orchard.example': ['v=spf1 include:_spf.example.net ~all', 'something else'],
      '_spf.example.net': ['v=spf1 ip4:192.0.2.1 ~all'],
      '_dmarc.orchard.example': ['v=DMARC1; p=reject'],
    })
    assert.deepEqual(await statuses(), { SPF: 'OK', DKIM: 'OK', DMARC: 'OK' })
    texts['orchard.example'] = ['v=spf1 +all', 'v=spf1 -all']
    texts['dripline._domainkey.orchard.example'] = ['v=DKIM1; p=AAAA']
    texts['_dmarc.orchard.example'] = ['v=DMARC1; p=maybe']
    assert.deepEqual(await statuses(), { SPF: 'WRONG', DKIM: 'WRONG', DMARC: 'WRONG' })
  })

  it('lists the record of the bounce domain and checks it', async () => {
    await sql(em(), `update instance set bounce_domain = 'bounces.orchard.example'`)
    const find = (records: Sender['records'], wanted: string) => records.find(({ what }) => what === wanted)!
    const { records } = await read()
    const { name, value } = find(records, 'RETURN_PATH')
    assert.deepEqual([name, value], ['bounces.orchard.example', '10 mail.example.com'])
    // Receivers check SPF for the bounce domain, because it is in the envelope.
    assert.equal(find(records, 'SPF').name, 'bounces.orchard.example')
    const returnPath = async () => find(await check(), 'RETURN_PATH')
    assert.equal((await returnPath()).status, 'MISSING')
    texts['MX bounces.orchard.example'] = ['mail.example.com']
    assert.partialDeepStrictEqual(await returnPath(), { status: 'OK', found: ['10 mail.example.com'] })
    texts['MX bounces.orchard.example'] = ['']
    assert.equal((await returnPath()).status, 'WRONG')
    // Also if the workspace has no fromAddress.
    await sql(em(), 'update senders set from_address = null where workspace_id = $1', [service.workspaceId])
    assert.deepEqual(
      (await read()).records.map(({ what, name }) => [what, name]),
      [
        ['SPF', 'bounces.orchard.example'],
        ['RETURN_PATH', 'bounces.orchard.example'],
      ],
    )
    await sql(em(), 'update instance set bounce_domain = null')
  })

  it('encrypts its DKIM key, and defers mail while a worker cannot decrypt it', async () => {
    const ofWorkspace = [service.workspaceId]
    const stored = 'select private_key as key from dkim_keys where workspace_id = $1::uuid'
    const [row] = await sql<{ key: Buffer }>(em(), stored, ofWorkspace)
    assert.ok(!row!.key.toString('latin1').includes('PRIVATE KEY'))
    assert.throws(() => createSecrets('x'.repeat(44)).decrypt(row!.key, 'dkim'), NoSecretsKey)
    assert.throws(() => createSecrets(undefined).decrypt(row!.key, 'dkim'), NoSecretsKey)
    const corrupt = 'update dkim_keys set private_key = set_byte(private_key, 40, 255 - get_byte(private_key, 40))'
    await sql(em(), `${corrupt} where workspace_id = $1::uuid`, ofWorkspace)
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const address = await addressOf(service, contactId)
    await isDeferred(service, automationId, contactId)
    assert.deepEqual(await activityOf(service, contactId), [])
    assert.ok(!sink.mails.some(({ to }) => to[0] === address))
    await ask('DELETE', 'sender/dkim')
    await tryAgain(service, automationId, contactId)
    assert.equal((await verify(await mailTo(address)))!.status.result, 'none')
  })

  it('is rejected with a brand color that is hard to read, or a logo of another server', async () => {
    // With the page, #f4f3f0, #6f6f6f has a contrast of 4.53, and #707070 of 4.46.
    for (const [fields, status] of [
      [{ brandColor: '#6f6f6f' }, 200],
      [{ brandColor: '#707070' }, 400],
      [{ brandColor: 'green' }, 400],
      [{ logoUrl: `https://evil.example/m/${'a'.repeat(32)}.png` }, 400],
      [{ logoUrl: 'https://evil.example/logo.png' }, 400],
      [{ logoUrl: 'https://mail.example.com/m/"onerror=x.png' }, 400],
      [{}, 200],
    ] as const)
      assert.equal((await ask('PUT', 'sender', fields)).status, status, JSON.stringify(fields))
  })

  it('is rejected with a line break in a field or an invalid address', async () => {
    for (const body of [
      { fromName: 'A\r\nBcc: evil@example.com' },
      { fromAddress: 'a@b.co, c@d.co' },
      { replyTo: 'a@b.co\r\nBcc: evil@example.com' },
    ])
      assert.equal((await ask('PUT', 'sender', body)).status, 400, JSON.stringify(body))
  })

  describe('when its DKIM key is rotated', () => {
    /** The selector that a test email is signed with, and whether the published record verifies it. */
    async function signed(): Promise<[string | undefined, string | undefined]> {
      const { body } = await ask('POST', 'emails/test', { subject: 'x', text: 'x' })
      assert.equal(body.data.status, 'SENT')
      const signature = await verify(sink.mails.at(-1)!)
      return [signature?.selector, signature?.status.result]
    }
    /** Creates the next key, publishes its record, and switches to it. */
    const rotate = async () => {
      publish(senderOf(await ask('POST', 'sender/dkim')), 'DKIM_NEXT')
      return senderOf(await ask('POST', 'sender/dkim/switch'))
    }

    it('signs with the first key at once, and with the next one only after its record is published', async () => {
      assert.deepEqual(await signed(), ['dripline', 'pass'])
      assert.equal(codeOf(await ask('POST', 'sender/dkim/switch')), 'dkim_key_missing')
      const created = senderOf(await ask('POST', 'sender/dkim'))
      assert.deepEqual([created.dkimSelector, created.nextDkimSelector], ['dripline', 'dripline2'])
      const refused = await ask('POST', 'sender/dkim/switch')
      assert.equal(refused.refused, '409 dkim_record_missing')
      assert.match(refused.body.error, /dripline2\._domainkey\.orchard\.example is not published yet/)
      assert.deepEqual(await signed(), ['dripline', 'pass'])
      publish(created, 'DKIM_NEXT')
      const switched = senderOf(await ask('POST', 'sender/dkim/switch'))
      assert.deepEqual([switched.dkimSelector, switched.nextDkimSelector], ['dripline2', null])
      assert.deepEqual(await signed(), ['dripline2', 'pass'])
    })

    it('keeps the record of the previous key for a week, and deletes its private key', async () => {
      await rotate()
      const previous = (await read()).records.find(({ what }) => what === 'DKIM_PREVIOUS')!
      assert.equal(previous.name, 'dripline._domainkey.orchard.example')
      assert.match(previous.note!, /^Keep it until \d{4}-\d\d-\d\d/)
      const where = `role = 'PREVIOUS' and workspace_id = $1::uuid`
      const keys = await sql(em(), `select private_key from dkim_keys where ${where}`, [service.workspaceId])
      assert.deepEqual(keys, [{ private_key: null }])
      const used = await ask('POST', 'sender/dkim', { selector: 'Dripline' })
      assert.equal(used.refused, '409 dkim_selector_in_use')
      await sql(em(), `update dkim_keys set since = now() - interval '8 days' where ${where}`, [service.workspaceId])
      assert.ok(!(await read()).records.some(({ what }) => what === 'DKIM_PREVIOUS'))
      assert.equal(senderOf(await ask('POST', 'sender/dkim', { selector: 'dripline' })).nextDkimSelector, 'dripline')
    })

    it('switches only to the key whose record was checked', async () => {
      publish(senderOf(await ask('POST', 'sender/dkim', { selector: 'three' })), 'DKIM_NEXT')
      // The next key is replaced while its record is looked up.
      const before = dns.asked.length
      const replaced = await em().transactional(async (unit) => {
        await sql(unit, 'select from senders where workspace_id = $1 for update', [service.workspaceId])
        const answer = ask('POST', 'sender/dkim/switch')
        await eventually('the record is looked up', () =>
          dns.asked.slice(before).find((question) => question.includes('three._domainkey')),
        )
        await sql(unit, `update dkim_keys set public_key = 'other' where role = 'NEXT' and workspace_id = $1::uuid`, [
          service.workspaceId,
        ])
        // The transaction commits before the request can continue.
        return () => answer
      })
      assert.equal((await replaced()).refused, '409 dkim_key_missing')
      assert.equal((await read()).dkimSelector, 'dripline')
    })

    it('deletes all keys', async () => {
      await rotate()
      const { dkimSelector, nextDkimSelector, records } = senderOf(await ask('DELETE', 'sender/dkim'))
      assert.deepEqual([dkimSelector, nextDkimSelector], [null, null])
      assert.ok(!records.some(({ what }) => what.startsWith('DKIM')))
    })
  })

  describe('with a domain that a workspace has proven', () => {
    /** Opens another workspace with the same sender. */
    async function another() {
      const other = await serviceWithWorkspace(instance.context, instance.port)
      const { browser } = await aMember(other, 'owner')
      const put = () => browser.ask('PUT', 'sender', { workspaceId: other.workspaceId, body: FROM })
      return { other, browser, put }
    }
    const prove = async () => assert.equal((await check()).find(({ what }) => what === 'DKIM')?.status, 'OK')

    it('keeps other workspaces from setting it, and warns before that', async () => {
      const { put } = await another()
      const before = await put()
      assert.match(before.headers.get('x-warning') ?? '', /^No workspace has proven orchard\.example yet/)
      await prove()
      assert.equal((await put()).refused, '409 domain_of_another')
      const mine = await ask('PUT', 'sender', { fromAddress: 'news@Orchard.example' })
      assert.deepEqual([mine.status, mine.headers.get('x-warning')], [200, null])
    })

    it('holds the emails of a workspace that used it before, until it sends from its own', async () => {
      const { other, browser, put } = await another()
      assert.equal((await put()).status, 200)
      await prove()
      const automationId = await anAutomation(other)
      const contactId = await aContact(other)
      await enroll(other, automationId, contactId)
      const address = await addressOf(other, contactId)
      await isDeferred(other, automationId, contactId)
      assert.ok(!sink.mails.some(({ to }) => to[0] === address))
      const own = await browser.ask('PUT', 'sender', {
        workspaceId: other.workspaceId,
        body: { fromAddress: 'hello@other.example' },
      })
      assert.equal(own.status, 200)
      await tryAgain(other, automationId, contactId)
      await mailTo(address)
    })

    it('sends no email from it that was accepted before, and says why', async () => {
      const { other, browser, put } = await another()
      assert.equal((await put()).status, 200)
      const send = async (to: string, more: object = {}) => {
        const message = { to, subject: 'Hi', text: 'x', from: 'ceo@orchard.example' }
        const { body } = await other.call('POST', 'emails', { ...message, ...more })
        return (body.data as { id: string }).id
      }
      const scheduledAt = new Date(Date.now() + 3_000).toISOString()
      const before = await send('before@example.com', { scheduledAt })
      await prove()
      const after = await send('after@example.com')
      const emailIs = (id: string, status: string) =>
        eventually(`the email is ${status}`, async () => {
          const { body } = await other.call('GET', `emails/${id}`)
          const email = body.data as { status: string; error: string | null }
          return email.status === status ? email : undefined
        })
      for (const id of [before, after])
        assert.match((await emailIs(id, 'DEFERRED')).error!, /^Another workspace has proven/)
      // Without a sender of its own, the workspace uses the instance's.
      const body = { fromAddress: null }
      assert.equal((await browser.ask('PUT', 'sender', { workspaceId: other.workspaceId, body })).status, 200)
      for (const id of [before, after])
        assert.match((await emailIs(id, 'FAILED')).error!, /^The address in from is not of the sender/)
      assert.ok(!sink.mails.some(({ headers }) => headers.includes('ceo@orchard.example')))
    })

    it('knows it in every spelling', async () => {
      const { other, browser } = await another()
      const set = (fromAddress: string) =>
        browser.ask('PUT', 'sender', { workspaceId: other.workspaceId, body: { fromAddress } })
      assert.equal((await set('hello@bücher.example')).status, 200)
      await sql(em(), `insert into proven_domains (domain, workspace_id) values ('xn--bcher-kva.example', $1::uuid)`, [
        service.workspaceId,
      ])
      const automationId = await anAutomation(other)
      const contactId = await aContact(other)
      await enroll(other, automationId, contactId)
      await isDeferred(other, automationId, contactId)
      assert.equal((await set('hello@BÜCHER.example')).refused, '409 domain_of_another')
    })
  })
})
