import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { ROOT } from '../support/npm-start.ts'
import { freePorts } from '../support/ports.ts'
import { startApiProcess, startWorkerProcess } from '../support/processes.ts'

describe('/healthz', function () {
  this.timeout(90_000)
  let service: Instance
  before(async () => {
    service = await startInstance({ worker: false })
  })
  after(() => service.stop())

  const health = async (origin: string) => {
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
})
