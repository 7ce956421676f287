// cspell:ignore Adda
import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { gzipSync } from 'node:zlib'
import { sql } from '../../src/platform/db/sql.ts'
import { eventIdOf } from '../../src/sources/apply-call.ts'
import { deleteOldKeptCalls } from '../../src/sources/kept-call-queries.ts'
import { activityOf, aContact, anAutomation, EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { CallOptions, Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

interface Contact {
  id: string
  email: string
  externalId: string | null
  firstName: string | null
  metadata: Record<string, unknown>
}

describe('the Segment source', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const send = (body: unknown, options?: CallOptions) => service.call('POST', 'sources/segment', body, options)
  const find = async (name: string) => (await service.call('GET', `contacts/${name}`)).body.data as Contact | undefined
  const eventsOf = async (name: string) => {
    const { id } = (await find(name))!
    return (await service.call('GET', `contacts/${id}/events`)).body.data as {
      id: string
      name: string
      data: unknown
    }[]
  }
  const hasOneEmail = async (name: string, subject: string) => {
    const { id } = (await find(name))!
    await eventually(`an email with the subject ${subject}`, async () => {
      const emails = (await activityOf(service, id)).filter((each) => each.subject === subject)
      return emails.length === 1 || undefined
    })
  }
  const aUser = () => {
    const userId = `user-${newId()}`
    return { userId, email: `${userId}@example.com`, name: `external:${userId}` }
  }
  const applied = (received = 1, ignored = 0, kept = 0) => ({ data: { received, ignored, kept, errors: [] } })
  const errorOf = async (call: object) => {
    const { status, body } = await send({ batch: [call] })
    assert.equal(status, 200)
    assert.equal(body.data.errors.length, 1)
    return body.data.errors[0].error as string
  }

  describe('identify', () => {
    it('creates a contact, and updates it by its userId', async () => {
      const { userId, email, name } = aUser()
      const traits = { email: ` ${email} `, firstName: 'Ada', plan: 'free', seats: 3 }
      const { status, body } = await send({ type: 'identify', userId, traits })
      assert.deepEqual([status, body], [200, applied()])
      const created = (await find(name))!
      assert.partialDeepStrictEqual(created, {
        email,
        externalId: userId,
        firstName: 'Ada',
        metadata: { plan: 'free', seats: 3 },
      })
      const change = { email: `new-${email}`, firstName: null, plan: 'pro', seats: null }
      assert.deepEqual((await send({ type: 'identify', userId, traits: change })).body, applied())
      assert.partialDeepStrictEqual(await find(name), { id: created.id, email: `new-${email}`, firstName: null })
      assert.deepEqual((await find(name))!.metadata, { plan: 'pro' })
    })

    it('gives a contact with the address the userId', async () => {
      const { userId, email, name } = aUser()
      const id = await aContact(service, { email, metadata: { a: 1 } })
      assert.deepEqual((await send({ type: 'identify', userId, traits: { email, b: 2 } })).body, applied())
      assert.partialDeepStrictEqual(await find(name), { id, metadata: { a: 1, b: 2 } })
    })

    it('is harmless if it is repeated', async () => {
      const { userId, email, name } = aUser()
      const steps = [{ ...EMAIL, subject: 'Welcome' }]
      await anAutomation(service, { trigger: 'SIGNUP', triggerConfig: {}, steps })
      const call = { type: 'identify', messageId: newId(), userId, traits: { email } }
      assert.deepEqual((await send({ batch: [call, call] })).body, applied(2, 1))
      assert.deepEqual((await send(call)).body, applied())
      await hasOneEmail(name, 'Welcome')
    })

    it('returns an error that explains how to continue', async () => {
      const [taken, user] = [aUser(), aUser()]
      for (const { userId, email } of [taken, user]) await send({ type: 'identify', userId, traits: { email } })
      const { userId } = aUser()
      assert.equal(
        await errorOf({ type: 'identify', traits: {} }),
        'The call names no contact. Send userId or traits.email.',
      )
      assert.equal(
        await errorOf({ type: 'identify', userId, traits: { email: 'a' } }),
        'traits.email is not a valid email address',
      )
      assert.equal(
        await errorOf({ type: 'identify', userId, traits: { email: 5 } }),
        'traits.email is not a valid email address',
      )
      assert.equal(
        await errorOf({ type: 'identify', userId: user.userId, traits: { firstName: {} } }),
        'traits.firstName must be a text',
      )
      assert.match(
        await errorOf({ type: 'identify', userId: user.userId, traits: { email: taken.email } }),
        /^Another contact has this email address/,
      )
      const filler = { a: 'x'.repeat(60_000) }
      await send({ type: 'identify', userId: user.userId, traits: filler })
      assert.match(
        await errorOf({ type: 'identify', userId: user.userId, traits: { b: filler.a } }),
        /^metadata must not exceed 65536 bytes/,
      )
    })
  })

  describe('track', () => {
    it('fires an event once for each messageId', async () => {
      const { userId, email, name } = aUser()
      const eventName = `Order ${newId()}`
      await anAutomation(service, {
        triggerConfig: { eventName },
        steps: [{ ...EMAIL, subject: 'Thanks' }],
      })
      const messageId = `m-${newId()}`
      const call = { type: 'track', messageId, userId, event: eventName, properties: { total: 59.9 } }
      const { body } = await send({ batch: [{ type: 'identify', userId, traits: { email } }, call, call] })
      assert.deepEqual(body, applied(3, 1))
      assert.deepEqual((await send(call)).body, applied())
      assert.deepEqual((await send({ ...call, properties: {} })).body, applied())
      const events = await eventsOf(name)
      assert.deepEqual(
        events.map(({ id, name, data }) => ({ id, name, data })),
        [{ id: eventIdOf(service.workspaceId, messageId), name: eventName, data: { total: 59.9 } }],
      )
      await hasOneEmail(name, 'Thanks')
      const other = await service.newKey()
      const inOther = await send({ batch: [{ ...call, context: { traits: { email } } }] }, { key: other })
      assert.deepEqual(inOther.body, applied(), 'another workspace may have the same messageId')
    })

    it('stores calls without a messageId, and each request with an Idempotency-Key once', async () => {
      const { userId, email, name } = aUser()
      await send({ type: 'identify', userId, traits: { email } })
      const body = { batch: [1, 2].map((n) => ({ type: 'track', userId, event: 'seen', properties: { n } })) }
      const headers = { 'Idempotency-Key': newId() }
      for (let n = 0; n < 2; n += 1) assert.deepEqual((await send(body, { headers })).body, applied(2))
      assert.equal((await eventsOf(name)).length, 2)
      await send(body)
      assert.equal((await eventsOf(name)).length, 4)
    })

    it('creates a contact by the address in context.traits', async () => {
      const { userId, email, name } = aUser()
      const context = { traits: { email } }
      assert.deepEqual((await send({ type: 'track', userId, event: 'seen', context })).body, applied())
      assert.deepEqual((await send({ type: 'track', userId: '', event: 'seen', context })).body, applied())
      assert.equal((await eventsOf(name)).length, 2)
    })

    it('fires the event of another userId for the contact with the address, which keeps its userId', async () => {
      const { userId, email, name } = aUser()
      await send({ type: 'identify', userId, traits: { email } })
      const call = { type: 'track', userId: `anonymous-${userId}`, event: 'Visited', context: { traits: { email } } }
      assert.deepEqual((await send(call)).body, applied())
      assert.deepEqual((await send({ type: 'track', userId, event: 'Ordered' })).body, applied())
      assert.deepEqual((await eventsOf(name)).map((event) => event.name).toSorted(), ['Ordered', 'Visited'])
    })

    it('returns an error for a call that names no user', async () => {
      const { body } = await send({ batch: [{ type: 'track', event: 'seen', messageId: 'm-1', anonymousId: newId() }] })
      assert.deepEqual(body.data.errors, [
        { index: 0, messageId: 'm-1', error: 'The call names no contact. Send userId or context.traits.email.' },
      ])
    })
  })

  describe('a call of a user who is not known yet', () => {
    it('is kept, with a warning, and applied in its order when an identify call follows', async () => {
      const { userId, email, name } = aUser()
      const tracked = ['first', 'second', 'third'].map((event) => ({
        type: 'track',
        userId,
        event,
        messageId: newId(),
      }))
      const group = { type: 'group', userId, groupId: 'acme' }
      const { body, headers } = await send({ batch: [...tracked, tracked[0], group] })
      assert.deepEqual(body, applied(5, 1, 4))
      assert.equal(
        headers.get('x-warning'),
        '4 calls are of users who are not known yet. They are applied if an identify call with traits.email arrives within 10 minutes',
      )
      // The sender repeats a call after a lost response.
      assert.deepEqual((await send(tracked[1])).body, applied(1, 0, 1))
      assert.deepEqual((await send({ type: 'identify', userId, traits: { email } })).body, applied())
      const events = async () => (await eventsOf(name)).map((event) => event.name).toReversed()
      assert.deepEqual(await events(), ['first', 'second', 'third'])
      assert.deepEqual((await find(name))!.metadata, { group: 'acme' })
      assert.deepEqual((await send(tracked[2])).body, applied())
      assert.deepEqual(await events(), ['first', 'second', 'third'])
    })

    it('is applied when the contact gets the userId in another way', async () => {
      const { userId, email, name } = aUser()
      await send({ type: 'track', userId, event: 'early' })
      await service.call('POST', 'contacts', { email, externalId: userId })
      await eventually('a worker applies it', async () => (await eventsOf(name)).length === 1 || undefined)
    })

    it('is applied in its own workspace only', async () => {
      const { userId, email, name } = aUser()
      const other = await openWorkspace({ worker: false })
      await send({ type: 'track', userId, event: 'ours' })
      await other.call('POST', 'sources/segment', { type: 'identify', userId, traits: { email } })
      const theirs = (await other.call('GET', `contacts/${name}/events`)).body.data
      assert.deepEqual(theirs, [])
      await send({ type: 'identify', userId, traits: { email } })
      assert.deepEqual(
        (await eventsOf(name)).map((event) => event.name),
        ['ours'],
      )
    })

    it('is applied to the new ID of a user who is renamed before being known', async () => {
      const { userId, email, name } = aUser()
      const previousId = `${userId}-before`
      const { body } = await send({
        batch: [
          { type: 'track', userId: previousId, event: 'before' },
          { type: 'alias', previousId, userId },
          { type: 'identify', userId, traits: { email } },
          { type: 'track', userId, event: 'after' },
        ],
      })
      assert.deepEqual(body, applied(4, 0, 2))
      const names = (await eventsOf(name)).map((event) => event.name)
      assert.deepEqual(names.toSorted(), ['after', 'before'])
    })

    it('does not overwrite the traits of a call that arrived later', async () => {
      const { userId, email, name } = aUser()
      await send({ type: 'identify', userId, traits: { plan: 'free', source: 'ad' } })
      await send({ type: 'identify', userId, traits: { email, plan: 'pro' } })
      assert.deepEqual((await find(name))!.metadata, { plan: 'pro', source: 'ad' })
    })

    it('is deleted after ten minutes, but not if its user is known by then', async () => {
      const known = aUser()
      await send({ type: 'track', userId: known.userId, event: 'kept' })
      await sql(
        service.context.orm.em.fork(),
        `with aged as (update kept_calls set received_at = now() - interval '1 hour' where user_id = $1)
         update contacts set external_id = $1 where id = $2::uuid`,
        [known.userId, await aContact(service)],
      )
      while ((await deleteOldKeptCalls(service.context.orm.em.fork(), 1)) === 1);
      const ofKnown = () => eventsOf(`external:${known.userId}`)
      await eventually('it is applied', async () => (await ofKnown()).length === 1 || undefined)
      const { userId, email, name } = aUser()
      await send({
        batch: [
          { type: 'track', userId, event: 'late' },
          { type: 'track', userId, event: 'in time' },
        ],
      })
      const em = service.context.orm.em.fork()
      const age = (minutes: number, event: string) =>
        sql(
          em,
          `update kept_calls set received_at = now() - make_interval(mins => $1) where user_id = $2 and call->>'event' = $3`,
          [minutes, userId, event],
        )
      await age(10, 'late')
      await age(9, 'in time')
      while ((await deleteOldKeptCalls(em, 1)) === 1);
      await send({ type: 'identify', userId, traits: { email } })
      assert.deepEqual(
        (await eventsOf(name)).map((event) => event.name),
        ['in time'],
      )
    })

    it('is not lost if it arrives together with the identify call', async () => {
      const users = Array.from({ length: 60 }, aUser)
      await Promise.all(
        users.flatMap(({ userId, email }) => [
          send({ type: 'track', userId, event: 'Signed Up' }),
          send({ type: 'identify', userId, traits: { email } }),
        ]),
      )
      for (const { name } of users)
        await eventually('the event is stored', async () => (await eventsOf(name)).length === 1 || undefined)
    })
  })

  it('keeps newer traits if an identify call arrives late', async () => {
    const { userId, email, name } = aUser()
    const at = (seconds: number) => new Date(Date.now() - 60_000 + seconds * 1_000).toISOString()
    const identify = (timestamp: string | undefined, traits: object) =>
      send({ type: 'identify', userId, timestamp, traits })
    await identify(at(2), { email, plan: 'pro', firstName: 'Ada' })
    await identify(at(1), { email: `old-${email}`, plan: 'free', firstName: 'Adda', source: 'ad' })
    assert.partialDeepStrictEqual(await find(name), {
      email,
      firstName: 'Ada',
      metadata: { plan: 'pro', source: 'ad' },
    })
    await identify(at(3), { plan: 'team' })
    assert.partialDeepStrictEqual(await find(name), { metadata: { plan: 'team', source: 'ad' } })
    // The clock of this sender is an hour fast, and the next one has no time.
    await identify(at(3_600), { plan: 'free' })
    await identify(undefined, { plan: 'pro' })
    assert.partialDeepStrictEqual(await find(name), { metadata: { plan: 'pro' } })
  })

  it('reads names as the libraries send them', async () => {
    const rows: Record<string, [traits: object, firstName: string | null, metadata: object]> = {
      firstName: [{ firstName: 'Ada', lastName: 'L' }, 'Ada', { lastName: 'L' }],
      first_name: [{ first_name: 'Ada', last_name: 'L' }, 'Ada', { last_name: 'L' }],
      'a full name': [{ name: ' Ada  Lovelace' }, 'Ada', { name: ' Ada  Lovelace' }],
      'both names': [{ name: 'Countess of Lovelace', firstName: 'Ada' }, 'Ada', { name: 'Countess of Lovelace' }],
      'no name': [{ plan: 'pro' }, null, { plan: 'pro' }],
      'a name that is not a text': [{ name: 5 }, null, { name: 5 }],
    }
    await checkRows(rows, async ([traits, firstName, metadata]) => {
      const { userId, email, name } = aUser()
      await send({ type: 'identify', userId, traits: { email, ...traits } })
      assert.partialDeepStrictEqual(await find(name), { firstName, metadata })
    })
  })

  it('accepts a number as userId, and a compressed body', async () => {
    const userId = 4_711_000_000 + process.pid
    const email = `${userId}@example.com`
    const batch = [
      { type: 'identify', userId, traits: { email } },
      { type: 'track', userId, event: 'seen' },
    ]
    const url = `http://127.0.0.1:${service.port}/api/v1/sources/segment/v1/batch`
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
    const post = (path: string, body: Buffer) =>
      fetch(path, { method: 'POST', headers: { ...headers, 'content-encoding': 'gzip' }, body: new Uint8Array(body) })
    const answer = await post(url, gzipSync(JSON.stringify({ batch })))
    assert.deepEqual([answer.status, await answer.json()], [200, applied(2)])
    assert.equal((await eventsOf(`external:${userId}`)).length, 1)
    // As RudderStack's library for Node does.
    const form = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-encoding': 'gzip', 'content-type': 'application/x-www-form-urlencoded' },
      body: new Uint8Array(gzipSync(JSON.stringify({ batch: [{ type: 'track', userId, event: 'form' }] }))),
    })
    assert.deepEqual([form.status, await form.json()], [200, applied(1)])
    // A small body can become a large one.
    const bomb = await post(url, gzipSync(`{"batch":["${'x'.repeat(50_000_000)}"]}`))
    assert.deepEqual([bomb.status, await bomb.json()], [400, { error: 'Request body too large' }])
    const other = await post(url.replace('sources/segment/v1/batch', 'contacts'), gzipSync('{}'))
    assert.deepEqual(
      [other.status, await other.json()],
      [400, { error: 'The body must be sent without a Content-Encoding' }],
    )
  })

  it('changes an externalId by alias, also if the call is repeated', async () => {
    const [before, after, other] = [aUser(), aUser(), aUser()]
    await send({ type: 'identify', userId: before.userId, traits: { email: before.email } })
    const call = { type: 'alias', previousId: before.userId, userId: after.userId }
    for (let n = 0; n < 2; n += 1) assert.deepEqual((await send(call)).body, applied())
    assert.equal((await find(after.name))!.email, before.email)
    assert.equal(await find(before.name), undefined)
    await send({ type: 'identify', userId: other.userId, traits: { email: other.email } })
    assert.match(await errorOf({ ...call, previousId: other.userId }), /Contacts are not merged/)
    assert.deepEqual((await send({ ...call, previousId: 'nobody', userId: 'nobody' })).body, applied(1, 0, 1))
  })

  it('writes a group to metadata', async () => {
    const { userId, email, name } = aUser()
    await send({ type: 'identify', userId, traits: { email, plan: 'free' } })
    assert.deepEqual(
      (await send({ type: 'group', userId, groupId: 'acme', traits: { email: 'x', size: 9 } })).body,
      applied(),
    )
    assert.deepEqual((await send({ type: 'group', userId, groupId: 'acme-2' })).body, applied())
    assert.deepEqual((await find(name))!.metadata, {
      plan: 'free',
      group: 'acme-2',
      groupTraits: { email: 'x', size: 9 },
    })
  })

  it('counts page and screen calls as ignored', async () => {
    const calls = [{ type: 'page', name: 'Home', userId: 5 }, { type: 'screen' }]
    assert.deepEqual((await send({ batch: calls, sentAt: '2026-11-27T12:00:00Z', context: {} })).body, applied(2, 2))
    assert.deepEqual((await send(calls[0])).body, applied(1, 1))
  })

  it('accepts what the libraries of Segment send: basic authentication, and /v1/batch', async () => {
    const { userId, email, name } = aUser()
    const authorization = `Basic ${Buffer.from(`${service.key}:`).toString('base64')}`
    const library = { name: '@segment/analytics-node', version: '3.1.0' }
    const common = {
      ...{ userId, anonymousId: null, integrations: {}, timestamp: '2026-11-27T12:00:00.000Z', context: { library } },
      _metadata: { nodeVersion: '24.0.0', jsRuntime: 'node' },
    }
    const batch = [
      { ...common, type: 'identify', traits: { email }, messageId: `node-next-${newId()}` },
      { ...common, type: 'track', event: 'seen', properties: {}, messageId: `node-next-${newId()}` },
    ]
    for (const path of ['sources/segment', 'sources/segment/v1/batch']) {
      const sent = { batch, sentAt: '2026-11-27T12:00:00.000Z' }
      const answer = await service.call('POST', path, sent, { key: null, headers: { authorization } })
      assert.deepEqual([answer.status, answer.body, answer.headers.get('x-warning')], [200, applied(2), null])
    }
    assert.equal((await eventsOf(name)).length, 1)
  })

  it('rejects wrong basic credentials, and those that a browser sends for another site', async () => {
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    const call = { type: 'page' }
    const refused = async (headers: Record<string, string>) => (await send(call, { key: null, headers })).refused
    assert.equal(await refused(basic('')), '401 key_missing')
    assert.equal(await refused(basic('x:y')), '401 key_malformed')
    assert.equal(await refused(basic(`user:${service.key}`)), '401 key_malformed')
    const crossSite = { ...basic(`${service.key}:`), 'sec-fetch-site': 'cross-site' }
    assert.equal(await refused(crossSite), '403 wrong_origin')
    const readOnly = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:read'] })
    assert.equal((await send(call, { key: readOnly })).refused, '403 scope_missing')
  })

  describe('bad input', () => {
    const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`

    it('returns an error for each invalid call of a batch, and applies the others', async () => {
      const { userId, email, name } = aUser()
      const long = 'x'.repeat(10_000)
      const invalid: [call: string, error: RegExp][] = [
        ['5', /^The item must be an object$/],
        ['null', /^The item must be an object$/],
        ['[]', /^The item must be an object$/],
        ['{}', /^type must be one of the following values: identify, track, alias, group, page, screen$/],
        ['{"type":"__proto__"}', /^type must be one of/],
        ['{"type":["track"]}', /^type must be one of/],
        [`{"type":"track","userId":"${userId}"}`, /^event is required$/],
        [`{"type":"track","event":"${long}","userId":"${userId}"}`, /^event must not be longer than 1000 characters$/],
        ['{"type":"track","event":{},"userId":5.5}', /^userId must be a string; event must be a string$/],
        [`{"type":"track","event":"x","userId":"${long}"}`, /^userId must not be longer than 200 characters$/],
        [`{"type":"track","event":"x","userId":"${userId}","properties":[1]}`, /^properties must be a JSON object$/],
        [`{"type":"track","event":"x","userId":"${userId}","properties":${deep}}`, /^properties is nested deeper/],
        [`{"type":"track","event":"x","userId":"${userId}","properties":{"a":"\\u0000"}}`, /holds a NUL character/],
        [`{"type":"track","event":"x","userId":"${userId}","properties":{"a":1e400}}`, /too large to be stored/],
        [
          `{"type":"track","event":"x","properties":{"a":"${'x'.repeat(17_000)}"}}`,
          /^properties must not be larger than 16384 bytes/,
        ],
        [`{"type":"track","event":"x","messageId":"${long}"}`, /^messageId must not be longer than 200 characters$/],
        [`{"type":"track","event":"x","messageId":"\\ud800"}`, /half of a surrogate pair/],
        ['{"type":"track","event":"x","context":{"traits":[]}}', /^The call names no contact/],
        [
          '{"type":"track","event":"x","context":{"traits":{"email":["a@example.com"]}}}',
          /^context.traits.email is not/,
        ],
        ['{"type":"alias","userId":"a"}', /^previousId is required$/],
        ['{"type":"group","userId":"a"}', /^groupId is required$/],
        ['{"type":"identify","traits":"x"}', /^traits must be a JSON object$/],
      ]
      const traits = `{"email":"${email}","__proto__":{"a":1},"constructor":2}`
      const valid = `{"type":"identify","userId":"${userId}","traits":${traits}}`
      const raw = `{"batch":[${[...invalid.map(([call]) => call), valid].join(',')}]}`
      const { status, body } = await send(undefined, { raw })
      assert.equal(status, 200)
      const { received, ignored, errors } = body.data as {
        received: number
        ignored: number
        errors: { error: string }[]
      }
      assert.deepEqual([received, ignored, errors.length], [invalid.length + 1, 0, invalid.length])
      for (const [n, { error }] of errors.entries()) assert.match(error, invalid[n]![1])
      assert.deepEqual(JSON.stringify((await find(name))!.metadata), '{"__proto__":{"a":1},"constructor":2}')
    })

    it('rejects a request whose only call is invalid', async () => {
      const refused: [raw: string, error: RegExp][] = [
        ['{}', /^type must be one of/],
        ['{"type":"delete"}', /^type must be one of/],
        ['{"type":"track","userId":"a"}', /^event is required$/],
        [`{"type":"track","event":"x","properties":${deep}}`, /^properties is nested deeper than 100 levels$/],
        [`{"batch":{}}`, /^batch must be an array$/],
        [
          `{"batch":[${Array.from({ length: 1001 }, () => '1').join(',')}]}`,
          /^batch array must not exceed 1000 items$/,
        ],
        [`{"batch":["${'x'.repeat(500 * 1024)}"]}`, /^Request body too large$/],
        ['[]', /^The request body must be a JSON object$/],
        [`{"a":${'['.repeat(90_000)}${']'.repeat(90_000)}}`, /^type must be one of/],
      ]
      for (const [raw, error] of refused) {
        const { status, body } = await send(undefined, { raw })
        assert.equal(status, 400)
        assert.match(body.error as string, error)
      }
    })
  })
})
