import assert from 'node:assert/strict'
import { createWeights } from '../../src/platform/weights.ts'

describe('weights', () => {
  /** Something that is held until it is let go. */
  function holder(most: number) {
    const holding = createWeights(most)
    const begun: number[] = []
    const hold = (weight: number) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const ended = holding(weight, () => {
        begun.push(weight)
        return promise
      })
      return { letGo: resolve, ended }
    }
    return { begun, hold }
  }
  const settled = () => new Promise((done) => setImmediate(done))

  it('are held together up to so much, and the others wait, each behind those that came before', async () => {
    const { begun, hold } = holder(10)
    const [first, second] = [hold(6), hold(4)]
    hold(5)
    hold(1)
    await settled()
    assert.deepEqual(begun, [6, 4])
    second.letGo()
    await second.ended
    await settled()
    assert.deepEqual(begun, [6, 4], 'the light one does not overtake')
    first.letGo()
    await settled()
    assert.deepEqual(begun, [6, 4, 5, 1])
  })

  it('that are more than all are held alone; and one that fails lets go', async () => {
    const { begun, hold } = holder(10)
    const light = hold(1)
    const heavy = hold(50)
    await settled()
    assert.deepEqual(begun, [1])
    light.letGo()
    await settled()
    assert.deepEqual(begun, [1, 50])
    heavy.letGo()
    await heavy.ended
    const holding = createWeights(1)
    await assert.rejects(
      holding(1, () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(await holding(1, () => Promise.resolve('next')), 'next')
  })
})
