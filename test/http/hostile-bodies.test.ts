import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { DEFAULT_BODY_LIMIT } from '../../src/http/body.ts'
import { BASE_PATH, operations } from '../../src/parts/operations.ts'
import { newId } from '../../src/platform/ids.ts'
import { asWhoMay } from '../support/members.ts'
import { aContact, anAutomation } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

/** Small enough to be read at a glance, whatever was sent. */
const SMALL = 4_096

/** A body that is made while it is sent: a beginning, and then the same over and over, as long as it says it is. */
interface Endless {
  head: string
  unit: string
  length: number
}

function* slices(body: Buffer | Endless): Generator<Buffer> {
  const size = 64 * 1024
  if (Buffer.isBuffer(body)) {
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
    return
  }
  const { head, unit, length } = body
  const slice = Buffer.from(unit.repeat(size / unit.length))
  yield Buffer.from(head)
  let left = length - head.length
  for (; left > slice.length; left -= slice.length) yield slice
  yield slice.subarray(0, left)
}

/** A key, or what a browser sends. */
type Sender = string | Record<string, string>

interface Answer {
  status: number
  refused: string
  text: string
}

describe('bodies that are made to harm', () => {
  let service: Service
  let automationId: string
  let contactId: string
  before(async () => {
    service = await startService({ worker: false })
    contactId = await aContact(service)
    automationId = await anAutomation(service)
    // Threads are started, code is compiled: what is measured below is what is asked below.
    for (let n = 0; n < 3; n += 1) {
      await service.call('POST', 'contacts/bulk', { contacts: Array.from({ length: 50 }, () => ({ email: 'a@b' })) })
      await send('POST', 'automations', JSON.stringify({ name: 'x', trigger: 'SIGNUP', steps: [email('x')] }))
    }
  })
  after(async () => {
    await service.stop()
  })

  const email = (html: string) => ({ type: 'EMAIL', subject: 's', html })

  /** Sends as a client does that reads the answer whenever it comes; what it could not send any more is no failure. */
  const send = (
    method: string,
    path: string,
    body: string | Buffer | Endless,
    sender: Sender = service.key,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      const sent = httpRequest({
        agent: false,
        method,
        port: service.port,
        path: `${BASE_PATH}/${path}`,
        headers: {
          ...(typeof sender === 'string' ? { authorization: `Bearer ${sender}` } : sender),
          'content-type': 'application/json',
          'content-length': bytes.length,
        },
      })
      sent.once('error', reject)
      sent.once('response', (response) => {
        sent.off('error', reject).on('error', () => undefined)
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('end', () => {
          sent.destroy()
          const { statusCode = 0, headers } = response
          resolve({ status: statusCode, refused: `${statusCode} ${String(headers['x-error-code'])}`, text })
        })
      })
      // By and by: what the client's own system does with megabytes at once is not what is measured.
      Readable.from(slices(bytes)).pipe(sent)
    })

  /** Sends a body, and asks for /whoami behind it on the same connection. @returns both statuses. */
  const twice = (method: string, path: string, body: string, key: string): Promise<number[]> =>
    new Promise((resolve, reject) => {
      const socket = connect(service.port, '127.0.0.1')
      const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
      socket.write(`${head(`${method} ${BASE_PATH}/${path}`)}Content-Length: ${body.length}\r\n\r\n${body}`)
      socket.write(`${head(`GET ${BASE_PATH}/whoami`)}\r\n`)
      let text = ''
      socket
        .setEncoding('utf8')
        .once('error', reject)
        .on('data', (chunk: string) => {
          text += chunk
          const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
          if (statuses.length < 2) return
          socket.destroy()
          resolve(statuses)
        })
    })

  const isHarmless = ({ text }: { text: string }) => {
    assert.ok(text.length < SMALL, `an answer of ${text.length} bytes`)
  }

  const pathOf = (path: string) =>
    path.slice(1).replace('{id}', path.startsWith('/automations') ? automationId : contactId)

  for (const operation of operations) {
    const { method, path, body, bodyLimit = DEFAULT_BODY_LIMIT } = operation
    if (!body) continue
    const sender = async () => (await asWhoMay(service, operation)).headers ?? service.key
    const fields = Object.keys(body.fields)
    for (const [what, unit] of [
      ['a text', 'x'],
      ['empty arrays', '[],'],
      ['numbers', '1,'],
    ] as const) {
      it(`${method} ${path} refuses ten times its limit of ${what}, with few words`, async () => {
        const head = `{${fields.map((name) => JSON.stringify(name)).join(':1,')}:${unit === 'x' ? '"' : '['}`
        const answer = await send(method, pathOf(path), { head, unit, length: bodyLimit.bytes * 10 }, await sender())
        assert.deepEqual([answer.refused, answer.text], ['400 body_too_large', '{"error":"Request body too large"}'])
        isHarmless(answer)
      })
    }
    for (const field of fields) {
      for (const [what, item] of [
        ['numbers', '1'],
        ['empty arrays', '[]'],
        ['objects', '{"a":0}'],
      ] as const) {
        it(`${method} ${path} refuses what ${field} can hold of ${what}, with few words`, async () => {
          const values = bodyLimit.values / (item.length > 2 ? 3 : 2) - 10
          const items = Math.floor(Math.min(values, (bodyLimit.bytes - 100) / (item.length + 1)))
          const answer = await send(
            method,
            pathOf(path),
            `{"${field}":[${`${item},`.repeat(items - 1)}${item}]}`,
            await sender(),
          )
          assert.equal(answer.refused, '400 invalid_request')
          isHarmless(answer)
        })
      }
    }
  }

  it('are refused by their length before anybody looks at the items', async () => {
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
      assert.deepEqual([answer.refused, JSON.parse(answer.text)], ['400 invalid_request', { error }])
      isHarmless(answer)
    }
  })

  it('are told of ten problems, not of all', async () => {
    const raw = `{"email":"a@example.com","tags":[${'1,'.repeat(99)}1]}`
    const { text } = await send('POST', 'contacts', raw)
    const { error } = JSON.parse(text) as { error: string }
    assert.equal(error.split('; ').length, 11)
    assert.match(error, /^tags\[0\] must be a string; .*; and more$/)
  })

  it('have items that fail alone, each with few words', async () => {
    const tags = Array.from({ length: 90 }, () => 1)
    const raw = JSON.stringify({ contacts: Array.from({ length: 1_000 }, () => ({ email: 'x', tags })) })
    const { status, text } = await send('POST', 'contacts/bulk', raw)
    assert.equal(status, 200)
    assert.ok(text.length < 400_000, `${text.length} bytes`)
    assert.equal((JSON.parse(text) as { data: { failed: number } }).data.failed, 1_000)
  })

  it('of 55,000 outputs, in nine steps, are refused', async () => {
    const steps = Array.from({ length: 9 }, (_, n) => email(`${'{{a}}b'.repeat(55_000)}${n}`))
    const answer = await send('POST', 'automations', JSON.stringify({ name: 'x', trigger: 'SIGNUP', steps }))
    assert.equal(answer.refused, '400 invalid_template')
    assert.match(answer.text, /steps\[\d\]\.html is no valid template: has more than 5,000 outputs and tags/)
    isHarmless(answer)
  })

  it('of five hundred steps with long templates are checked, each once', async () => {
    const [one, other] = [
      email(`${'{{ contact.firstName }} '.repeat(300)}1`),
      email(`${'x'.repeat(7_000)}{{ contact.email }}`),
    ]
    const steps = Array.from({ length: 500 }, (_, n) => (n % 2 === 0 ? one : other))
    // Written nowhere: how the database takes them is not what is measured.
    const { refused } = await send('PUT', `automations/${newId()}/steps`, JSON.stringify({ steps }))
    assert.equal(refused, '404 automation_not_found')
  })

  it('are not read where there is nothing, where it is another method, or where the scope is missing', async () => {
    const arrays = `[${'[],'.repeat(1_500_000)}1]`
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['lists:read'] })
    for (const [method, path, expected, sender] of [
      ['POST', 'nowhere', 404, service.key],
      ['PUT', 'contacts', 405, service.key],
      ['POST', 'contacts/bulk', 403, key],
      ['POST', 'contacts', 401, 'nobody'],
    ] as const) {
      const answer = await send(method, path, arrays, sender)
      assert.equal(answer.status, expected)
      isHarmless(answer)
      // And the connection takes the next request, when it has sent all of this one.
      assert.deepEqual(await twice(method, path, arrays.slice(0, 1_000_000), sender), [
        expected,
        sender === 'nobody' ? 401 : 200,
      ])
    }
  })

  it('longer than anybody reads end the connection, after the answer', async () => {
    const answer = await send('POST', 'nowhere', Buffer.alloc(64 * 1024 * 1024, 32))
    assert.equal(answer.refused, '404 path_not_found')
    assert.equal((await send('POST', 'nowhere', '{}')).refused, '404 path_not_found')
  })

  it('have metadata of at most 64 KB', async () => {
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

  it('have to be UTF-8, and come as they are', async () => {
    const latin = Buffer.from('{"email":"j\xf6rg@example.com"}', 'latin1')
    assert.match((await send('POST', 'contacts', latin)).text, /Malformed JSON: the body is not UTF-8/)
    const packed = await service.call('POST', 'contacts', undefined, {
      raw: 'x',
      headers: { 'content-encoding': 'gzip' },
    })
    assert.deepEqual(
      [packed.refused, packed.body.error],
      ['400 wrong_content_type', 'The body must be sent as it is, without a Content-Encoding'],
    )
  })
})
