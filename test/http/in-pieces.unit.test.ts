import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { createPieces } from '../../src/http/in-pieces.ts'

describe('answers in pieces', () => {
  const owners = new AsyncLocalStorage<string>()
  const asOwner = (owner: string, stream: () => ReturnType<ReturnType<typeof createPieces>>) =>
    owners.run(owner, stream)

  /** Pieces that take a moment. @param making how many are being made, of all */
  async function* slow(making: { now: number; most: number; onBehalf: Set<string | undefined> }, count = 5) {
    for (let n = 0; n < count; n += 1) {
      making.onBehalf.add(owners.getStore())
      making.now += 1
      making.most = Math.max(making.most, making.now)
      await delay(5)
      making.now -= 1
      yield `${n}`
    }
  }
  const none = () => ({ now: 0, most: 0, onBehalf: new Set<string | undefined>() })

  it('are made one at a time for a workspace, and on its behalf, however many it asks for', async () => {
    const inPieces = createPieces()
    const [a, b] = [none(), none()]
    const still = () => Promise.resolve()
    const all = [
      ...Array.from({ length: 4 }, () => asOwner('a', () => inPieces('a', slow(a), still))),
      asOwner('b', () => inPieces('b', slow(b), still)),
    ]
    assert.deepEqual(
      await Promise.all(all.map(text)),
      Array.from(all, () => '01234'),
    )
    assert.equal(a.most, 1)
    assert.deepEqual([...a.onBehalf, ...b.onBehalf], ['a', 'b'])
  })

  it('end in the middle for whoever may read them no more', async () => {
    const inPieces = createPieces()
    async function* endless() {
      for (;;) {
        await delay(20)
        yield 'x'
      }
    }
    const removed = () => Promise.reject(new Error('Your key is gone'))
    await assert.rejects(text(inPieces('a', endless(), removed)), { message: 'Your key is gone' })
    // Its turn is another one's.
    assert.equal(await text(inPieces('a', slow(none(), 1), removed)), '0')
  })
})
