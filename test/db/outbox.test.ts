import assert from 'node:assert/strict'
import { leaseDeliveries } from '../../src/db/queries/outbox.ts'
import { sql } from '../../src/db/sql.ts'
import { newId } from '../../src/domain/ids.ts'
import { startService, type Service } from '../support/service.ts'

describe('the outbox', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())

  const em = () => service.context.orm.em.fork()
  const oweBulk = async (workspaceId: string | null, count: number) =>
    sql(
      em(),
      `insert into outbox (kind, key, lane, workspace_id, due_at)
       select 'START', gen_random_uuid()::text, 'bulk', $1::uuid, now() - make_interval(secs => n)
       from generate_series(1, $2::integer) n`,
      [workspaceId, count],
    )

  it('lets workspaces take turns, however much one of them is owed, and for however long', async () => {
    const [one, two, three] = [newId(), newId(), newId()]
    await oweBulk(one, 3_000)
    await oweBulk(two, 3)
    await oweBulk(three, 40)
    await oweBulk(null, 40)
    const counts: Record<string, number> = {}
    for (const { workspaceId } of await leaseDeliveries(em(), 'bulk', 40)) {
      counts[workspaceId ?? 'nobody'] = (counts[workspaceId ?? 'nobody'] ?? 0) + 1
    }
    assert.deepEqual(counts, { [one]: 10, [two]: 3, [three]: 10, nobody: 10 })
    assert.equal((await leaseDeliveries(em(), 'interactive', 40)).length, 0)
    let rest = 0
    for (;;) {
      const page = await leaseDeliveries(em(), 'bulk', 500)
      if (page.length === 0) break
      rest += page.length
    }
    assert.equal(rest, 3_000 + 3 + 40 + 40 - 33)
  })
})
