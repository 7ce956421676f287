import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { operations } from '../../src/runtime/operations.ts'
import { newId } from '../../src/platform/ids.ts'
import { credentialsFor } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

describe('a query', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  it('is rejected by each operation if it has thousands of parameters', () =>
    checkRows(Object.fromEntries(operations.map((operation) => [operation.id, operation])), async (operation) => {
      const filled = operation.path.slice(1).replaceAll(/\{\w+\}/g, newId())
      const options = await credentialsFor(service, operation)
      const { refused } = await service.call(operation.method, `${filled}?${'a&'.repeat(7_000)}`, undefined, options)
      assert.equal(refused, '400 invalid_request')
    }))

  it('may have a hundred parameters', async () => {
    assert.equal((await service.call('GET', `contacts?limit=1${'&a'.repeat(99)}`)).refused, '400 unknown_parameter')
    assert.equal((await service.call('GET', `contacts?limit=1${'&a'.repeat(100)}`)).refused, '400 invalid_request')
  })

  for (const target of ['foo://host?x', 'mailto:a', 'x', '//', 'http://%@x/', 'http://a:b']) {
    it(`is rejected with the request target ${target}`, async () => {
      const socket = connect(service.port, '127.0.0.1')
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.match(await text(socket), /^HTTP\/1\.1 4/)
    })
  }
})
