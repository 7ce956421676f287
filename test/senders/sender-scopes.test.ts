import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the sender', () => {
  let service: Service
  before(async () => void (service = await openWorkspace({ worker: false })))

  it('is read and replaced by keys with its scopes', async () => {
    const { workspaceId } = service
    const reader = await service.newKey({ workspaceId, scopes: ['sender:read'] })
    const writer = await service.newKey({ workspaceId, scopes: ['sender:read', 'sender:write'] })
    const fields = { fromName: 'Orchard', trackOpens: true }
    assert.equal((await service.call('PUT', 'sender', fields, { key: reader })).refused, '403 scope_missing')
    assert.equal((await service.call('PUT', 'sender', fields, { key: writer })).status, 200)
    const { data } = (await service.call('GET', 'sender', undefined, { key: reader })).body
    assert.partialDeepStrictEqual(data, fields)
    const other = await service.newKey({ scopes: ['sender:read'] })
    assert.equal((await service.call('GET', 'sender', undefined, { key: other })).body.data.fromName, null)
  })
})
