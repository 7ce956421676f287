import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from '@temporalio/worker'
import { createHealth, exitWhenUnhealthy } from '../../src/runtime/health.ts'
import { runUntilStopped } from '../../src/bin/lifecycle.ts'
import { startMetrics } from '../../src/runtime/metrics-server.ts'
import { enqueue } from '../../src/outbox/queries.ts'
import { newId } from '../../src/platform/ids.ts'
import { startRelay } from '../../src/relay/relay.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import { ROOT } from '../support/npm-start.ts'
import { freePorts } from '../support/ports.ts'
import { startApiProcess, startWorkerProcess } from '../support/processes.ts'
import { startService, type Service } from '../support/service.ts'

/** A private part of the SDK's worker: the thread that runs workflows. */
interface Insides {
  workflowCreator?: { workerThreadClients: { workerThread: { terminate(): Promise<number> } }[] }
}

describe('/healthz', function () {
  this.timeout(90_000)
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())

  const health = async (origin = `http://127.0.0.1:${service.port}`) => {
    const answer = await fetch(`${origin}/healthz`)
    return `${answer.status} ${await answer.text()}`
  }

  it('is false while render processes cannot be started, and true once they can be again', async () => {
    const project = mkdtempSync(join(tmpdir(), 'dripline-health-'))
    for (const part of ['src', 'scripts', 'embedded', 'workflows', 'activities', 'package.json']) {
      cpSync(join(ROOT, part), join(project, part), { recursive: true })
    }
    symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
    const script = join(project, 'src/rendering/thread.ts')
    // Simulates a deploy that replaces files of a running process.
    renameSync(script, `${script}.gone`)
    const api = await startApiProcess(service, {}, project)
    const origin = new URL(api.baseUrl).origin
    try {
      assert.match(await health(origin), /^200/)
      const save = async () => {
        const answer = await fetch(`${api.baseUrl}/automations`, {
          method: 'POST',
          headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
          body: JSON.stringify({
            name: 'Health',
            trigger: 'SIGNUP',
            steps: [{ type: 'EMAIL', subject: '{{ 1 }}', text: 'x' }],
          }),
        })
        return answer.status
      }
      // The check recovers automatically, even if no client saves another template.
      assert.equal(await save(), 503)
      const unhealthyAnswer = await eventually('it is false', async () => {
        const answer = await health(origin)
        return answer.startsWith('503') ? answer : undefined
      })
      assert.match(unhealthyAnswer, /Renderer processes cannot be started: .*rendering\/thread/)
      renameSync(`${script}.gone`, script)
      await eventually('it is true', async () => ((await health(origin)).startsWith('200') ? true : undefined))
      assert.equal(await save(), 201)
    } finally {
      await api.kill()
      rmSync(project, { recursive: true, force: true })
    }
  })

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

  it('is true for a worker that waits for Temporal', async () => {
    const [port, away] = (await freePorts(2)) as [number, number]
    const env = { TEMPORAL_ADDRESS: `127.0.0.1:${away}`, METRICS_PORT: String(port) }
    const worker = startWorkerProcess(service, env)
    try {
      await eventually('it answers', () =>
        health(`http://127.0.0.1:${port}`).then(
          (answer) => assert.equal(answer, '200 alive') ?? true,
          () => undefined,
        ),
      )
    } finally {
      assert.equal(await worker.stop(), 0)
    }
  })

  it('is false when a loop of the relay is stuck', async () => {
    const { dependencies } = service.context
    let release = () => undefined as void
    const never = new Promise<void>((resolve) => (release = resolve))
    const enrollments = { ...dependencies.enrollments, cancel: () => never }
    const relay = startRelay({ ...dependencies, enrollments }, { idleMs: 20, longestPageMs: 500 })
    try {
      const ids = { automationId: newId(), contactId: newId() }
      await enqueue(dependencies.em.fork(), { kind: 'CANCEL', ...ids })
      // Another loop may be slow for a moment on a loaded machine; only this one stays stuck.
      await eventually('only this loop is stuck', () =>
        relay.problem() === 'The outbox relay is stuck: interactive' ? true : undefined,
      )
    } finally {
      release()
      await relay.stop()
    }
  })

  it('stays true while the relay waits for its next turn, no matter how long', async () => {
    const relay = startRelay(service.context.dependencies, { idleMs: 4_000, longestPageMs: 2_000 })
    const deadline = performance.now() + 3_500
    await eventually('some time has passed', () => {
      assert.equal(relay.problem(), undefined)
      return performance.now() > deadline ? true : undefined
    })
    await relay.stop()
  })
})

describe('a process that cannot recover', () => {
  it('ends after a while, unless it recovers first', async () => {
    let problem: string | undefined = 'broken'
    const health = createHealth()
    health.watch(() => problem)
    let ended: unknown
    const started = performance.now()
    const watch = exitWhenUnhealthy(health, quietLog, { lookMs: 20, patienceMs: 400 })
    watch.ended.catch((error: unknown) => (ended = error))
    await eventually('half of it has passed', () => (performance.now() - started > 200 ? true : undefined))
    problem = undefined
    await eventually('all of it has passed', () => (performance.now() - started > 600 ? true : undefined))
    assert.equal(ended, undefined)
    problem = 'broken again'
    const error = await eventually('it ends', () => ended)
    assert.match(String(error), /cannot recover: broken again/)
  })

  it('closes everything that it opened, even if something cannot be closed, and reports why it ended', async () => {
    const closed: string[] = []
    const running = runUntilStopped(new AbortController().signal, (closers) => {
      closers.add(() => Promise.resolve(void closed.push('first')))
      closers.add(() => Promise.reject(new Error('cannot be closed')))
      closers.add(() => Promise.resolve(void closed.push('last')))
      return Promise.resolve([{ ended: Promise.reject(new Error('the reason')) }])
    })
    await assert.rejects(running, /the reason/)
    assert.deepEqual(closed, ['last', 'first'])
  })
})
