// cspell:ignore größe
import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

describe('unknown names', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  type Row = [request: Parameters<Service['call']>, error: string, param: string]
  const rows: Record<string, Row> = {
    'a misspelled field': [
      ['POST', 'contacts', { email: 'a@b.example', fristName: 'Ada' }],
      'fristName is unknown; did you mean firstName?',
      '/fristName',
    ],
    'a misspelled field that is required': [
      ['POST', 'contacts', { emial: 'a@b.example' }],
      'emial is unknown; did you mean email?',
      '/emial',
    ],
    'several fields': [
      ['POST', 'contacts', { email: 'a@b.example', fristName: 'Ada', tag: 'vip' }],
      'fristName is unknown; did you mean firstName? tag is unknown; did you mean tags?',
      '/fristName',
    ],
    'a field unlike any other': [
      ['POST', 'lists', { name: 'x', qqqqqqqq: 1 }],
      'qqqqqqqq is unknown; known names: name, description, public, doubleOptIn',
      '/qqqqqqqq',
    ],
    'a field of another service': [
      ['POST', 'contacts', { email: 'a@b.example', attributes: { plan: 'free' } }],
      'attributes is unknown; did you mean metadata?',
      '/attributes',
    ],
    'traits of a contact': [
      ['POST', 'contacts', { email: 'a@b.example', traits: { plan: 'free' } }],
      'traits is unknown; did you mean metadata?',
      '/traits',
    ],
    'properties of an event': [
      ['POST', 'events', { email: 'a@b.example', name: 'x', properties: { plan: 'free' } }],
      'properties is unknown; did you mean data?',
      '/properties',
    ],
    'a field of an object in the body': [
      ['POST', 'emails', { to: 'a@b.example', subject: 'x', text: 'x', attachments: [{ name: 'a.pdf', content: '' }] }],
      'attachments[0].name is unknown; did you mean filename?',
      '/attachments/0/name',
    ],
    'a misspelled parameter': [
      ['GET', 'contacts?tags=vip'],
      '"tags" is not a query parameter of this operation; did you mean tag?',
      '/tags',
    ],
    'a parameter unlike any other': [
      ['GET', 'messages?from=yesterday'],
      '"from" is not a query parameter of this operation; known names: limit, cursor, status, automationId, campaignId, outcome, contactId, since, until',
      '/from',
    ],
    'a parameter of an operation without parameters': [
      ['GET', 'whoami?x%0D%0Ay=1'],
      '"x\\r\\ny" is not a query parameter of this operation; it has none',
      '/x%0D%0Ay',
    ],
    'a name with non-ASCII characters': [
      ['POST', 'lists', { name: 'x', 'größe/~': 1 }],
      'größe/~ is unknown; known names: name, description, public, doubleOptIn',
      '/gr%C3%B6%C3%9Fe~1~0',
    ],
  }
  it('rejects unknown fields and parameters, and suggests the nearest ones', () =>
    checkRows(rows, async ([request, error, param]) => {
      const { status, body, headers } = await service.call(...request)
      assert.deepEqual([status, body.error, headers.get('x-error-param')], [400, error, param])
    }))

  it('rejects only those items of a bulk request that have unknown fields', async () => {
    const contacts = [{ email: 'a@b.example' }, { email: 'b@b.example', tag: 'x' }]
    const { status, body } = await service.call('POST', 'contacts/bulk', { contacts })
    assert.equal(status, 200)
    assert.deepEqual(body.data.errors, [{ index: 1, error: 'tag is unknown; did you mean tags?' }])
  })

  it('names only the first few of many unknown fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`unknown${'x'.repeat(100)}${n}`, n]))
    const { body } = await service.call('POST', 'lists', { name: 'x', ...many })
    assert.ok(body.error.length < 2_000 && body.error.split('is unknown').length === 6, body.error)
  })

  it('accepts any keys in free objects', async () => {
    const body = { email: 'a@b.example', metadata: { anything: { at: 'all' } } }
    assert.equal((await service.call('POST', 'contacts', body)).status, 200)
  })
})
