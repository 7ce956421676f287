import assert from 'node:assert/strict'
import { Worker } from '@temporalio/worker'
import { startMetrics } from '../../src/runtime/metrics-server.ts'
import { enqueue } from '../../src/outbox/queries.ts'
import { newId } from '../../src/platform/ids.ts'
import { startRelay } from '../../src/relay/relay.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import { startInstance, type Instance } from '../support/instance.ts'

/** A private part of the SDK's worker: the thread that runs workflows. */
interface Insides {
  workflowCreator?: { workerThreadClients: { workerThread: { terminate(): Promise<number> } }[] }
}

describe('/healthz', function () {
  this.timeout(90_000)
  let service: Instance
  before(async () => {
    service = await startInstance({ worker: false })
  })
  after(() => service.stop())

  const health = async (origin = `http://127.0.0.1:${service.port}`) => {
    const answer = await fetch(`${origin}/healthz`)
    return `${answer.status} ${await answer.text()}`
  }

  it('is false after a worker has failed, which then ends with the reason and closes everything', async () => {
    const create = Worker.create.bind(Worker)
    const workers: Worker[] = []
    Worker.create = async (options) => {
      const worker = await create(options)
      workers.push(worker)
      return worker
    }
    const part = await service.startWorker().finally(() => (Worker.create = create))
    const [port] = (await freePorts(1)) as [number]
    const metrics = await startMetrics(service.context, port, undefined)
    try {
      assert.equal(await health(`http://127.0.0.1:${port}`), '200 alive')
      for (const worker of workers) {
        const { workflowCreator } = worker as unknown as Insides
        for (const { workerThread } of workflowCreator?.workerThreadClients ?? []) await workerThread.terminate()
      }
      const failed = assert.rejects(part.ended, /worker thread exited/)
      // The next workflow detects it.
      await enroll(service, await anAutomation(service), await aContact(service))
      await failed
      const unhealthy = /^503 .*Temporal's worker for test-\S+ is FAILED/
      assert.match(await health(), unhealthy)
      assert.match(await health(`http://127.0.0.1:${port}`), unhealthy)
    } finally {
      await metrics.stop()
      await service.stopWorkers()
    }
    assert.match(await health(), /^200/)
  })

  /** Returns the problem of a relay as if an hour had passed. Only a loop that is in a turn has one. */
  const problemLater = (relay: ReturnType<typeof startRelay>) => {
    const now = performance.now.bind(performance)
    performance.now = () => now() + 3_600_000
    try {
      return relay.problem()
    } finally {
      performance.now = now
    }
  }

  it('is false when a loop of the relay is stuck', async () => {
    const { dependencies } = service.context
    let release = () => undefined as void
    const never = new Promise<void>((resolve) => (release = resolve))
    const enrollments = { ...dependencies.enrollments, cancel: () => never }
    const relay = startRelay({ ...dependencies, enrollments }, { idleMs: 20 })
    try {
      const ids = { automationId: newId(), contactId: newId(), concurrencyKey: '' }
      await enqueue(dependencies.em.fork(), { kind: 'CANCEL', ...ids })
      await eventually('only this loop is stuck', () =>
        problemLater(relay) === 'The outbox relay is stuck: interactive' ? true : undefined,
      )
      assert.equal(relay.problem(), undefined)
    } finally {
      release()
      await relay.stop()
    }
  })

  it('stays true while the relay waits for its next turn, no matter how long', async () => {
    const relay = startRelay(service.context.dependencies, { idleMs: 60_000 })
    await eventually('each loop waits', () => (problemLater(relay) === undefined ? true : undefined))
    await relay.stop()
  })
})
