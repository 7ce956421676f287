import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { batch } from '../../src/platform/batcher.ts'

describe('batched calls', () => {
  /** Creates a function whose batches end when the test ends them. */
  function batches(options?: Parameters<typeof batch>[2]) {
    const running: { batch: string[]; end: (answers?: string[]) => void; fail: (error: Error) => void }[] = []
    const call = batch<string, string>(
      (item) => item[0]!,
      (batch) => {
        const { promise, resolve, reject } = Promise.withResolvers<string[]>()
        running.push({ batch, end: (answers = batch.map((item) => `${item}!`)) => resolve(answers), fail: reject })
        return promise
      },
      options,
    )
    return { call, running, batchesSoFar: () => running.map(({ batch }) => batch) }
  }
  const settled = () => new Promise((done) => setImmediate(done))

  it('runs a call immediately when it arrives alone', async () => {
    const { call, running } = batches()
    const answer = call('a1')
    assert.deepEqual(running[0]?.batch, ['a1'])
    running[0].end()
    assert.equal(await answer, 'a1!')
  })

  it('puts calls that arrive during a batch into the next one, and returns each its own result', async () => {
    const { call, running, batchesSoFar } = batches()
    const answers = ['a1', 'a2', 'a3'].map(call)
    assert.deepEqual(batchesSoFar(), [['a1']])
    running[0]!.end()
    assert.equal(await answers[0], 'a1!')
    await settled()
    assert.deepEqual(batchesSoFar(), [['a1'], ['a2', 'a3']])
    running[1]!.end()
    assert.deepEqual(await Promise.all(answers), ['a1!', 'a2!', 'a3!'])
  })

  it('separates the batches of keys, which do not wait for each other', () => {
    const { call, batchesSoFar } = batches()
    for (const item of ['a1', 'b1', 'a2', 'b2']) void call(item)
    assert.deepEqual(batchesSoFar(), [['a1'], ['b1']])
  })

  it('splits calls into batches of limited size', async () => {
    const { call, running, batchesSoFar } = batches({ maxBatch: 2 })
    for (const item of ['a1', 'a2', 'a3', 'a4']) void call(item)
    running[0]!.end()
    await settled()
    running[1]!.end()
    await settled()
    assert.deepEqual(batchesSoFar(), [['a1'], ['a2', 'a3'], ['a4']])
  })

  it('gathers calls until there are enough, or until the time is over', async () => {
    const { call, running, batchesSoFar } = batches({ gather: { count: 3, withinMs: 5 } })
    for (const item of ['a1', 'a2', 'b1']) void call(item)
    await settled()
    assert.deepEqual(batchesSoFar(), [])
    void call('a3')
    await settled()
    assert.deepEqual(batchesSoFar(), [['a1', 'a2', 'a3']])
    await eventually('the time is over', () => (running.length === 2 ? true : undefined))
    assert.deepEqual(batchesSoFar().at(-1), ['b1'])
  })

  it('fails all calls of a failed batch, and runs the next batch', async () => {
    const { call, running } = batches()
    const first = call('a1')
    const failing = Promise.allSettled([call('a2'), call('a3')])
    running[0]!.end()
    await first
    await settled()
    const next = call('a4')
    running[1]!.fail(new Error('No database'))
    const reasons = (await failing).map((result) =>
      result.status === 'rejected' ? String(result.reason) : result.value,
    )
    assert.deepEqual(reasons, ['Error: No database', 'Error: No database'])
    await settled()
    running[2]!.end()
    assert.equal(await next, 'a4!')
  })

  it('runs a call immediately again after the queue was empty', async () => {
    const { call, running } = batches()
    const first = call('a1')
    running[0]!.end()
    await first
    await settled()
    void call('a2')
    assert.deepEqual(running[1]?.batch, ['a2'])
  })
})
