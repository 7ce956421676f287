import assert from 'node:assert/strict'
import { Random } from '../faults/random.ts'
import { createRounds } from '../../activities/rounds.ts'

const TURN_MS = 10_000

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
    const { enter, clock } = rounds(1)
    const leave = await enter('a')
    assert.equal(await enter('b'), undefined)
    await leave!()
    assert.equal(await enter('a'), undefined, 'others wait')
    const second = await enter('b')
    assert.ok(second)
    await second()
    clock.now = 2_500
    assert.ok(await enter('a'), 'it has waited')
  })

  it('keep no place empty for whoever comes no more, or late', async () => {
    const { enter, clock } = rounds(1)
    const leave = await enter('a')
    assert.equal(await enter('b'), undefined)
    await leave!()
    assert.ok(await enter('c'), 'b is not waited for')
    clock.now = 100_000
    const other = await enter('a', 'another workspace')
    assert.equal(await enter('b', 'another workspace'), undefined)
    await other!()
    clock.now = 110_000
    assert.ok(await enter('a', 'another workspace'), 'b would have asked by now')
  })

  for (const [count, laterMs] of [
    [5, 1_100],
    [50, 0],
    [50, 4_000],
    [250, 1_100],
  ] as const) {
    it(`give each of ${count} its turns, who ask again ${laterMs} ms late, and leave few places empty`, async () => {
      let now = 0
      const random = new Random(count)
      const pass = createRounds(
        4,
        () => now,
        () => random.next(),
      )
      const had = Array.from({ length: count }, () => 0)
      const agenda: { at: number; act: () => void }[] = []
      const later = (ms: number, act: () => void) => agenda.push({ at: now + ms, act })
      const ask = (who: number) =>
        void pass<undefined>(
          'workspace',
          String(who),
          () => {
            had[who]! += 1
            const { promise, resolve } = Promise.withResolvers<undefined>()
            later(TURN_MS, () => {
              resolve(undefined)
              later(50, () => ask(who))
            })
            return promise
          },
          (againMs) => {
            later(againMs + laterMs, () => ask(who))
            return undefined
          },
        )
      for (const who of had.keys()) later((who * 7_919) % 2_000, () => ask(who))
      const lastsMs = 600 * TURN_MS
      while (now < lastsMs) {
        agenda.sort((a, b) => a.at - b.at)
        const next = agenda.shift()!
        now = next.at
        next.act()
        for (let n = 0; n < 5; n += 1) await Promise.resolve()
      }
      const turns = had.reduce((sum, each) => sum + each, 0)
      assert.ok(Math.min(...had) > 0, `fewest ${Math.min(...had)} of ${turns}`)
      assert.ok(turns > 0.7 * ((4 * lastsMs) / TURN_MS), `${turns} turns`)
    })
  }
})
