import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { operations } from '../../src/runtime/operations.ts'
import { newId } from '../../src/platform/ids.ts'
import { asWhoMay } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('a query', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())

  for (const operation of operations) {
    const { method, path } = operation
    it(`rejects thousands of query parameters in ${method} ${path}`, async () => {
      const filled = path.slice(1).replaceAll(/\{\w+\}/g, newId())
      const options = await asWhoMay(service, operation)
      const { refused } = await service.call(method, `${filled}?${'a&'.repeat(7_000)}`, undefined, options)
      assert.equal(refused, '400 invalid_request')
    })
  }

  it('accepts a hundred query parameters', async () => {
    assert.equal((await service.call('GET', `contacts?limit=1${'&a'.repeat(99)}`)).status, 200)
    assert.equal((await service.call('GET', `contacts?limit=1${'&a'.repeat(100)}`)).refused, '400 invalid_request')
  })

  for (const target of ['foo://host?x', 'mailto:a', 'x', '//', 'http://%@x/', 'http://a:b']) {
    it(`rejects the request target ${target}`, async () => {
      const socket = connect(service.port, '127.0.0.1')
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      let answer = ''
      for await (const part of socket.setEncoding('utf8')) answer += String(part)
      assert.match(answer, /^HTTP\/1\.1 4/)
    })
  }
})
