import assert from 'node:assert/strict'
import type { Orm } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { readTemporalBinding } from '../../src/instance/queries.ts'
import { watchSendingGate } from '../../src/instance/watch-sending-gate.ts'
import { assertTemporalBinding, findTemporalBindingProblem } from '../../src/instance/temporal-namespace.ts'
import { markRestored, enableSending } from '../../src/relay/restored.ts'
import { createDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

const HERE = { namespace: 'default', namespaceId: 'one', taskQueue: 'dripline' }

describe('the Temporal namespace of an instance', () => {
  let orm: Orm
  before(async () => {
    orm = (await createDatabase()).orm
  })
  after(() => orm.close(true))
  beforeEach(() =>
    sql(
      orm.em.fork(),
      'update instance set temporal_namespace = null, temporal_namespace_id = null, temporal_task_queue = null',
    ),
  )

  const read = () => readTemporalBinding(orm.em.fork())

  it('is recorded by the first process, and its namespace ID by the first process that knows it', async () => {
    assert.equal(await read(), null)
    assert.equal(await findTemporalBindingProblem(orm.em, HERE), undefined)
    await assertTemporalBinding(orm.em, { ...HERE, namespaceId: null })
    await assertTemporalBinding(orm.em, HERE)
    // An API starts while Temporal does not respond.
    await assertTemporalBinding(orm.em, { ...HERE, namespaceId: null })
    assert.deepEqual(await read(), HERE)
  })

  for (const [what, there, message] of [
    ['namespace', { ...HERE, namespace: 'staging', namespaceId: null }, /and not the task queue "dripline" of the n/],
    ['task queue', { ...HERE, taskQueue: 'another' }, /uses the task queue "dripline" of the namespace "default"/],
    ['server with a namespace of the same name', { ...HERE, namespaceId: 'two' }, /uses another Temporal server/],
  ] as const) {
    it(`rejects a different ${what}`, async () => {
      await assertTemporalBinding(orm.em, HERE)
      await assert.rejects(assertTemporalBinding(orm.em, there), message)
      assert.match((await findTemporalBindingProblem(orm.em, there))!, message)
      assert.deepEqual(await read(), HERE)
    })
  }

  it('may change after a restore, except for its task queue', async () => {
    await assertTemporalBinding(orm.em, HERE)
    await markRestored(orm.em)
    const there = { namespace: 'staging', namespaceId: 'two', taskQueue: HERE.taskQueue }
    await assert.rejects(assertTemporalBinding(orm.em, { ...there, taskQueue: 'another' }), /Set TEMPORAL_ADDRESS/)
    await assertTemporalBinding(orm.em, there)
    assert.deepEqual(await read(), there)
    await enableSending(orm.em, null)
  })

  it('logs when mail is blocked, and when it continues', async () => {
    const lines: string[] = []
    const note = (_: object, line: string) => void lines.push(line)
    const log = { debug: note, info: note, warn: note, error: note }
    const logged = (pattern: RegExp) => eventually('it is logged', () => pattern.test(lines.at(-1) ?? '') || undefined)
    const watch = await watchSendingGate(orm.em, { smtp: true, delivers: true, log, intervalMs: 20 })
    try {
      assert.deepEqual(lines, [])
      await markRestored(orm.em)
      await logged(/sends nothing until/)
      await enableSending(orm.em, null)
      await logged(/Sending is enabled again/)
      assert.equal(lines.length, 2)
    } finally {
      watch.stop()
    }
  })
})
