import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createJobThread, JobTookTooLong, type JobThread } from '../../src/platform/job-thread.ts'

describe('a thread for jobs', () => {
  const threads: JobThread<string, number>[] = []
  const folder = mkdtempSync(join(tmpdir(), 'dripline-thread-'))
  after(async () => {
    for (const thread of threads) await thread.close()
    rmSync(folder, { recursive: true })
  })
  let scripts = 0
  /** @param work the body of a function of `job` that returns the result */
  const create = (work: string, maxMs = 60_000) => {
    const script = join(folder, `${(scripts += 1)}.mjs`)
    writeFileSync(
      script,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', (job) => { ${work}; parentPort.postMessage(job.length) })`,
    )
    const thread = createJobThread<string, number>({ script: pathToFileURL(script), maxMs: () => maxMs, maxMb: 64 })
    threads.push(thread)
    return thread
  }

  it('is terminated after the time limit without blocking other work, and the next job gets a new one', async () => {
    // A regular expression with exponential backtracking, as a parser may contain one.
    const thread = create(`/^(a+)+$/.test(job)`, 1_000)
    assert.equal(await thread.run('aaa'), 3)
    let turns = 0
    const others = setInterval(() => (turns += 1), 10)
    const late = thread.run(`${'a'.repeat(60)}!`)
    const next = thread.run('aa')
    await assert.rejects(late, JobTookTooLong)
    clearInterval(others)
    assert.ok(turns > 10, `${turns} turns`)
    assert.equal(await next, 2)
  })

  it('reports why it ended, and the next job gets a new one', async () => {
    const thread = create(`if (job === 'bad') throw new Error('It is broken'); if (job === 'gone') process.exit(3)`)
    await assert.rejects(thread.run('bad'), /It is broken/)
    await assert.rejects(thread.run('gone'), /The thread ended/)
    assert.equal(await thread.run('good'), 4)
  })
})
