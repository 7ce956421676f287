import assert from 'node:assert/strict'
import { openLog } from '../../src/platform/log.ts'
import { anAutomation, EMAIL } from '../support/factories.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { freePorts } from '../support/ports.ts'

describe('the log', () => {
  let service: Instance
  const lines: string[] = []
  before(async () => {
    const [nowhere] = await freePorts(1)
    service = await startInstance({
      worker: false,
      env: { TEMPORAL_ADDRESS: `127.0.0.1:${nowhere}` },
      log: openLog('debug', { write: (line) => void lines.push(line) }),
    })
  })
  after(() => service.stop())

  it('includes the request ID in every line, and no data of a contact or a key', async () => {
    const call = (method: string, path: string, body?: unknown) =>
      service.call(method, path, body, { headers: { 'x-request-id': 'request-1' } })
    const contact = {
      email: 'secret-address@example.com',
      firstName: 'SecretName',
      metadata: { note: 'secret-note' },
      tags: ['secret-tag'],
    }
    const signUps = { trigger: 'SIGNUP', steps: [EMAIL] }
    await anAutomation(service, signUps)
    lines.length = 0
    const { body } = await call('POST', 'contacts', contact)
    await call('GET', 'contacts?email=secret-address@example.com&tag=secret-tag')
    await call('DELETE', `contacts/${body.data.id}/tags/secret-tag`)
    await call('POST', `contacts/${body.data.id}/events`, { name: 'secret-event', data: { note: 'secret-data' } })
    await call('POST', 'contacts', { email: 'secret-wrong', firstName: 5 })
    await call('GET', 'nowhere/secret-path')
    await call('DELETE', `contacts/${body.data.id}`)

    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.ok(parsed.length >= 8, 'each request has a line, and so has each failed delivery')
    assert.ok(parsed.some(({ msg }) => msg === 'Delivery to Temporal failed; rescheduled'))
    for (const line of parsed) assert.equal(line['requestId'], 'request-1', JSON.stringify(line))
    const text = lines.join('')
    assert.doesNotMatch(text, /secret/i)
    assert.ok(!text.includes(service.key))
    const answered = parsed.filter(({ msg }) => msg === 'Answered')
    assert.deepEqual(
      answered.map(({ method, route, status }) => [method, route, status]),
      [
        ['POST', '/api/v1/contacts', 201],
        ['GET', '/api/v1/contacts', 200],
        ['DELETE', '/api/v1/contacts/:id/tags/:tag', 200],
        ['POST', '/api/v1/contacts/:id/events', 202],
        ['POST', '/api/v1/contacts', 400],
        ['GET', null, 404],
        ['DELETE', '/api/v1/contacts/:id', 200],
      ],
    )
  })
})
