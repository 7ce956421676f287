import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { findProvider, InvalidSignature, type Provider, type ProviderEvent } from '../../src/bounces/providers/index.ts'

const FOLDER = new URL('webhooks/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER))
const expected = JSON.parse(read('expected.json').toString()) as {
  file: string
  provider: string
  events: { kind: string; recipient: string }[]
}[]

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:ses-feedback'
const MAILGUN_KEY = 'a signing key of these tests'.replaceAll(' ', '-')
const PASSWORD = 'dripline:a-password-of-these-tests'

/** The URLs that were fetched. */
const fetched: string[] = []
const fetchText = (url: URL) => {
  fetched.push(url.href)
  return Promise.resolve(read('ses/TEST-ONLY-signing-cert.pem').toString())
}

interface Call {
  body: Buffer
  headers: Record<string, string>
  credential: string
}

/** Calls of each provider, signed as the provider signs them. */
const CALLS: Record<string, (file: string) => Call> = {
  ses: (file) => ({ body: read(file), headers: {}, credential: TOPIC }),
  sendgrid: (file) => ({
    body: read(file),
    headers: JSON.parse(read('sendgrid/events-batch.headers.json').toString()) as Record<string, string>,
    credential: read('sendgrid/TEST-ONLY-public-key.txt').toString().trim(),
  }),
  postmark: (file) => ({
    body: read(file),
    headers: { authorization: `Basic ${Buffer.from(PASSWORD).toString('base64')}` },
    credential: PASSWORD,
  }),
  mailgun: (file) => ({ body: signedByMailgun(read(file)), headers: {}, credential: MAILGUN_KEY }),
}

/** Signs with the current time, because old calls are rejected. */
function signedByMailgun(body: Buffer, at = Math.floor(Date.now() / 1_000)): Buffer {
  const call = JSON.parse(body.toString()) as { signature: Record<string, string> }
  const { token } = call.signature
  const signature = createHmac('sha256', MAILGUN_KEY).update(`${at}${token}`).digest('hex')
  return Buffer.from(JSON.stringify({ ...call, signature: { token, timestamp: String(at), signature } }))
}

const reads = async (provider: Provider, { body, headers, credential }: Call): Promise<ProviderEvent[]> =>
  provider.read({ body, header: (name) => headers[name] }, credential, fetchText)

describe('webhooks of mail providers', () => {
  it('reads the events of each recorded call', async () => {
    for (const { file, provider: name, events } of expected) {
      const provider = findProvider(name)!
      const call = CALLS[name]!(file)
      assert.equal(provider.problemOf(call.credential), undefined)
      const parsed = await reads(provider, call)
      assert.deepEqual(
        parsed.map(({ kind, recipient }) => ({ kind, recipient })),
        events,
        file,
      )
      assert.ok(parsed.every(({ id }) => id.length > 5))
    }
  })

  it('rejects each call with a changed byte or a different credential', async () => {
    const others: Record<string, string> = {
      ses: TOPIC.replace('ses-', 'other-'),
      sendgrid: generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .publicKey.export({ type: 'spki', format: 'der' })
        .toString('base64'),
      postmark: `${PASSWORD}!`,
      mailgun: `${MAILGUN_KEY}!`,
    }
    for (const { file, provider: name } of expected) {
      const provider = findProvider(name)!
      const call = CALLS[name]!(file)
      const at = name === 'mailgun' ? call.body.indexOf('"token":"') + 9 : Math.floor(call.body.length / 2)
      const changed = Buffer.from(call.body)
      changed[at] = changed[at] === 0x41 ? 0x42 : 0x41
      // Postmark does not sign its calls.
      if (name !== 'postmark') await assert.rejects(reads(provider, { ...call, body: changed }), InvalidSignature, file)
      await assert.rejects(reads(provider, { ...call, credential: others[name]! }), InvalidSignature, file)
    }
  })

  it('accepts the example that SendGrid publishes', async () => {
    const vector = JSON.parse(read('sendgrid/published-vector.json').toString()) as Record<string, string>
    const call = {
      body: Buffer.from(vector['payload']!),
      credential: vector['publicKey']!,
      headers: {
        'x-twilio-email-event-webhook-signature': vector['signature']!,
        'x-twilio-email-event-webhook-timestamp': vector['timestamp']!,
      },
    }
    assert.deepEqual(await reads(findProvider('sendgrid')!, call), [])
  })

  it('rejects a Mailgun call that is older than a day', async () => {
    const old = signedByMailgun(read('mailgun/complained.json'), Math.floor(Date.now() / 1_000) - 25 * 3_600)
    const call = { body: old, headers: {}, credential: MAILGUN_KEY }
    await assert.rejects(reads(findProvider('mailgun')!, call), /too old/)
  })

  it('rejects a Mailgun call whose timestamp contains the beginning of its token, even though the signature matches', async () => {
    const call = JSON.parse(signedByMailgun(read('mailgun/complained.json')).toString()) as {
      signature: { timestamp: string; token: string; signature: string }
    }
    const { timestamp, token, signature } = call.signature
    for (let moved = 1; moved < 8; moved += 1) {
      const shifted = { timestamp: timestamp + token.slice(0, moved), token: token.slice(moved), signature }
      const body = Buffer.from(JSON.stringify({ ...call, signature: shifted }))
      await assert.rejects(
        reads(findProvider('mailgun')!, { body, headers: {}, credential: MAILGUN_KEY }),
        InvalidSignature,
      )
    }
  })

  it('rejects an SES call with a type or version that is a property of every object', async () => {
    const call = JSON.parse(read('ses/ses-complaint-abuse.json').toString()) as object
    for (const odd of [{ Type: 'constructor' }, { Type: '__proto__' }, { SignatureVersion: 'constructor' }]) {
      const body = Buffer.from(JSON.stringify({ ...call, ...odd }))
      await assert.rejects(reads(findProvider('ses')!, { body, headers: {}, credential: TOPIC }), InvalidSignature)
    }
  })

  it('confirms the SES topic of the workspace, and fetches only from Amazon', async () => {
    const provider = findProvider('ses')!
    const file = 'ses/sns-subscription-confirmation.json'
    fetched.length = 0
    assert.deepEqual(await reads(provider, CALLS['ses']!(file)), [])
    assert.ok(fetched.some((url) => url.includes('Action=ConfirmSubscription')))

    fetched.length = 0
    const call = JSON.parse(read(file).toString()) as Record<string, string>
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const elsewhere = [
      'http://sns.us-east-1.amazonaws.com/SimpleNotificationService-01.pem',
      'https://sns.us-east-1.amazonaws.com.evil.example/SimpleNotificationService-01.pem',
      'https://evil.example/sns.us-east-1.amazonaws.com/SimpleNotificationService-01.pem',
      'https://sns.us-east-1.amazonaws.com@evil.example/SimpleNotificationService-01.pem',
      'https://sns.us-east-1.amazonaws.com:8443/SimpleNotificationService-01.pem',
      'https://s3.amazonaws.com/bucket/SimpleNotificationService-01.pem',
      'https://sns.us-east-1.amazonaws.com/other.pem',
      'file:///etc/passwd',
      '',
    ]
    for (const SigningCertURL of elsewhere) {
      const Signature = sign('RSA-SHA1', Buffer.from('anything'), privateKey).toString('base64')
      const body = Buffer.from(JSON.stringify({ ...call, SigningCertURL, Signature }))
      await assert.rejects(reads(provider, { body, headers: {}, credential: TOPIC }), InvalidSignature, SigningCertURL)
    }
    assert.deepEqual(fetched, [])
  })

  it('reports an invalid credential', () => {
    for (const [name, wrong] of [
      ['ses', 'my topic'],
      ['sendgrid', 'MFkw'],
      ['postmark', 'short:one'],
      ['mailgun', 'a key'],
    ] as const)
      assert.match(findProvider(name)!.problemOf(wrong) ?? '', /^must be /)
  })
})
