import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { takeSendTurns } from '../../src/senders/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { withSendRate } from '../../src/smtp/index.ts'
import type { ConnectionSlot, MailTransport } from '../../src/smtp/index.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('turns to send within a rate', () => {
  let service: Service
  before(async () => (service = await openWorkspace({ worker: false })))
  const em = () => service.context.orm.em.fork()
  const setNext = (interval: string) => sql(em(), 'update send_rate set next_at = now() + $1::interval', [interval])

  it('are given once each to workers that take them at the same time', async () => {
    await setNext('0')
    const nextAt = async () => {
      const [row] = await sql<{ ms: number }>(
        em(),
        'select (extract(epoch from next_at) * 1000)::float8 as ms from send_rate',
      )
      return row!.ms
    }
    const before = await nextAt()
    const taken = await Promise.all([1, 2, 3, 4].map(() => takeSendTurns(em(), 10, 3)))
    const turns = taken.reduce((sum, { count }) => sum + count, 0)
    assert.ok(turns >= 10 && turns <= 12, `${turns} turns within a second`)
    // Each turn moves the next one by 100 ms; a turn that is taken late moves it further.
    assert.ok((await nextAt()) - before > turns * 100 - 1, 'no two workers have the same turn')
  })

  it('are only those that begin within a second', async () => {
    await setNext('5 seconds')
    assert.equal((await takeSendTurns(em(), 100, 3)).count, 0)
    await setNext('0.5 seconds')
    assert.equal((await takeSendTurns(em(), 2, 3)).count, 2)
    await setNext('0')
    assert.equal((await takeSendTurns(em(), 0.1, 3)).count, 1)
    assert.equal((await takeSendTurns(em(), 0.1, 3)).count, 0)
  })

  it('begin again soon if the clock was set back', async () => {
    await setNext('3 hours')
    assert.equal((await takeSendTurns(em(), 10, 1)).count, 0)
    await delay(250)
    assert.equal((await takeSendTurns(em(), 10, 1)).count, 1)
  })
})

describe('a transport with a rate', () => {
  let free: number
  const slot = (): ConnectionSlot => ({
    deliver: () => Promise.resolve({ kind: 'withdrawn' }),
    release: () => void (free += 1),
  })
  const grant = () => Promise.resolve(((free -= 1), slot()))
  const transport = { permit: grant, permitSoon: grant, usualMs: () => 2 } as unknown as MailTransport
  const withTurns = (...turns: (number | undefined | Error)[]) =>
    withSendRate(transport, {
      perSecond: 5,
      connections: 10,
      takeTurn() {
        const turn = turns.shift()
        return turn instanceof Error ? Promise.reject(turn) : Promise.resolve(turn)
      },
    })
  beforeEach(() => (free = 0))

  it('waits for a turn, and keeps the connection', async () => {
    const since = performance.now()
    assert.ok(await withTurns(undefined, 20).permit('a', new AbortController().signal))
    assert.ok(performance.now() - since >= 500)
    assert.ok(await withTurns(0).permitSoon('a'))
    assert.equal(free, -2)
  })

  it('returns the connection if no turn is soon, if it is aborted, and on an error', async () => {
    assert.equal(await withTurns(undefined).permitSoon('a'), undefined)
    const late = new AbortController()
    const waiting = withTurns().permit('a', late.signal)
    late.abort(new Error('Too late'))
    await assert.rejects(waiting, /Too late/)
    await assert.rejects(withTurns(new Error('No database')).permit('a', new AbortController().signal), /No database/)
    await assert.rejects(withTurns(new Error('No database')).permitSoon('a'), /No database/)
    assert.equal(free, 0)
  })

  it('says how long all connections together take for an email', () => {
    assert.equal(withTurns().usualMs?.(), 2_000)
  })
})
