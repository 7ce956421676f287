import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createJobProcess, JobEndedProcess, JobTookTooLong, type JobProcess } from '../../src/platform/job-process.ts'

describe('a process for jobs', () => {
  const all: JobProcess<string, number>[] = []
  const folder = mkdtempSync(join(tmpdir(), 'dripline-jobs-'))
  after(async () => {
    for (const jobs of all) await jobs.close()
    rmSync(folder, { recursive: true })
  })
  let scripts = 0
  /** @param work the body of a function of `job` that returns the result */
  const create = (work: string, maxMs = 60_000) => {
    const script = join(folder, `${(scripts += 1)}.mjs`)
    writeFileSync(script, `process.on('message', (job) => { ${work}; process.send({ result: job.length }) })`)
    const jobs = createJobProcess<string, number>({ script: pathToFileURL(script), maxMs: () => maxMs, maxMb: 64 })
    all.push(jobs)
    return jobs
  }

  it('is killed after the time limit without blocking other work, and the next job gets a new one', async () => {
    // A regular expression with exponential backtracking, as a parser may contain one.
    const jobs = create(`/^(a+)+$/.test(job)`, 1_000)
    assert.equal(await jobs.run('aaa'), 3)
    let turns = 0
    const others = setInterval(() => (turns += 1), 10)
    const late = jobs.run(`${'a'.repeat(60)}!`)
    const next = jobs.run('aa')
    await assert.rejects(late, JobTookTooLong)
    clearInterval(others)
    assert.ok(turns > 10, `${turns} turns`)
    assert.equal(await next, 2)
  })

  it('ends without this process if a job exceeds the memory, and the next job gets a new one', async () => {
    const jobs = create(
      `if (job === 'large') { const all = []; for (;;) all.push(new Array(1_000).fill(job + all.length)) }`,
    )
    await assert.rejects(jobs.run('large'), JobEndedProcess)
    assert.equal(await jobs.run('small'), 5)
  })

  it('reports why a job failed', async () => {
    const jobs = create(`if (job === 'bad') return process.send({ problem: 'It is broken' })`)
    await assert.rejects(jobs.run('bad'), /^Error: It is broken$/)
    assert.equal(await jobs.run('good'), 4)
  })
})
