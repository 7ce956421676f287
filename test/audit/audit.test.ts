import assert from 'node:assert/strict'
import { aList } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Entry {
  operation: string
  actorName: string
  targetId: string
}

describe('the audit log', () => {
  let service: Service
  before(async () => void (service = await openWorkspace({ worker: false })))

  const entries = async (query: string, key = service.key): Promise<Entry[]> =>
    (await service.call('GET', `audit?${query}`, undefined, { key })).body.data as Entry[]

  it('lists the changes of one object, newest first, over more than one page', async () => {
    const id = await aList(service)
    await aList(service)
    await service.call('PATCH', `lists/${id}`, { name: 'News' })
    await service.call('DELETE', `lists/${id}`)
    const first = await service.call('GET', `audit?targetId=${id.toUpperCase()}&limit=2`)
    const rest = await entries(`targetId=${id}&limit=2&cursor=${first.body.pagination.nextCursor}`)
    assert.deepEqual(
      [...(first.body.data as Entry[]), ...rest].map(({ operation, targetId }) => [operation, targetId]),
      [
        ['deleteList', id],
        ['updateList', id],
        ['createList', id],
      ],
    )
    assert.deepEqual(await entries('targetId=none'), [])
  })

  it('is that of the workspace, for keys with audit:read and for owners', async () => {
    const id = await aList(service)
    assert.equal((await entries(`targetId=${id}`)).length, 1)
    assert.deepEqual(await entries(`targetId=${id}`, await service.newKey()), [])
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['lists:read'] })
    assert.equal((await service.call('GET', 'audit', undefined, { key })).refused, '403 scope_missing')
    const { browser } = await aMember(service, 'editor')
    const asEditor = await browser.ask('GET', 'audit', { workspaceId: service.workspaceId })
    assert.equal(asEditor.refused, '403 role_missing')
  })
})
