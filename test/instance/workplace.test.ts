import assert from 'node:assert/strict'
import type { Client } from '@temporalio/client'
import type { Context } from '../../src/parts/context.ts'
import { keepToWorkplace, settleWorkplace } from '../../src/parts/workplace.ts'
import type { Orm } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openContext } from '../../src/parts/context.ts'
import { startWorker } from '../../src/parts/worker.ts'
import { readRestoredAt, readWorkplace, readLastWork, sayWorking } from '../../src/instance/queries.ts'
import { watchRestored } from '../../src/instance/restored.ts'
import { agreeOnWorkplace, whyElsewhere } from '../../src/instance/workplace.ts'
import { enqueue, STANDING } from '../../src/outbox/queries.ts'
import { isKnown, markRestored, waiveReconciliation } from '../../src/relay/restored.ts'
import { aContact, anAutomation, enroll, wait } from '../support/factories.ts'
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
  const agree = async (
    wanted: Awaited<ReturnType<typeof read>> & object,
    isKnown = true,
    hasEnrolled = true,
  ): Promise<boolean> => {
    let moved = false
    await agreeOnWorkplace(orm.em, quietLog, wanted, {
      hold: () => Promise.resolve(void (moved = true)),
      isKnown: () => Promise.resolve(isKnown),
      hasEnrolled: () => Promise.resolve(hasEnrolled),
      assertNobodyWorks: () => Promise.resolve(),
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

  it('is another one where the ledger has kept no id, and Temporal knows nobody of it', async () => {
    await agree({ ...HERE, namespaceId: null })
    assert.equal(await agree(HERE, false), true)
    assert.deepEqual(await read(), HERE)
    assert.equal(await agree(HERE, false), false)
  })

  it('is moved with its task queue: what runs there already is in that', async () => {
    await agree(HERE)
    const renamed = { namespace: 'staging', namespaceId: 'two', taskQueue: 'another' }
    await assert.rejects(
      agree(renamed),
      /keeps its task queue wherever it works: set TEMPORAL_TASK_QUEUE to "dripline"/,
    )
    assert.deepEqual(await read(), HERE)
    assert.equal(await agree({ ...renamed, taskQueue: HERE.taskQueue }), true)
  })

  it('is moved with another task queue where nobody is enrolled, or nobody knows in which one they are', async () => {
    const renamed = { namespace: 'staging', namespaceId: 'two', taskQueue: 'another' }
    await agree(HERE)
    await agree(renamed, true, false)
    assert.deepEqual(await read(), renamed)
    // As 0.1.0 left it, where an API was once started with its defaults.
    await sql(
      orm.em.fork(),
      `update installation set temporal_namespace = 'default', temporal_namespace_id = null, temporal_task_queue = 'dripline'`,
    )
    assert.equal(await agree(renamed), true)
    assert.deepEqual(await read(), renamed)
  })

  it('is not moved to another task queue of the same namespace', async () => {
    await agree(HERE)
    await assert.rejects(
      agree({ ...HERE, taskQueue: 'mine' }),
      /Set TEMPORAL_TASK_QUEUE and TEMPORAL_NAMESPACE to that/,
    )
    assert.match(
      (await whyElsewhere(orm.em.fork(), { ...HERE, taskQueue: 'mine' }))!,
      /queue "dripline" of .* "default"/,
    )
  })

  describe('behind an address', () => {
    /** As a service has it, with a Temporal that is another one from some moment on. */
    async function behind(id: string) {
      const service = await startService({ worker: false })
      const { connection } = service.context.temporal
      const describeNamespace = () => Promise.resolve({ namespaceInfo: { id } })
      const temporal = {
        withDeadline: (_at: unknown, call: () => unknown) => call(),
        connection: { operatorService: connection.operatorService, workflowService: { describeNamespace } },
      } as unknown as Client
      const problems: (() => string | undefined)[] = []
      const health = { ...service.context.health, watch: (problem: () => string | undefined) => problems.push(problem) }
      const context = { ...service.context, temporal, health } as unknown as Context
      const isHeld = async () => (await readRestoredAt(service.context.orm.em.fork())) !== null
      return {
        service,
        context,
        isHeld,
        problem: () => problems.map((ask) => ask()).find((words) => words !== undefined),
        becomes: (other: string) => (id = other),
      }
    }

    it('is looked at while a worker works: all mail is held when another Temporal answers there', async () => {
      const { service, context, isHeld, becomes } = await behind('one')
      await enroll(service, await anAutomation(service, { steps: [wait(60)] }), await aContact(service))
      const watch = await settleWorkplace(context, { lookMs: 20 })
      try {
        assert.equal(await isHeld(), false)
        becomes('two')
        await eventually('it is held', async () => (await isHeld()) || undefined)
      } finally {
        await watch.stop()
        await service.stop()
      }
    })

    it('is not moved back by a worker that stayed behind when another one moved it', async () => {
      const { service, context, isHeld, problem } = await behind('one')
      await enroll(service, await anAutomation(service, { steps: [wait(60)] }), await aContact(service))
      const watch = await settleWorkplace(context, { lookMs: 20 })
      try {
        const { em } = service.context.orm
        await sql(em.fork(), `update installation set temporal_namespace_id = 'two'`)
        assert.match(await eventually('it says so', () => problem()), /another Temporal/)
        assert.equal((await readWorkplace(em.fork()))?.namespaceId, 'two')
        assert.equal(await isHeld(), false)
      } finally {
        await watch.stop()
        await service.stop()
      }
    })

    it('is not taken by one that is started elsewhere, while others work, or may: only once they are gone', async () => {
      const { service, context, becomes } = await behind('one')
      const { em } = service.context.orm
      const works = async () => (await readWorkplace(em.fork()))?.namespaceId
      const watch = await settleWorkplace(context, { lookMs: 60_000 })
      try {
        becomes('two')
        // It lives: it says so again.
        const said: Promise<void>[] = []
        const living = setInterval(() => said.push(sayWorking(em.fork())), 50)
        await assert.rejects(settleWorkplace(context), /are at work in another Temporal.* stop them first/)
        clearInterval(living)
        await Promise.all(said)
        assert.equal(await works(), 'one')
        // It has died, and says nothing any more.
        const dead = settleWorkplace(context, { deadAfterSeconds: 3 })
        await eventually('it waits', async () => ((await readLastWork(em.fork()))!.secondsAgo > 1 ? true : undefined))
        assert.equal(await works(), 'one')
        await (await dead).stop()
        assert.equal(await works(), 'two')
      } finally {
        await watch.stop()
        await service.stop()
      }
    })

    it('is moved once by several that come into it', async () => {
      const { service, context, becomes } = await behind('one')
      await enroll(service, await anAutomation(service, { steps: [wait(60)] }), await aContact(service))
      const { em } = service.context.orm
      const watches = await Promise.all([1, 2, 3].map(() => settleWorkplace(context, { lookMs: 20 })))
      try {
        becomes('two')
        await eventually(
          'it is moved',
          async () => (await readWorkplace(em.fork()))?.namespaceId === 'two' || undefined,
        )
        for (const watch of watches) await watch.stop()
        const [row] = await sql<{ is_second: boolean }>(
          em.fork(),
          'select lost_before is not null as is_second from installation',
        )
        assert.equal(row!.is_second, false)
      } finally {
        await service.stop()
      }
    })

    it('takes all who are started in the new one, when one of them has moved it', async () => {
      const { service, context, becomes } = await behind('one')
      const { em } = service.context.orm
      const dead = () => sql(em.fork(), `update installation set worked_at = now() - interval '1 hour'`)
      try {
        await enroll(service, await anAutomation(service, { steps: [wait(60)] }), await aContact(service))
        await (await settleWorkplace(context)).stop()
        await dead()
        becomes('two')
        const first = settleWorkplace(context, { deadAfterSeconds: 3, lookMs: 20 })
        // It waits for longer, and sees somebody work meanwhile.
        const others = [1, 2].map(() => settleWorkplace(context, { deadAfterSeconds: 30, lookMs: 20 }))
        const mistaken = { ...context, config: { ...context.config, TEMPORAL_TASK_QUEUE: 'another' } }
        const refused = assert.rejects(
          settleWorkplace(mistaken, { deadAfterSeconds: 30, lookMs: 20 }),
          /keeps its task queue wherever it works/,
        )
        for (const watch of await Promise.all([first, ...others])) await watch.stop()
        await refused
      } finally {
        await service.stop()
      }
    }).timeout(30_000)

    it('has all mail held where somebody is only to be enrolled', async () => {
      const { service, context, isHeld, becomes } = await behind('one')
      try {
        await (await settleWorkplace(context)).stop()
        await anAutomation(service, { trigger: 'SIGNUP', triggerConfig: undefined })
        // No worker delivers it.
        await service.call('POST', 'contacts/bulk', { contacts: [{ email: 'ada@example.com' }] })
        becomes('two')
        await (await settleWorkplace(context, { deadAfterSeconds: 0.5 })).stop()
        assert.equal(await isHeld(), true)
      } finally {
        await service.stop()
      }
    })

    it('holds nobody up where nobody was ever enrolled', async () => {
      const { service, context, isHeld, becomes } = await behind('one')
      try {
        await (await settleWorkplace(context)).stop()
        // A worker leaves what goes round.
        for (const kind of STANDING) await enqueue(service.context.orm.em.fork(), { kind }, 60)
        becomes('two')
        await (await settleWorkplace(context, { deadAfterSeconds: 0.5 })).stop()
        assert.equal(await isHeld(), false)
        assert.equal((await readWorkplace(service.context.orm.em.fork()))?.namespaceId, 'two')
      } finally {
        await service.stop()
      }
    })

    it('has an API refused, or ended, where another Temporal answers there', async () => {
      const { service, context, problem, becomes } = await behind('one')
      try {
        await (await settleWorkplace(context)).stop()
        const watch = await keepToWorkplace(context, 20)
        assert.equal(problem(), undefined)
        becomes('two')
        await eventually('it says so', () => problem())
        await watch.stop()
        await assert.rejects(keepToWorkplace(context), /another Temporal than this installation works in/)
      } finally {
        await service.stop()
      }
    })
  })

  it('is known by those who are enrolled: of an older ledger, which has kept no id', async () => {
    const service = await startService({ worker: false })
    const { em } = service.context.orm
    try {
      assert.equal(await isKnown(service.context.dependencies), true, 'nobody is enrolled')
      const automationId = await anAutomation(service, { steps: [wait(60)] })
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      await sql(em.fork(), `update enrollments set recorded_at = now() - interval '1 hour'`)
      assert.equal(await isKnown(service.context.dependencies), true)
      await service.context.temporal.workflowService.deleteWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: `enrollment:${automationId}:${contactId}` },
      })
      await eventually('it is gone', async () => !(await isKnown(service.context.dependencies)) || undefined)
    } finally {
      await service.stop()
    }
  })

  it('is watched by who works there: whether mail is held back is in the log', async () => {
    const said: string[] = []
    const note = (_: object, words: string) => void said.push(words)
    const log = { debug: note, info: note, warn: note, error: note }
    const says = (words: RegExp) => eventually('it says so', () => words.test(said.at(-1) ?? '') || undefined)
    const watch = await watchRestored(orm.em, log, 20)
    try {
      assert.deepEqual(said, [])
      await markRestored(orm.em, { mayLive: false })
      await says(/sends nothing until/)
      await waiveReconciliation(orm.em, null)
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
      await enroll(service, await anAutomation(service, { steps: [wait(60)] }), await aContact(service))
      await service.stopWorkers()
      await service.startWorker()
      assert.equal(await isHeld(), false)
      await assert.rejects(start(), /are at work in another Temporal/)
      await service.stopWorkers()
      await sql(copy.orm.em.fork(), 'update installation set worked_at = null')
      await start()
      assert.equal(await isHeld(), true)
      await waiveReconciliation(copy.orm.em, null)
      await start()
      assert.equal(await isHeld(), false)
    } finally {
      await copy.close()
      await second.stop()
      await service.stop()
    }
  }).timeout(60_000)
})
