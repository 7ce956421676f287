import assert from 'node:assert/strict'
import { batch } from '../../src/platform/batcher.ts'

describe('batched calls', () => {
  /** Creates a function whose batches end when the test ends them. */
  function batches(maxBatch?: number) {
    const running: { batch: string[]; end: (answers?: string[]) => void; fail: (error: Error) => void }[] = []
    const call = batch<string, string>(
      (item) => item[0]!,
      (batch) => {
        const { promise, resolve, reject } = Promise.withResolvers<string[]>()
        running.push({ batch, end: (answers = batch.map((item) => `${item}!`)) => resolve(answers), fail: reject })
        return promise
      },
      maxBatch,
    )
    return { call, running, batchesSoFar: () => running.map(({ batch }) => batch) }
  }
  const settled = () => new Promise((done) => setImmediate(done))

  it('run at once when they arrive alone', async () => {
    const { call, running } = batches()
    const answer = call('a1')
    assert.deepEqual(running[0]?.batch, ['a1'])
    running[0].end()
    assert.equal(await answer, 'a1!')
  })

  it('share the next batch when they arrive during another one, and each gets its own result', async () => {
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

  it('never share a batch with calls of another key, and do not wait for them', () => {
    const { call, batchesSoFar } = batches()
    for (const item of ['a1', 'b1', 'a2', 'b2']) void call(item)
    assert.deepEqual(batchesSoFar(), [['a1'], ['b1']])
  })

  it('are split into batches of limited size', async () => {
    const { call, running, batchesSoFar } = batches(2)
    for (const item of ['a1', 'a2', 'a3', 'a4']) void call(item)
    running[0]!.end()
    await settled()
    running[1]!.end()
    await settled()
    assert.deepEqual(batchesSoFar(), [['a1'], ['a2', 'a3'], ['a4']])
  })

  it('all fail with their batch, and the next batch runs', async () => {
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

  it('run at once again after the queue was empty', async () => {
    const { call, running } = batches()
    const first = call('a1')
    running[0]!.end()
    await first
    await settled()
    void call('a2')
    assert.deepEqual(running[1]?.batch, ['a2'])
  })
})
