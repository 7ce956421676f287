import assert from 'node:assert/strict'
import { aContact } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('segments that refer to segments', () => {
  let service: Service
  let ada: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    ada = await aContact(service, { tags: ['vip'] })
    await aContact(service)
  })

  const call = (method: string, path: string, body?: unknown) => service.call(method, path, body)
  const save = (condition: unknown) => call('POST', 'segments', { name: 'A segment', condition })
  const saved = async (condition: unknown): Promise<string> => (await save(condition)).body.data.id as string
  const change = (id: string, condition: unknown) => call('PATCH', `segments/${id}`, { condition })
  const membersOf = async (id: string): Promise<string[]> =>
    ((await call('GET', `segments/${id}/contacts`)).body.data as { id: string }[]).map((contact) => contact.id)

  it('contain the contacts that the conditions of these segments match', async () => {
    const vips = await saved({ tag: 'vip' })
    const nested = await saved({ all: [{ segment: vips.toUpperCase() }, { not: { tag: 'churned' } }] })
    const outer = await saved({ segment: nested })
    assert.deepEqual(await membersOf(outer), [ada])
    assert.equal((await call('GET', `segments/${outer}`)).body.data.contactCount, 1)
    await change(vips, { tag: 'nonexistent' })
    assert.deepEqual(await membersOf(outer), [])
  })

  it('contain no contacts of a segment of another workspace', async () => {
    const theirs = await service.call(
      'POST',
      'segments',
      { name: 'x', condition: { all: [] } },
      { key: await service.newKey() },
    )
    assert.deepEqual(await membersOf(await saved({ segment: theirs.body.data.id })), [])
  })

  it('rejects a condition that leads back to its own segment', async () => {
    const first = await saved({ tag: 'vip' })
    const second = await saved({ not: { segment: first } })
    for (const condition of [{ segment: first }, { any: [{ segment: second }] }]) {
      const answer = await change(first, condition)
      assert.deepEqual(
        [answer.refused, answer.body.error, answer.headers.get('x-error-param')],
        [
          '400 invalid_request',
          'condition must not refer to its own segment, directly or through other segments',
          '/condition',
        ],
      )
    }
  })

  it('rejects more than 10 levels, also below a segment that exists', async () => {
    const last = await saved({ tag: 'vip' })
    let id = last
    for (let level = 1; level <= 10; level += 1) id = await saved({ segment: id })
    assert.deepEqual(await membersOf(id), [ada])
    assert.match(
      (await save({ segment: id })).body.error,
      /^condition must not refer to more than 10 levels of segments/,
    )
    const further = await saved({ all: [] })
    assert.match(
      (await change(last, { segment: further })).body.error,
      /^condition is too large for a segment that refers/,
    )
  })

  it('rejects more than 1,000 parts, with those of the segments', async () => {
    const hundred = await saved({ any: Array(99).fill({ tag: 'vip' }) })
    const refersTo = (times: number) => ({ any: Array(times).fill({ segment: hundred }) })
    assert.deepEqual(await membersOf(await saved(refersTo(9))), [ada])
    assert.equal(
      (await save(refersTo(10))).body.error,
      'condition must not have more than 1000 parts, with those of its segments',
    )
    assert.match(
      (await change(hundred, { any: Array(199).fill({ tag: 'vip' }) })).body.error,
      /^condition is too large for a segment/,
    )
  })

  it('keeps a segment to which another one refers', async () => {
    const inner = await saved({ tag: 'vip' })
    const outer = await saved({ all: [{ not: { segment: inner } }] })
    assert.equal((await call('DELETE', `segments/${inner}`)).refused, '409 segment_in_use')
    await call('DELETE', `segments/${outer}`)
    assert.equal((await call('DELETE', `segments/${inner}`)).status, 200)
  })

  it('keeps a segment to which an automation refers, and rejects too many levels there', async () => {
    const condition = (segment: string) => [
      { type: 'CONDITION', branches: [{ name: 'A', if: { segment }, steps: [] }] },
    ]
    const create = (fields: object) =>
      call('POST', 'automations', { name: 'An automation', trigger: 'SIGNUP', steps: [], ...fields })
    let deep = await saved({ tag: 'vip' })
    for (let level = 1; level <= 10; level += 1) deep = await saved({ segment: deep })
    const refused = await create({ steps: condition(deep) })
    assert.match(refused.body.error, /^steps\[0\]\.branches\[0\]\.if must not refer to more than 10 levels of segments/)
    assert.equal(refused.headers.get('x-error-param'), '/steps/0/branches/0/if')
    for (const use of [
      (segment: string) => ({ steps: condition(segment.toUpperCase()) }),
      (segment: string) => ({ entry: { filter: { not: { segment } } } }),
      (segment: string) => ({ exitOn: [{ condition: { segment } }] }),
      (segment: string) => ({ goal: { condition: { segment } } }),
    ]) {
      const used = await saved({ tag: 'vip' })
      const { body } = await create(use(used))
      assert.equal((await call('DELETE', `segments/${used}`)).refused, '409 segment_in_use')
      await call('DELETE', `automations/${body.data.id}`)
      assert.equal((await call('DELETE', `segments/${used}`)).status, 200)
    }
  })
})
