import assert from 'node:assert/strict'
import fc from 'fast-check'
import { admitRequests } from '../../src/workspaces/queries.ts'
import { hashApiKey } from '../../src/workspaces/api-key.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createApiKey, deleteApiKey } from '../../src/workspaces/create-api-key.ts'
import { DEFAULT_RATE_LIMIT } from '../../src/http/rate-limit.ts'
import { SCOPES } from '../../src/http/scopes.ts'
import { newId } from '../../src/platform/ids.ts'
import { aList } from '../support/factories.ts'
import { type AnotherApi, startAnotherApi } from '../support/another-api.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const MINUTE = 60_000

describe('the rate limit', () => {
  let service: Service
  /** APIs of the same database, behind a proxy. */
  let replicas: AnotherApi[] = []
  before(async () => {
    service = await openWorkspace({ worker: false })
    const start = () => startAnotherApi(service, { trustedProxies: ['127.0.0.1'] })
    replicas = await Promise.all([start(), start(), start(), start()])
  })
  after(() => Promise.all(replicas.map((replica) => replica.stop())))

  const aKey = (rateLimit: number) => service.newKey({ workspaceId: service.workspaceId, rateLimit })
  const get = (key: string | null, address?: string, from: Service = replicas[0]!) =>
    from.call('GET', 'whoami', undefined, { key, headers: address ? { 'x-forwarded-for': address } : {} })
  const countAt = (key: string, instant: number, count: number) =>
    admitRequests(service.context.orm.em.fork(), {
      keyHash: hashApiKey(key),
      address: '127.0.0.1',
      addressLimit: 120,
      count,
      instant: new Date(instant),
    })
  const at = async (key: string, instant: number) => (await countAt(key, instant, 1))[0]!

  it('restarts when the clock is set back, because its window would otherwise stay full', async () => {
    const key = await aKey(2)
    const now = Date.now()
    for (let n = 0; n < 3; n += 1) await at(key, now)
    assert.equal((await at(key, now)).rateLimit.allowed, false)
    // A difference below two seconds may be a concurrent request that was faster.
    assert.equal((await at(key, now - 1_000)).rateLimit.allowed, false)
    const { allowed, remaining, resetAt } = (await at(key, now - 60 * MINUTE)).rateLimit
    assert.deepEqual([allowed, remaining, resetAt.getTime()], [true, 1, now - 59 * MINUTE])
    assert.equal((await at(key, now - 60 * MINUTE)).rateLimit.allowed, true)
    assert.equal((await at(key, now - 60 * MINUTE)).rateLimit.allowed, false)
    assert.equal((await at(key, now - 59 * MINUTE)).rateLimit.allowed, true)
  })

  it('admits exactly what a model of the last sixty seconds admits, at more than 1,000 instants', async () => {
    let instants = 0
    const gaps = fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 2_000 }) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 3 }) },
      { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 45_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(MINUTE - 1, MINUTE, MINUTE + 1) },
    )
    const runs = fc.record({
      limit: fc.integer({ min: 1, max: 30 }),
      // Concurrent requests share a statement.
      groups: fc.array(fc.record({ pause: gaps, count: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 90,
        maxLength: 110,
      }),
    })
    await fc.assert(
      fc.asyncProperty(runs, async ({ limit, groups }) => {
        const key = await aKey(limit)
        let now = Date.UTC(2030, 0, 1)
        let admitted: number[] = []
        for (const { pause, count } of groups) {
          now += pause
          instants += 1
          admitted = admitted.filter((instant) => instant > now - MINUTE)
          const admissions = await countAt(key, now, count)
          assert.equal(admissions.length, count)
          for (const { rateLimit } of admissions) {
            const expected = admitted.length < limit
            assert.equal(rateLimit.allowed, expected)
            if (expected) admitted.push(now)
            assert.equal(rateLimit.remaining, limit - admitted.length)
            assert.equal(rateLimit.resetAt.getTime(), admitted.at(-1)! + MINUTE)
            if (!expected) {
              // Never early, and less than a second late.
              const freeAt = admitted[0]! + MINUTE
              assert.equal(rateLimit.retryAfter, Math.ceil((freeAt - now) / 1000))
            }
          }
        }
      }),
      { numRuns: 12 },
    )
    assert.ok(instants > 1_000, `only ${instants} instants`)
  })

  it('stays exact when the limit of a key is changed', async () => {
    const key = await aKey(5)
    const start = Date.UTC(2031, 0, 1)
    const setLimit = (limit: number) =>
      sql(service.context.orm.em.fork(), 'update api_keys set rate_limit = $1 where hash = $2::bytea', [
        limit,
        hashApiKey(key),
      ])
    const allowed = async (instant: number) => (await at(key, start + instant)).rateLimit.allowed
    for (let n = 0; n < 7; n += 1) assert.equal(await allowed(n), n < 5)
    await setLimit(8)
    assert.deepEqual(
      [await allowed(10), await allowed(11), await allowed(12), await allowed(13)],
      [true, true, true, false],
    )
    await setLimit(3)
    assert.equal(await allowed(20), false)
    // With a limit of eight, the first five and then three more must expire before one of three is free.
    assert.equal(await allowed(MINUTE + 9), false)
    assert.equal(await allowed(MINUTE + 10), true)
  })

  it('returns the remaining requests in every response, and Retry-After with a 429', async () => {
    const key = await aKey(2)
    const first = await get(key)
    assert.equal(first.headers.get('x-ratelimit-limit'), '2')
    assert.equal(first.headers.get('x-ratelimit-remaining'), '1')
    const reset = Number(first.headers.get('x-ratelimit-reset'))
    assert.ok(Math.abs(reset - (Date.now() / 1000 + 60)) < 5)
    const second = await service.call('GET', 'automations/none', undefined, { key })
    assert.deepEqual([second.refused, second.headers.get('x-ratelimit-remaining')], ['404 automation_not_found', '0'])
    const third = await get(key)
    assert.equal(third.refused, '429 rate_limited')
    const seconds = third.headers.get('retry-after')
    assert.match(seconds ?? '', /^\d+$/)
    assert.ok(Number(seconds) > 50 && Number(seconds) <= 60)
    assert.equal(third.body.error, `Rate limit exceeded. Retry after ${seconds} seconds.`)
    assert.equal(third.headers.get('x-ratelimit-remaining'), '0')
  })

  it('counts an event that creates its contact and adds it to a list as one request, of 120 by default', async () => {
    const key = await service.newKey({ workspaceId: service.workspaceId, rateLimit: DEFAULT_RATE_LIMIT })
    const listId = await aList(service)
    const email = `combined-${newId()}@example.com`
    const { status, headers } = await service.call('POST', 'events', { name: 'x', email, lists: [listId] }, { key })
    const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => headers.get(name))
    assert.deepEqual([status, ...limits], [202, '120', '119'])
  })

  it('counts requests without a valid key by address, and not against a key', async () => {
    const restricted = await aKey(10)
    await sql(
      service.context.orm.em.fork(),
      `update api_keys set allowed_ranges = '{198.51.100.0/24}' where hash = $1`,
      [hashApiKey(restricted)],
    )
    const attacker = '203.0.113.9'
    const statuses = await Promise.all(
      Array.from({ length: 130 }, (_, n) =>
        get([null, 'nonsense', `svc_live_${'a'.repeat(38)}`, restricted][n % 4]!, attacker),
      ),
    )
    assert.equal(statuses.filter(({ status }) => status === 401).length, 120)
    assert.equal(statuses.filter(({ status }) => status === 429).length, 10)
    assert.equal((await get(restricted, '198.51.100.7')).headers.get('x-ratelimit-remaining'), '9')
    assert.equal((await get(null, '203.0.113.10')).refused, '401 key_missing')
    // The client may invent anything before the entry of the trusted proxy.
    assert.equal((await get(null, `1.2.3.4, ${attacker}`)).refused, '429 rate_limited')
    // A /64 network belongs to one customer.
    const v6 = await Promise.all(Array.from({ length: 121 }, (_, n) => get(null, `2001:db8:1:2::${n.toString(16)}`)))
    assert.equal(v6.filter(({ status }) => status === 429).length, 1)
  })

  it('admits exactly 120 of 200 simultaneous requests to four APIs', async () => {
    const key = await aKey(DEFAULT_RATE_LIMIT)
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => get(key, undefined, replicas[n % 4])))
    assert.equal(answers.filter(({ status }) => status === 200).length, 120)
    assert.equal(answers.filter(({ status }) => status === 429).length, 80)
  })

  it('rejects a deleted key at the next request to each of four APIs', async () => {
    const { em } = service.context.orm
    const { key, apiKey } = await createApiKey(em, { workspaceId: service.workspaceId, name: 'k', scopes: SCOPES })
    const ask = async (replica: Service) => (await get(key, undefined, replica)).status
    assert.deepEqual(await Promise.all(replicas.map(ask)), [200, 200, 200, 200])
    await deleteApiKey(em, apiKey.id)
    assert.deepEqual(await Promise.all(replicas.map(ask)), [401, 401, 401, 401])
  })
})
