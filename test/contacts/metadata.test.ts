import assert from 'node:assert/strict'
import { splitMetadata } from '../../src/contacts/metadata.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('metadata', () => {
  it('splits metadata into keys to set and keys to remove, regardless of their names', () => {
    const { set, removedKeys } = splitMetadata(
      JSON.parse('{"__proto__":{"x":1},"constructor":2,"gone":null}') as Record<string, unknown>,
    )
    assert.equal(JSON.stringify(set), '{"__proto__":{"x":1},"constructor":2}')
    assert.deepEqual(removedKeys, ['gone'])
  })

  it('removes thousands of keys in one request, through every endpoint that writes metadata', async () => {
    const service = await openWorkspace({ worker: false })
    const object = (prefix: string, value: unknown) =>
      Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`${prefix}${n}`, value]))
    const email = 'many-keys@example.com'
    const id = await aContact(service, { email, metadata: { ...object('k', 1), kept: 1 } })
    const metadata = async () => {
      const { body } = await service.call('GET', `contacts/${id}`)
      return (body as { data: { metadata: Record<string, unknown> } }).data.metadata
    }
    const none = object('none', null)
    for (const write of [
      () => service.call('POST', 'contacts', { email, metadata: { ...none, k0: null } }),
      () => service.call('POST', 'contacts/bulk', { contacts: [{ email, metadata: { ...none, k1: null } }] }),
      async () => enroll(service, await anAutomation(service), id, { merge: { ...none, k2: null, other: 2 } }),
    ]) {
      assert.ok((await write()).status < 300)
    }
    const left = await metadata()
    assert.deepEqual(
      [left['k0'], left['k1'], left['k2'], left['k3'], left['kept'], left['other']],
      [undefined, undefined, undefined, 1, 1, 2],
    )
    assert.equal(Object.keys(left).length, 3_999)
    await service.call('POST', 'contacts', { email, metadata: object('k', null) })
    assert.deepEqual(await metadata(), { kept: 1, other: 2 })
  })

  it('warns of a time zone that does not apply', async () => {
    const service = await openWorkspace({ worker: false })
    const email = 'zone@example.com'
    const warningOf = async (method: 'POST' | 'PATCH', timezone: unknown) => {
      const path = method === 'POST' ? 'contacts' : `contacts/email:${email}`
      const body = method === 'POST' ? { email, metadata: { timezone } } : { metadata: { timezone } }
      return (await service.call(method, path, body)).headers.get('x-warning')
    }
    for (const zone of ['Europe/Berlin', 'Asia/Calcutta', null]) {
      assert.equal(await warningOf('POST', zone), null)
      assert.equal(await warningOf('PATCH', zone), null)
    }
    for (const zone of ['IST', 'Berlin', 5.5]) {
      assert.match((await warningOf('POST', zone)) ?? '', /^metadata\.timezone is not a time zone/)
      assert.match((await warningOf('PATCH', zone)) ?? '', /^metadata\.timezone is not a time zone/)
    }
  })
})
