import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

describe('X-Warning', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const warning = async (...request: Parameters<Service['call']>) =>
    (await service.call(...request)).headers.get('x-warning')

  type Row = [request: Parameters<Service['call']>, expected: string]
  const unknownVariable = { type: 'EMAIL', subject: 'Hello {{ contact.firstname }}', text: 'x' }
  const rows: Record<string, Row> = {
    'an unknown field': [
      ['POST', 'contacts', { email: 'a@b.example', fristName: 'Ada' }],
      '/fristName is unknown and was ignored; did you mean firstName?',
    ],
    'an unknown field unlike any other': [
      ['POST', 'lists', { name: 'x', qqqqqqqq: 1 }],
      '/qqqqqqqq is unknown and was ignored; known names: name, description, public, doubleOptIn',
    ],
    'an unknown field of a rejected request': [
      ['POST', 'contacts', { emial: 'a@b.example' }],
      '/emial is unknown and was ignored; did you mean email?',
    ],
    'an unknown field of an item': [
      ['POST', 'contacts/bulk', { contacts: [{ email: 'a@b.example' }, { email: 'b@b.example', tag: 'x' }] }],
      '/contacts/1/tag is unknown and was ignored; did you mean tags?',
    ],
    'an unknown variable of a template': [
      ['POST', 'automations', { name: 'x', trigger: 'SIGNUP', steps: [unknownVariable] }],
      '/steps/0/subject: {{ contact.firstname }} is not a known variable, so it is empty in every email; did you mean contact.firstName?',
    ],
    'an unknown parameter': [['GET', 'contacts?tga=vip'], '/tga is unknown and was ignored; did you mean tag?'],
    'an unknown parameter unlike any other': [
      ['GET', 'messages?from=yesterday'],
      '/from is unknown and was ignored; known names: limit, cursor, status, automationId, campaignId, contactId, since, until',
    ],
    'a parameter of an operation without parameters': [
      ['GET', 'whoami?x%0D%0Ay=1'],
      '/x%0D%0Ay is unknown and was ignored',
    ],
    'a name with non-ASCII characters': [
      ['POST', 'lists', { name: 'x', 'größe/~': 1 }],
      '/gr%C3%B6%C3%9Fe~1~0 is unknown and was ignored; known names: name, description, public, doubleOptIn',
    ],
  }
  it('names unknown fields, parameters and variables', () =>
    checkRows(rows, async ([request, expected]) => assert.equal(await warning(...request), expected)))

  it('names only the first few of many unknown fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`unknown${'x'.repeat(100)}${n}`, n]))
    const header = await warning('POST', 'lists', { name: 'x', ...many })
    assert.ok(header !== null && header.length < 1_000 && header.split('is unknown').length === 6, header ?? '')
  })

  it('omits the header for known fields and free metadata', async () => {
    assert.equal(
      await warning('POST', 'contacts', { email: 'a@b.example', metadata: { anything: { at: 'all' } } }),
      null,
    )
    assert.equal(await warning('GET', 'contacts?tag=vip&page=1'), null)
  })

  it('replays the warning of an idempotent response', async () => {
    const options = { headers: { 'idempotency-key': 'warned' } }
    const first = await warning('POST', 'lists', { nmae: 'x', name: 'x' }, options)
    assert.match(first ?? '', /nmae/)
    assert.equal(await warning('POST', 'lists', { nmae: 'x', name: 'x' }, options), first)
  })
})
