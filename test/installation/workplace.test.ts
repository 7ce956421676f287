import assert from 'node:assert/strict'
import type { Orm } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openContext } from '../../src/parts/context.ts'
import { startWorker } from '../../src/parts/worker.ts'
import { readRestoredAt, readWorkplace, sayReconciled, sayRestored } from '../../src/installation/queries.ts'
import { watchRestored } from '../../src/installation/restored.ts'
import { agreeOnWorkplace, whyElsewhere } from '../../src/installation/workplace.ts'
import { createDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import { startSecondTemporal } from '../support/servers.ts'
import { startService } from '../support/service.ts'
import { workflowBundle } from '../support/workflow-bundle.ts'

const HERE = { namespace: 'default', namespaceId: 'one', taskQueue: 'dripline' }

describe('where an installation works in Temporal', () => {
  let orm: Orm
  before(async () => {
    orm = (await createDatabase()).orm
  })
  after(() => orm.close(true))
  beforeEach(() =>
    sql(
      orm.em.fork(),
      'update installation set temporal_namespace = null, temporal_namespace_id = null, temporal_task_queue = null',
    ),
  )

  const read = () => readWorkplace(orm.em.fork())
  /** @returns whether it is taken for a copy. */
  const agree = async (wanted: Awaited<ReturnType<typeof read>> & object): Promise<boolean> => {
    let moved = false
    await agreeOnWorkplace(orm.em, quietLog, wanted, () => {
      moved = true
      return Promise.resolve()
    })
    return moved
  }

  it('is where the first part says, and the id is what the first says that knows it', async () => {
    assert.equal(await read(), null)
    assert.equal(await agree({ ...HERE, namespaceId: null }), false)
    assert.equal(await agree(HERE), false)
    assert.deepEqual(await read(), HERE)
    // An API does not ask Temporal.
    assert.equal(await agree({ ...HERE, namespaceId: null }), false)
    assert.deepEqual(await read(), HERE)
  })

  for (const [what, there] of [
    ['another namespace', { ...HERE, namespace: 'staging' }],
    ['another namespace, of which nobody knows the id', { ...HERE, namespace: 'staging', namespaceId: null }],
    ['another Temporal’s namespace of the same name', { ...HERE, namespaceId: 'two' }],
  ] as const) {
    it(`is moved to ${what} as a copy, once`, async () => {
      await agree(HERE)
      assert.ok(await whyElsewhere(orm.em.fork(), there))
      // An API has not seen that it is there.
      await assert.rejects(agreeOnWorkplace(orm.em, quietLog, there), /start a worker there first/)
      assert.deepEqual(await read(), HERE)
      assert.equal(await agree(there), true)
      assert.deepEqual(await read(), there)
      assert.equal(await agree(there), false)
      assert.equal(await whyElsewhere(orm.em.fork(), there), undefined)
    })
  }

  it('is not moved to another task queue of the same namespace', async () => {
    await agree(HERE)
    await assert.rejects(agree({ ...HERE, taskQueue: 'mine' }), /Set TEMPORAL_TASK_QUEUE to that/)
    assert.match(
      (await whyElsewhere(orm.em.fork(), { ...HERE, taskQueue: 'mine' }))!,
      /queue "dripline" of .* "default"/,
    )
  })

  it('is watched by who works there: whether mail is held back is in the log', async () => {
    const said: string[] = []
    const note = (_: object, words: string) => void said.push(words)
    const log = { debug: note, info: note, warn: note, error: note }
    const says = (words: RegExp) => eventually('it says so', () => words.test(said.at(-1) ?? '') || undefined)
    const watch = await watchRestored(orm.em, log, 20)
    try {
      assert.deepEqual(said, [])
      await sayRestored(orm.em.fork())
      await says(/sends nothing until/)
      await sayReconciled(orm.em.fork(), null)
      await says(/Mail goes on/)
      assert.equal(said.length, 2)
    } finally {
      watch.stop()
    }
  })

  it('is another one for a copy of the database with a Temporal of its own: it sends nothing', async () => {
    const service = await startService()
    const second = await startSecondTemporal()
    const copy = openContext({ ...service.context.config, TEMPORAL_ADDRESS: second.address }, quietLog)
    const isHeld = async () => (await readRestoredAt(copy.orm.em.fork())) !== null
    const start = async () => (await startWorker(copy, workflowBundle())).stop()
    try {
      await service.stopWorkers()
      await service.startWorker()
      assert.equal(await isHeld(), false)
      await start()
      assert.equal(await isHeld(), true)
      await sayReconciled(copy.orm.em.fork(), null)
      await start()
      assert.equal(await isHeld(), false)
    } finally {
      await copy.close()
      await second.stop()
      await service.stop()
    }
  }).timeout(60_000)
})
