import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { verifyWebhook } from '@dripline/client'
import { Webhook } from 'standardwebhooks'
import { signedHeaders } from '../../src/platform/webhook-signature.ts'

const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const OTHER = `whsec_${randomBytes(24).toString('base64')}`
const PAYLOAD = JSON.stringify({ type: 'contact.created', data: { name: 'Zoë ✓' } })
const INVALID = { name: 'DriplineError', code: 'webhook_signature_invalid' }

/** Returns the headers of the library of Standard Webhooks. */
const signed = (payload = PAYLOAD, { at = new Date(), secret = SECRET } = {}): Record<string, string> => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign('msg_1', at, payload),
})
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000)

describe('verifyWebhook', () => {
  it('accepts what the library of Standard Webhooks signed, as text and as bytes', async () => {
    const expected = JSON.parse(PAYLOAD) as unknown
    const bytes = new TextEncoder().encode(PAYLOAD)
    for (const payload of [PAYLOAD, bytes, Buffer.from(PAYLOAD)]) {
      for (const headers of [signed(), new Headers(signed())])
        assert.deepEqual(await verifyWebhook({ payload, headers, secret: SECRET }), expected)
    }
    const node = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]))
    assert.deepEqual(await verifyWebhook({ payload: PAYLOAD, headers: node, secret: SECRET }), expected)
    assert.deepEqual(await verifyWebhook({ payload: PAYLOAD, headers: signed(), secret: SECRET.slice(6) }), expected)
  })

  it('accepts what Dripline signs, also during a rotation, as the library does', async () => {
    const headers = signedHeaders([OTHER, SECRET], { id: 'msg_1', at: new Date(), body: PAYLOAD })
    for (const secret of [OTHER, SECRET]) {
      assert.deepEqual(
        await verifyWebhook({ payload: PAYLOAD, headers, secret }),
        new Webhook(secret).verify(PAYLOAD, headers),
      )
    }
    const empty = signedHeaders([SECRET], { id: 'msg_1', at: new Date(), body: '' })
    assert.equal(await verifyWebhook({ payload: '', headers: empty, secret: SECRET }), undefined)
  })

  it('rejects what the library rejects', async () => {
    const good = signed()
    const wrong: [payload: string, headers: Record<string, string>, secret?: string][] = [
      [`${PAYLOAD} `, good],
      [PAYLOAD, good, OTHER],
      [PAYLOAD, { ...good, 'webhook-id': 'msg_2' }],
      [PAYLOAD, { ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }],
      [PAYLOAD, { ...good, 'webhook-timestamp': 'now' }],
      [PAYLOAD, { ...good, 'webhook-timestamp': '' }],
      [PAYLOAD, { ...good, 'webhook-signature': good['webhook-signature']!.replace('v1,', 'v2,') }],
      [PAYLOAD, { ...good, 'webhook-signature': good['webhook-signature']!.slice(0, -6) }],
      [PAYLOAD, { ...good, 'webhook-signature': 'v1,%%%' }],
      [PAYLOAD, { ...good, 'webhook-signature': '' }],
      [PAYLOAD, { ...good, 'webhook-id': '' }],
    ]
    for (const [payload, headers, secret = SECRET] of wrong) {
      assert.throws(() => new Webhook(secret).verify(payload, headers), JSON.stringify(headers))
      await assert.rejects(verifyWebhook({ payload, headers, secret }), INVALID)
    }
  })

  it('rejects a timestamp more than five minutes off', async () => {
    for (const seconds of [295, -295]) {
      const headers = signed(PAYLOAD, { at: secondsAgo(seconds) })
      await verifyWebhook({ payload: PAYLOAD, headers, secret: SECRET })
    }
    for (const seconds of [305, -305, 1e6]) {
      const headers = signed(PAYLOAD, { at: secondsAgo(seconds) })
      await assert.rejects(verifyWebhook({ payload: PAYLOAD, headers, secret: SECRET }), { code: 'webhook_too_old' })
    }
  })

  it('rejects a parsed body and a wrong secret without repeating it', async () => {
    const payload = JSON.parse(PAYLOAD) as string
    await assert.rejects(verifyWebhook({ payload, headers: signed(), secret: SECRET }), {
      name: 'TypeError',
      message: 'payload must be the body as text or bytes, before it is parsed',
    })
    for (const secret of ['', 'whsec_', 'not base64!'])
      await assert.rejects(verifyWebhook({ payload: PAYLOAD, headers: signed(), secret }), {
        name: 'TypeError',
        message: 'secret must look like whsec_…',
      })
  })
})
