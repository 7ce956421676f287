import assert from 'node:assert/strict'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('concurrent edits of an automation', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const etagOf = async (id: string) => (await service.call('GET', `automations/${id}`)).headers.get('etag')!
  const change = (method: string, path: string, body: unknown, etag: string) =>
    service.call(method, `automations/${path}`, body, { headers: { 'if-match': etag } })

  it('rejects a change with an outdated ETag', async () => {
    const id = await anAutomation(service, { status: 'DRAFT' })
    const read = await etagOf(id)
    assert.match(read, /^"\d+"$/)
    const first = await change('PATCH', id, { name: 'First' }, read)
    assert.equal(first.status, 200)
    const second = await change('PUT', `${id}/steps`, { steps: [wait(5)] }, read)
    assert.equal(second.refused, '412 revision_conflict')
    assert.equal((await change('PATCH', id, { name: 'Second' }, read)).refused, '412 revision_conflict')
    assert.equal((await change('DELETE', id, undefined, read)).refused, '412 revision_conflict')
    const { body } = await service.call('GET', `automations/${id}`)
    assert.deepEqual([body.data.name, body.data.steps.length], ['First', 1])
    // The current ETag is accepted, even in a list.
    const now = first.headers.get('etag')!
    assert.equal(now, await etagOf(id))
    const steps = await change('PUT', `${id}/steps`, { steps: [wait(5)] }, `"0", ${now}`)
    assert.equal(steps.status, 200)
    assert.equal((await change('DELETE', id, undefined, steps.headers.get('etag')!)).status, 200)
  })

  it('applies one of several simultaneous changes with the same ETag, and rejects the others', async () => {
    const id = await anAutomation(service, { status: 'DRAFT' })
    const read = await etagOf(id)
    const answers = await Promise.all([1, 2, 3, 4].map((n) => change('PATCH', id, { name: `Name ${n}` }, read)))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412, 412])
  })

  for (const [what, header, status] of [
    ['no tag', undefined, 200],
    ['any tag', '*', 200],
    ['a weak tag', 'weak', 200],
    ['an invalid tag', 'nonsense', 412],
    ['an empty value', '', 412],
  ] as const) {
    it(`returns ${status} for ${what} in If-Match`, async () => {
      const id = await anAutomation(service, { status: 'DRAFT' })
      const text = header === 'weak' ? `W/${await etagOf(id)}` : header
      const headers: Record<string, string> = text === undefined ? {} : { 'if-match': text }
      const answer = await service.call('PATCH', `automations/${id}`, { name: 'Another' }, { headers })
      assert.equal(answer.status, status)
    })
  }

  it('accepts a repeated request with its idempotency key after a 412', async () => {
    const id = await anAutomation(service, { status: 'DRAFT' })
    const once = (tag: string) =>
      service.call(
        'PATCH',
        `automations/${id}`,
        { name: 'Once' },
        { headers: { 'if-match': tag, 'idempotency-key': 'k' } },
      )
    assert.equal((await once('"999"')).refused, '412 revision_conflict')
    assert.equal((await once(await etagOf(id))).status, 200)
    assert.equal((await once('"999"')).headers.get('idempotent-replayed'), 'true')
  })

  it('rejects If-Match: * without a draft, and keeps a draft fresh when only the status changed', async () => {
    const id = await anAutomation(service, { steps: [EMAIL] })
    const basedOn = Number((await etagOf(id)).replaceAll('"', ''))
    const draft = { content: { steps: [] }, basedOn }
    assert.equal((await change('PUT', `${id}/draft`, draft, '*')).refused, '412 revision_conflict')
    const saved = await change('PUT', `${id}/draft`, draft, '"0"')
    assert.equal((await service.call('PATCH', `automations/${id}`, { status: 'PAUSED' })).status, 200)
    // The client that edits the draft does not know about the new status.
    const again = await change('PUT', `${id}/draft`, draft, saved.headers.get('etag')!)
    assert.equal(again.body.data.isStale, false)
    await service.call('PATCH', `automations/${id}`, { name: 'Another' })
    const behind = await change('PUT', `${id}/draft`, draft, '*')
    assert.equal(behind.body.data.isStale, true)
  })

  it('keeps one draft that changes nothing in the automation, and reports when it is stale', async () => {
    const id = await anAutomation(service, { steps: [EMAIL] })
    const path = `${id}/draft`
    assert.equal((await service.call('GET', `automations/${path}`)).refused, '404 draft_not_found')
    const content = { steps: [{ type: 'EMAIL', subject: '{% if' }], name: '' }
    const save = (etag: string, of: object = content) => change('PUT', path, { content: of, basedOn: 1 }, etag)
    const [mine, theirs] = await Promise.all([save('"0"'), save('"0"')])
    assert.deepEqual([mine, theirs].map(({ status }) => status).toSorted(), [200, 412])
    const saved = mine.status === 200 ? mine : theirs
    assert.partialDeepStrictEqual(saved.body.data, { basedOn: 1, isStale: false, savedBy: 'Test' })
    const { body, headers } = await service.call('GET', `automations/${path}`)
    assert.deepEqual(body.data.content, content)
    assert.equal(headers.get('etag'), saved.headers.get('etag'))
    const later = await save(headers.get('etag')!, { steps: [] })
    assert.equal((await save(headers.get('etag')!)).refused, '412 revision_conflict')
    assert.equal((await service.call('GET', `automations/${id}`)).body.data.steps.length, 1)
    await service.call('PATCH', `automations/${id}`, { name: 'Changed' })
    assert.equal((await service.call('GET', `automations/${path}`)).body.data.isStale, true)
    assert.equal((await change('DELETE', path, undefined, headers.get('etag')!)).refused, '412 revision_conflict')
    assert.equal((await change('DELETE', path, undefined, later.headers.get('etag')!)).status, 200)
    assert.equal((await service.call('DELETE', `automations/${path}`)).refused, '404 draft_not_found')
  })

  it('keeps a draft stale if it replaces a fresh one but is based on an older revision', async () => {
    const id = await anAutomation(service, { steps: [EMAIL] })
    const save = (basedOn: number, etag: string) => change('PUT', `${id}/draft`, { content: {}, basedOn }, etag)
    const mine = Number((await etagOf(id)).replaceAll('"', ''))
    await service.call('PATCH', `automations/${id}`, { name: 'Between' })
    const theirs = await save(mine + 1, '"0"')
    assert.equal(theirs.body.data.isStale, false)
    const kept = await save(mine, theirs.headers.get('etag')!)
    assert.equal(kept.body.data.isStale, true)
    // The same applies to the next edit.
    assert.equal((await save(mine, kept.headers.get('etag')!)).body.data.isStale, true)
  })

  it('publishes all changes and deletes the draft, or changes nothing', async () => {
    const id = await anAutomation(service, { steps: [EMAIL], status: 'DRAFT' })
    const read = async () => {
      const { body, headers } = await service.call('GET', `automations/${id}`)
      return { ...body.data, etag: headers.get('etag')! } as {
        etag: string
        status: string
        name: string
        steps: object[]
      }
    }
    const save = () => service.call('PUT', `automations/${id}/draft`, { content: { steps: [] }, basedOn: 1 })
    const publish = (body: object, etag: string) => change('POST', `${id}/publish`, body, etag)
    const draft = await service.call('PUT', `automations/${id}/draft`, { content: { steps: [] }, basedOn: 1 })
    const draftRevision = Number(draft.headers.get('etag')!.replaceAll('"', ''))
    const publication = { name: 'Published', status: 'ACTIVE', steps: [EMAIL, EMAIL], draftRevision }
    const before = await read()
    // An invalid field rejects the whole publication. The steps do not change, and the draft stays.
    const never = await publish({ ...publication, trigger: 'EVENT', triggerConfig: {} }, before.etag)
    assert.equal(never.refused, '400 automation_never_acts')
    const another = await publish({ ...publication, draftRevision: draftRevision + 1 }, before.etag)
    assert.equal(another.refused, '412 revision_conflict')
    assert.equal((await publish(publication, '"0"')).refused, '412 revision_conflict')
    assert.equal(
      (await publish({ ...publication, steps: [{ ...EMAIL, text: '{% if' }] }, before.etag)).refused,
      '400 invalid_template',
    )
    assert.deepEqual(await read(), before)
    const published = await publish(publication, before.etag)
    assert.equal(published.status, 200)
    const after = await read()
    assert.equal(published.headers.get('etag'), after.etag)
    assert.deepEqual([after.name, after.status, after.steps.length], ['Published', 'ACTIVE', 2])
    assert.equal((await service.call('GET', `automations/${id}/draft`)).refused, '404 draft_not_found')
    // A publication without a draft revision keeps a draft that was started in the meantime.
    await save()
    assert.equal((await publish({ status: 'ACTIVE' }, after.etag)).status, 200)
    assert.equal((await service.call('GET', `automations/${id}/draft`)).status, 200)
  })
})
