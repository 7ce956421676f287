import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { aContact, anAutomation } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('large and malformed bodies', () => {
  let service: Service
  let automationId: string
  let contactId: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    contactId = await aContact(service)
    automationId = await anAutomation(service)
  })

  const send = (method: string, path: string, raw: string | Uint8Array<ArrayBuffer>) =>
    service.call(method, path, undefined, { raw, headers: { 'content-type': 'application/json' } })

  it('rejects an array that is too long without validating its items', async () => {
    const ones = `[${'1,'.repeat(10_000)}1]`
    for (const [method, path, raw, error] of [
      ['POST', 'contacts', `{"email":"a@example.com","tags":${ones}}`, 'tags must not exceed 100 items'],
      ['POST', `contacts/${contactId}/tags`, `{"tags":${ones}}`, 'tags must not exceed 100 items'],
      ['POST', `lists/${newId()}/contacts`, `{"contactIds":${ones}}`, 'contactIds array must not exceed 1000 items'],
      ['POST', 'automations', `{"name":"x","trigger":"SIGNUP","steps":${ones}}`, 'steps must not exceed 500 items'],
      ['PUT', `automations/${automationId}/steps`, `{"steps":${ones}}`, 'steps must not exceed 500 items'],
      ['POST', 'contacts/bulk', `{"contacts":${ones}}`, 'contacts array must not exceed 1000 items'],
    ] as const) {
      const answer = await send(method, path, raw)
      assert.deepEqual([answer.refused, answer.body], ['400 invalid_request', { error }])
    }
  })

  it('names at most ten problems in an error', async () => {
    const raw = `{"email":"a@example.com","tags":[${'1,'.repeat(99)}1]}`
    const error = (await send('POST', 'contacts', raw)).body.error as string
    assert.equal(error.split('; ').length, 11)
    assert.match(error, /^tags\[0\] must be a string; .*; and more$/)
  })

  it('rejects each invalid item of a bulk request with a short message', async () => {
    const tags = Array.from({ length: 90 }, () => 1)
    const raw = JSON.stringify({ contacts: Array.from({ length: 1_000 }, () => ({ email: 'x', tags })) })
    const { status, body } = await send('POST', 'contacts/bulk', raw)
    assert.deepEqual([status, body.data.failed], [200, 1_000])
    const { length } = JSON.stringify(body)
    assert.ok(length < 400_000, `${length} bytes`)
  })

  it('rejects metadata of more than 64 KB', async () => {
    const room = 64 * 1024 - Buffer.byteLength('{"a":""}')
    const of = (bytes: number) => ({ a: 'ü'.repeat(bytes / 2) })
    const error = 'metadata must not be larger than 65536 bytes as JSON'
    const address = 'much@example.com'
    assert.equal((await service.call('POST', 'contacts', { email: address, metadata: of(room) })).status, 201)
    const answer = await service.call('POST', 'contacts', { email: address, metadata: { ...of(room), b: 1 } })
    assert.deepEqual([answer.refused, answer.body], ['400 invalid_request', { error }])
    const bulk = await service.call('POST', 'contacts/bulk', { contacts: [{ email: address, metadata: of(room + 2) }] })
    assert.deepEqual(bulk.body.data.errors, [{ index: 0, error }])
    const merged = await service.call('POST', `automations/${automationId}/enroll`, { contactId, merge: of(room + 2) })
    assert.deepEqual([merged.refused, merged.body.error], ['400 invalid_request', error.replace('metadata', 'merge')])
  })

  it('rejects bodies that are not UTF-8 or that are compressed', async () => {
    const latin = Buffer.from('{"email":"j\xf6rg@example.com"}', 'latin1')
    assert.match((await send('POST', 'contacts', latin)).body.error as string, /Malformed JSON: the body is not UTF-8/)
    const packed = await service.call('POST', 'contacts', undefined, {
      raw: 'x',
      headers: { 'content-encoding': 'gzip' },
    })
    assert.deepEqual(
      [packed.refused, packed.body.error],
      ['400 wrong_content_type', 'The body must be sent without a Content-Encoding'],
    )
  })
})
