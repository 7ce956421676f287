import assert from 'node:assert/strict'
import { createRounds } from '../../activities/bulkheads.ts'

describe('rounds', () => {
  function rounds(atATime: number) {
    const clock = { now: 0 }
    const pass = createRounds(atATime, () => clock.now)
    /** Asks to be let in. @returns how to leave; `undefined` where it is turned away */
    const enter = async (who: string, key = 'workspace'): Promise<(() => Promise<void>) | undefined> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      let isIn = false
      const ended = pass(
        key,
        who,
        () => {
          isIn = true
          return promise
        },
        () => undefined,
      )
      await Promise.resolve()
      if (!isIn) return undefined
      return async () => {
        resolve()
        await ended
      }
    }
    return { enter, clock }
  }

  it('let in so many of a key, and each key by itself', async () => {
    const { enter } = rounds(2)
    assert.ok(await enter('a'))
    assert.ok(await enter('b'))
    assert.equal(await enter('c'), undefined)
    assert.ok(await enter('c', 'another workspace'))
  })

  it('let whoever was turned away in before those who come back', async () => {
    const { enter } = rounds(1)
    const leave = await enter('a')
    assert.equal(await enter('b'), undefined)
    assert.equal(await enter('c'), undefined)
    await leave!()
    assert.equal(await enter('a'), undefined, 'others wait')
    assert.equal(await enter('c'), undefined, 'b is before')
    const second = await enter('b')
    assert.ok(second)
    await second()
    assert.ok(await enter('c'))
  })

  it('do not wait for whoever comes no more', async () => {
    const { enter, clock } = rounds(1)
    const leave = await enter('a')
    assert.equal(await enter('b'), undefined)
    await leave!()
    clock.now = 2_500
    assert.equal(await enter('c'), undefined)
    clock.now = 3_500
    assert.ok(await enter('c'))
  })
})
