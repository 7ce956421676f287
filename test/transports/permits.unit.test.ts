import assert from 'node:assert/strict'
import { aheadClock } from '../support/clock.ts'
import { takeNow } from '../support/take-now.ts'
import { Permits, type Taken } from '../../src/transports/permits.ts'

describe('permits', () => {
  const never = new AbortController().signal
  const clock = aheadClock()

  it('are all for one group, when nobody else has asked for a minute, also while it waits itself', async () => {
    const permits = new Permits(5)
    permits.give('once', await permits.take('once', never))
    const held: Taken[] = []
    for (let n = 0; n < 10; n += 1) void permits.take('big', never).then((taken) => held.push(taken))
    await new Promise(setImmediate)
    assert.equal(held.length, 4)
    clock.setForward(61_000)
    permits.give('big', held.shift()!)
    await new Promise(setImmediate)
    assert.equal(held.length, 5)
  })

  it('are kept for a group that waits, for however long', async () => {
    const permits = new Permits(2)
    const big = await permits.take('big', never)
    const slow = await permits.take('slow', never)
    const waiting = permits.take('other', never)
    void permits.take('big', never)
    clock.setForward(61_000)
    permits.give('slow', slow)
    assert.deepEqual(await waiting, { isScarce: true })
    permits.give('big', big)
  })

  it('are scarce where all others are in use, and as many as are kept', async () => {
    const permits = new Permits(5)
    const taken: Taken[] = []
    for (let n = 0; n < 5; n += 1) taken.push(await permits.take('one', never))
    assert.deepEqual(
      taken.map(({ isScarce }) => isScarce),
      [false, false, false, false, true],
    )
    permits.give('one', taken[0]!)
    assert.deepEqual(await permits.take('one', never), { isScarce: false })
    permits.give('one', taken[4]!)
    assert.deepEqual(await permits.take('one', never), { isScarce: true })
    assert.deepEqual(await new Permits(1).take('one', never), { isScarce: false })
  })

  it('are one more for whoever has none, as often as slow ones have had theirs for long', async () => {
    const permits = new Permits(2)
    const slow = [await permits.take('one', never), await permits.take('another', never)]
    assert.equal(await takeNow(permits, 'third'), undefined)
    clock.setForward(31_000)
    const third = await takeNow(permits, 'third')
    assert.ok(third)
    assert.equal(await takeNow(permits, 'third'), undefined)
    assert.ok(await takeNow(permits, 'fourth'))
    assert.equal(await takeNow(permits, 'fifth'), undefined)
    permits.give('third', third)
    assert.ok(await takeNow(permits, 'fifth'))
    for (const [n, taken] of slow.entries()) permits.give(n === 0 ? 'one' : 'another', taken)
    assert.equal(await takeNow(permits, 'sixth'), undefined)
  })

  it('are for the group next that had none for longest, also when it gave up waiting and came again', async () => {
    const permits = new Permits(1)
    const first = await permits.take('busy', never)
    const had: [string, Taken][] = []
    for (const group of ['busy', 'other', 'busy', 'other']) {
      void permits.take(group, never).then((taken) => had.push([group, taken]))
    }
    const tired = new AbortController()
    const gaveUp = assert.rejects(permits.take('small', tired.signal), /enough/)
    tired.abort(new Error('enough'))
    await gaveUp
    void permits.take('small', never).then((taken) => had.push(['small', taken]))
    permits.give('busy', first)
    for (let n = 0; n < 3; n += 1) {
      await new Promise(setImmediate)
      permits.give(...had.at(-1)!)
    }
    await new Promise(setImmediate)
    assert.deepEqual(
      had.map(([group]) => group),
      ['other', 'small', 'busy', 'other'],
    )
  })

  it('are not scarce ones for a group whose emails need time: it waits for another one', async () => {
    const permits = new Permits(2)
    permits.noteUnhurried('slow')
    const one = await permits.take('one', never)
    let got: Taken | undefined
    void permits.take('slow', never).then((taken) => (got = taken))
    await new Promise(setImmediate)
    assert.equal(got, undefined)
    assert.deepEqual(await takeNow(permits, 'third'), { isScarce: true })
    permits.give('one', one)
    await new Promise(setImmediate)
    assert.deepEqual(got, { isScarce: false })
  })
})
