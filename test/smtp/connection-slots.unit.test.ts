import assert from 'node:assert/strict'
import { ConnectionSlots } from '../../src/smtp/connection-slots.ts'
import { takeNow } from '../support/take-now.ts'

describe('connection slots', () => {
  const never = new AbortController().signal

  it('gives one workspace all slots while no other is waiting', async () => {
    const slots = new ConnectionSlots(3)
    for (let n = 0; n < 3; n += 1) assert.ok(await takeNow(slots, 'big'))
    assert.equal(await takeNow(slots, 'big'), undefined)
  })

  it('gives the next slot to the workspace that holds the fewest', async () => {
    const slots = new ConnectionSlots(2)
    const releaseFirst = await slots.take('big', never)
    const releaseSecond = await slots.take('big', never)
    const order: string[] = []
    for (const workspace of ['big', 'big', 'big', 'small'])
      void slots.take(workspace, never).then(() => order.push(workspace))
    releaseFirst()
    releaseSecond()
    await new Promise(setImmediate)
    assert.deepEqual(order, ['small', 'big'])
  })

  it('lets workspaces take turns at a single slot', async () => {
    const slots = new ConnectionSlots(1)
    const release = await slots.take('a', never)
    const order: string[] = []
    const all = ['a', 'a', 'a', 'b', 'b', 'c'].map(async (workspace) => {
      const releaseSlot = await slots.take(workspace, never)
      order.push(workspace)
      releaseSlot()
    })
    release()
    await Promise.all(all)
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('forgets a workspace that stops waiting, and ignores a second release', async () => {
    const slots = new ConnectionSlots(1)
    const release = await slots.take('a', never)
    const tired = new AbortController()
    const waiting = slots.take('b', tired.signal)
    tired.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
    release()
    release()
    assert.ok(await takeNow(slots, 'c'))
    assert.equal(await takeNow(slots, 'd'), undefined)
  })

  it('rejects all callers once they are closed', async () => {
    const slots = new ConnectionSlots(1)
    await slots.take('a', never)
    const waiting = slots.take('b', never)
    slots.close()
    await assert.rejects(waiting, { name: 'TransportClosed' })
    await assert.rejects(slots.take('c', never), { name: 'TransportClosed' })
  })
})
