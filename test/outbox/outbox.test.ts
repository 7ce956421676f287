import assert from 'node:assert/strict'
import { FIRST_TURN, leaseDeliveries, enqueue } from '../../src/outbox/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createAutomation } from '../../src/automations/automations.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Orm } from '../../src/platform/db/orm.ts'
import { createDatabase } from '../support/database.ts'

describe('the outbox', () => {
  // No other suite may enqueue deliveries here.
  let orm: Orm
  before(async () => {
    orm = (await createDatabase()).orm
  })
  after(() => orm.close(true))
  beforeEach(() => sql(em(), 'delete from outbox'))

  const em = () => orm.em.fork()
  const writeBulk = async (workspaceId: string | null, count: number) =>
    sql(
      em(),
      `insert into outbox (kind, key, lane, workspace_id, due_at)
       select 'START', gen_random_uuid()::text, 'bulk', $1::uuid, now() - make_interval(secs => n)
       from generate_series(1, $2::integer) n`,
      [workspaceId, count],
    )

  it('serves workspaces in turn, no matter how many deliveries one of them has pending or for how long', async () => {
    const [one, two, three] = [newId(), newId(), newId()]
    await writeBulk(one, 3_000)
    await writeBulk(two, 3)
    await writeBulk(three, 40)
    await writeBulk(null, 40)
    const counts: Record<string, number> = {}
    for (const { workspaceId } of (await leaseDeliveries(em(), 'bulk', 40, FIRST_TURN)).deliveries) {
      counts[workspaceId ?? 'nobody'] = (counts[workspaceId ?? 'nobody'] ?? 0) + 1
    }
    assert.deepEqual(counts, { [one]: 10, [two]: 3, [three]: 10, nobody: 10 })
    assert.equal((await leaseDeliveries(em(), 'interactive', 40, FIRST_TURN)).deliveries.length, 0)
    let rest = 0
    for (;;) {
      const { deliveries } = await leaseDeliveries(em(), 'bulk', 500, FIRST_TURN)
      if (deliveries.length === 0) break
      rest += deliveries.length
    }
    assert.equal(rest, 3_000 + 3 + 40 + 40 - 33)
  })

  it('serves every workspace even if a page is too small for all of them', async () => {
    const workspaces = Array.from({ length: 25 }, newId)
    for (const workspaceId of [...workspaces, null]) await writeBulk(workspaceId, 20)
    const served = new Map<string | null, number>()
    let turn = FIRST_TURN
    for (let n = 0; n < 13; n += 1) {
      const page = await leaseDeliveries(em(), 'bulk', 10, turn)
      turn = page.turn
      assert.equal(page.deliveries.length, 10)
      for (const { workspaceId } of page.deliveries) served.set(workspaceId, (served.get(workspaceId) ?? 0) + 1)
    }
    assert.deepEqual(new Set(served.values()), new Set([5]), 'pages of 10, five rounds of 26')
    assert.equal(served.size, 26)
  })

  it('reserves no space for workspaces without due deliveries', async () => {
    const waiting = Array.from({ length: 25 }, newId)
    for (const workspaceId of waiting) await writeBulk(workspaceId, 1)
    await sql(em(), "update outbox set due_at = now() + interval '1 hour'")
    const workspaceId = newId()
    await writeBulk(workspaceId, 20)
    const { deliveries, turn } = await leaseDeliveries(em(), 'bulk', 10, workspaceId)
    assert.equal(deliveries.length, 10)
    assert.equal(turn, workspaceId)
    assert.equal((await leaseDeliveries(em(), 'batch', 10, workspaceId)).turn, workspaceId)
  })

  it('runs the batch jobs of workspaces in turn, regardless of automation or contact', async () => {
    const { em: root } = orm
    const [one, two] = [
      await createWorkspace(root, { name: 'One', mode: 'live' }),
      await createWorkspace(root, { name: 'Two', mode: 'live' }),
    ]
    const make = async (workspaceId: string) => {
      const { automation } = await createAutomation(root, workspaceId, {
        name: 'Deleted',
        status: 'ACTIVE',
        trigger: 'SIGNUP',
        steps: [{ type: 'WAIT', delayMinutes: 1 }],
      })
      return automation.id
    }
    const many = await Promise.all(Array.from({ length: 5 }, () => make(one.id)))
    for (const automationId of [...many, await make(two.id)])
      await enqueue(em(), { kind: 'DELETE_AUTOMATION', automationId })
    const first = await leaseDeliveries(em(), 'batch', 1, FIRST_TURN)
    const second = await leaseDeliveries(em(), 'batch', 1, first.turn)
    assert.deepEqual(new Set([first.turn, second.turn]), new Set([one.id, two.id]))
  })
})
