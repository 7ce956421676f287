import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { aContact, anAutomation } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

const NOTHING_TO_UPDATE = /^No updatable fields provided\. Give at least one of name, .*, goal\. Steps /

/** Inputs that broke a library, or would have. Each returns a 400 that names the field, and stores no row. */
describe('bad input', () => {
  let service: Service
  let contactId: string
  let automationId: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    contactId = await aContact(service)
    automationId = await anAutomation(service)
  })

  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const contact = (fields: string) => `{"email":"x@example.com",${fields}}`
  const event = (fields: string) => `{"name":"x",${fields}}`
  const step = (json: string) => `{"name":"x","trigger":"EVENT","steps":[${json}]}`
  type Case = [raw: string, message: RegExp, code?: string]
  const cases: Record<string, Record<string, Case>> = {
    'POST contacts': {
      'malformed JSON': ['{"email":', /^Malformed JSON/, 'malformed_json'],
      'an array': ['[]', /must be a JSON object/, 'body_not_an_object'],
      'a string': ['"text"', /must be a JSON object/, 'body_not_an_object'],
      null: ['null', /must be a JSON object/, 'body_not_an_object'],
      'no email': ['{}', /^email is required$/],
      'a null email': ['{"email":null}', /^email is required$/],
      'a number as email': ['{"email":5}', /^email must be a string$/],
      'an invalid email': ['{"email":"a@b"}', /^Invalid email address$/],
      'an email with a header': ['{"email":"a@b.co\\r\\nBcc: evil@x.com"}', /^Invalid email address$/],
      'a first name that is an object': [contact('"firstName":{}'), /^firstName must be a string$/],
      'metadata that is an array': [contact('"metadata":[]'), /^metadata must be a JSON object$/],
      'NUL in a text': [contact('"firstName":"a\\u0000b"'), /^firstName holds a NUL/],
      'NUL in a key': [contact('"metadata":{"a\\u0000":1}'), /^a key of metadata holds a NUL/],
      'a number that is too large': [contact('"metadata":{"a":[1e400]}'), /^metadata\.a\[0\] is a number too large/],
      'half a surrogate pair': [contact('"metadata":{"a":"\\ud800"}'), /^metadata\.a holds half/],
      'depth 10,000': [contact(`"metadata":${deep}`), /^metadata is nested deeper/],
    },
    'POST contacts/bulk': {
      'contacts that are not an array': ['{"contacts":{}}', /^contacts must be an array$/],
      'no contacts': ['{}', /^contacts is required$/],
    },
    'POST contacts/:contact/events': {
      'no name': ['{}', /^name is required$/],
      'an empty name': ['{"name":" "}', /^name must not be empty$/],
      'data that is an array': [event('"data":[1]'), /^data must be a JSON object$/],
      'data that is a number': [event('"data":1'), /^data must be a JSON object$/],
      'deep data': [event(`"data":${deep}`), /^data is nested deeper/],
    },
    'POST events': {
      'no contact': ['{"name":"x"}', /^Send exactly one of contactId, externalId and email$/],
      'two contacts': [event('"email":"a@example.com","externalId":"1"'), /^Send exactly one of/],
      'an email that is none': [event('"email":"a"'), /^Invalid email address$/],
      'a contact to create without email': [
        event('"externalId":"1","createContact":true'),
        /^createContact needs email/,
      ],
      'lists that are not an array': [event('"email":"a@example.com","lists":"x"'), /^lists must be an array$/],
    },
    'POST events/bulk': {
      'no events': ['{}', /^events is required$/],
      'events that are not an array': ['{"events":{}}', /^events must be an array$/],
    },
    'POST automations': {
      'an empty name': ['{"name":"","trigger":"EVENT"}', /^name must not be empty$/],
      'no name': ['{"trigger":"EVENT"}', /^name is required$/],
      'no trigger': ['{"name":"x"}', /^trigger is required$/],
      'a step of an unknown type': [
        step('{"type":"SMS"}'),
        /^steps\[0\]\.type must be one of: EMAIL, WAIT, WAIT_UNTIL, WAIT_FOR_EVENT, CONDITION, SPLIT, UPDATE_CONTACT, WEBHOOK, EXIT$/,
      ],
      'a misspelled type, whose fields are those of the type that was meant': [
        step('{"type":"EMIAL","subject":"Hi"}'),
        /^steps\[0\]\.type must be one of: [A-Z_, ]+; did you mean EMAIL\?$/,
      ],
      'a step that is not an object': [step('1'), /^steps\[0\] must be an object$/],
      'a null step': [step('null'), /^steps\[0\] must not be null$/],
      'an email without a subject': [step('{"type":"EMAIL"}'), /^steps\[0\]\.subject is required$/],
      'a wait without a delay': [
        step('{"type":"WAIT","delayMinutes":0}'),
        /^steps\[0\]\.delayMinutes must be at least 1$/,
      ],
      'a wait of half a minute': [step('{"type":"WAIT","delayMinutes":0.5}'), /delayMinutes must be/],
      'a template that does not parse': [
        step('{"type":"EMAIL","subject":"s","html":"{% if %}"}'),
        /^steps\[0\]\.html is not a valid template/,
        'invalid_template',
      ],
    },
    'PATCH automations/:automation': {
      'an empty name': ['{"name":"  "}', /^name must not be empty$/],
      'a name of 201 characters': [`{"name":"${'x'.repeat(201)}"}`, /^name must not be longer than 200/],
      'an unknown status': [
        '{"status":"active"}',
        /^status must be one of: DRAFT, ACTIVE, PAUSED, ARCHIVED; did you mean ACTIVE\?$/,
      ],
      'a null status': ['{"status":null}', /^status must not be null$/],
      'an event name that is a number': [
        '{"triggerConfig":{"eventName":1}}',
        /^triggerConfig\.eventName must be a non-empty string/,
      ],
      'nothing to update': ['{}', NOTHING_TO_UPDATE, 'nothing_to_update'],
      'only unknown fields to update': ['{"color":"red"}', /^color is unknown; known names: /],
    },
    'PUT automations/:automation/steps': {
      'a branch that is null': [
        '{"steps":[{"type":"SPLIT","branches":[null,{"name":"B","weight":1}]}]}',
        /^steps\[0\]\.branches\[0\] /,
      ],
      'no steps': ['{}', /^steps is required$/],
    },
    'POST automations/:automation/enroll': {
      'no contact': ['{}', /^contactId is required$/],
      'a merge that is an array': ['{"contactId":":contact","merge":[]}', /^merge must be a JSON object$/],
    },
  }
  for (const [operation, rows] of Object.entries(cases))
    it(`is rejected by ${operation.replace(' ', ' /')} with 400, and stores no contact or automation`, async () => {
      const fill = (text: string) => text.replace(':contact', contactId).replace(':automation', automationId)
      const [method = '', path = ''] = operation.split(' ')
      const totals = () =>
        Promise.all(
          ['contacts', 'automations'].map(
            async (list) => (await service.call('GET', list)).body.pagination.total as number,
          ),
        )
      const before = await totals()
      await checkRows(rows, async ([raw, message, code = 'invalid_request']) => {
        const { refused, body } = await service.call(method, fill(path), undefined, { raw: fill(raw) })
        assert.match(body.error, message)
        assert.equal(refused, `400 ${code}`)
        assert.deepEqual(Object.keys(body), ['error'])
      })
      assert.deepEqual(await totals(), before)
    })

  for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    it(`rejects an unknown body key ${key}, and keeps it in metadata`, async () => {
      const raw = `{"email":"${key}@example.com","metadata":{"${key}":{"y":2},"own":1}}`
      const { status, body } = await service.call('POST', 'contacts', undefined, { raw })
      assert.equal(status, 201)
      assert.equal(JSON.stringify(body.data.metadata[key] ?? null), '{"y":2}')
      const putSteps = (body: string) =>
        service.call('PUT', `automations/${automationId}/steps`, undefined, { raw: body })
      const besides = await putSteps(`{"steps":[{"type":"WAIT","delayMinutes":5}],"${key}":1}`)
      assert.match(besides.body.error, new RegExp(`^${key} is unknown`))
      const inStep = await putSteps(`{"steps":[{"type":"WAIT","delayMinutes":5,"${key}":1}]}`)
      assert.match(inStep.body.error, new RegExp(`^steps\\[0\\]\\.${key} is unknown`))
    })
  }

  it('returns 400 for a body without a JSON Content-Type', async () => {
    const { refused, body } = await service.call('POST', 'contacts', undefined, {
      raw: 'email=x@example.com',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(refused, '400 wrong_content_type')
    assert.match(body.error, /Content-Type must be application\/json/)
  })

  it('rejects a body over the limit, and responds to the next request', async () => {
    const raw = `{"email":"x@example.com","firstName":"${'x'.repeat(6_000_000)}"}`
    const { refused, body } = await service.call('POST', 'contacts', undefined, { raw })
    assert.equal(refused, '400 body_too_large')
    assert.equal(body.error, 'Request body too large')
    assert.equal((await service.call('GET', 'whoami')).status, 200)
  })

  it('limits event data to 16 KB of UTF-8', async () => {
    const fire = (filler: string) =>
      service.call('POST', `contacts/${contactId}/events`, { name: 'x', data: { a: filler } })
    const room = 16 * 1024 - Buffer.byteLength('{"a":""}')
    assert.equal((await fire('ü'.repeat(room / 2))).status, 202)
    const { refused, body } = await fire(`${'ü'.repeat(room / 2)}x`)
    assert.equal(refused, '400 invalid_request')
    assert.equal(body.error, 'Request body too large')
  })

  for (const id of ['nonsense', '%00', '00000000-0000-7000-8000-000000000000']) {
    it(`returns 404 for the ID ${id}`, async () => {
      for (const [method, path, code, error] of [
        ['GET', `automations/${id}`, 'automation_not_found', 'Automation not found'],
        ['PATCH', `automations/${id}`, 'automation_not_found', 'Automation not found'],
        ['DELETE', `automations/${id}`, 'automation_not_found', 'Automation not found'],
        ['POST', `automations/${id}/enroll`, 'automation_not_active', 'Automation not found or not active'],
        ['POST', `contacts/${id}/events`, 'contact_not_found', 'Contact not found'],
        ['GET', `contacts/${id}/activity`, 'contact_not_found', 'Contact not found'],
      ] as const) {
        const body = path.endsWith('enroll') ? { contactId } : { name: 'x' }
        const answer = await service.call(method, path, method === 'GET' || method === 'DELETE' ? undefined : body)
        assert.equal(answer.refused, `404 ${code}`, `${method} ${path}`)
        assert.equal(answer.body.error, error)
      }
    })
  }

  it('returns 400 for a DELETE with a query, because a ? in an ID cuts off the rest of the path', async () => {
    const kept = await aContact(service)
    const { refused, body } = await service.call('DELETE', `contacts/${kept}?x/tags/vip`)
    assert.equal(refused, '400 unknown_parameter')
    assert.equal(body.error, '"x/tags/vip" is not a query parameter of this operation; it has none')
    assert.equal((await service.call('GET', `contacts/${kept}`)).status, 200)
  })

  it('returns 404 for an unknown path and 405 for an unknown method', async () => {
    assert.equal((await service.call('GET', 'nowhere')).refused, '404 path_not_found')
    const short = await fetch(`http://127.0.0.1:${service.port}/whoami`, { headers: { 'x-api-key': service.key } })
    assert.match(
      ((await short.json()) as { error: string }).error,
      /Not found: GET \/whoami\. Paths of the API start with/,
    )
    const { refused, headers } = await service.call('DELETE', 'contacts')
    assert.equal(refused, '405 method_not_allowed')
    assert.equal(headers.get('allow'), 'GET, HEAD, POST')
  })

  it('returns 400 for a request target that is not a URL', async () => {
    const client = connect({ port: service.port, host: '127.0.0.1' })
    client.write('GET http://[::1/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const answer = await text(client)
    assert.match(answer, /^HTTP\/1.1 400 /)
    assert.match(answer, /x-request-id/i)
    assert.match(answer, /\{"error":"The request target is not a path or a URL"\}$/)
  })
})
