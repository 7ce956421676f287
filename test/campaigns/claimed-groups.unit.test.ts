import assert from 'node:assert/strict'
import { ClaimedGroups } from '../../src/campaigns/claim-ahead.ts'
import type { RenderAhead } from '../../src/campaigns/render-ahead.ts'
import { type Prepared, type SendDependencies, Sending } from '../../src/messages/index.ts'

interface Given {
  atOnce: number
  /** Messages whose template has a problem. */
  broken?: readonly number[]
  isToClaim?: (n: number) => boolean
  /** Whether the statement that claims fails. */
  isDown?: boolean
}

/** Creates groups over a store that records what is claimed, released and deferred, by the numbers of the messages. */
function groupsOf(count: number, { atOnce, broken = [], isToClaim = () => true, isDown = false }: Given) {
  const claims: number[][] = []
  const released: number[] = []
  const deferred: number[] = []
  const leases = new Set<string>()
  type Attempts = readonly { message: Prepared }[]
  const numbersOf = (attempts: Attempts) => attempts.map(({ message }) => Number(message.id))
  const dependencies = {
    mailFrom: 'news@example.com',
    links: { url: () => 'https://example.com' },
    log: { warn: () => undefined },
    metrics: { settled: () => undefined },
    leases: {
      begin: (claim: string) => {
        leases.add(claim)
        return { claimed: () => undefined, holds: () => true, end: () => leases.delete(claim) }
      },
    },
    store: {
      claimAhead(attempts: Attempts) {
        claims.push(numbersOf(attempts))
        return isDown ? Promise.reject(new Error('No database')) : Promise.resolve(new Set(attempts))
      },
      release: (attempts: Attempts) => Promise.resolve(void released.push(...numbersOf(attempts))),
      defer: (attempt: { message: Prepared }) => Promise.resolve(void deferred.push(...numbersOf([attempt]))),
    },
  } as unknown as SendDependencies
  const messageOf = (n: number) =>
    ({
      id: String(n),
      ref: { kind: 'campaign', campaignId: 'c' },
      attempts: 0,
      automationId: null,
      header: '<a@example.com>',
    }) as Prepared
  const emails = Array.from({ length: count }, (_, n) => ({ item: messageOf(n), content: {} as never }))
  const rendered = {
    atOnce: 25,
    take: (n: number) =>
      Promise.resolve(
        broken.includes(n) ? { field: 'subject', problem: 'broken' } : { subject: 'x', html: 'x', text: null },
      ),
  } as unknown as RenderAhead<Prepared>
  const groups = new ClaimedGroups(emails, rendered, {
    sendingOf: (message) => new Sending(dependencies, message),
    isToClaim: ({ id }) => isToClaim(Number(id)),
    atOnce: () => atOnce,
  })
  return { groups, claims, released, deferred, leases }
}

describe('messages that are claimed in groups', () => {
  it('are claimed one group ahead of those that are taken, and no further', async () => {
    const { groups, claims } = groupsOf(20, { atOnce: 5 })
    assert.deepEqual(claims, [])
    await groups.take(0)
    for (let n = 1; n < 5; n += 1) await groups.take(n)
    assert.deepEqual(claims, [
      [0, 1, 2, 3, 4],
      [5, 6, 7, 8, 9],
    ])
    await groups.take(5)
    assert.equal(claims.length, 3)
  })

  it('are not claimed ahead if the mail server is slow', async () => {
    const { groups, claims } = groupsOf(10, { atOnce: 0 })
    for (let n = 0; n < 10; n += 1) await groups.take(n)
    assert.deepEqual(claims, [])
  })

  it('are only those that will be sent', async () => {
    const { groups, claims } = groupsOf(5, { atOnce: 5, broken: [1], isToClaim: (n) => n !== 3 })
    const { email } = await groups.take(1)
    assert.deepEqual(email, { field: 'subject', problem: 'broken' })
    assert.deepEqual(claims, [[0, 2, 4]])
  })

  it('are released if they are not taken, with their leases', async () => {
    const { groups, released, leases } = groupsOf(10, { atOnce: 5 })
    const { sending } = await groups.take(0)
    await groups.close()
    assert.deepEqual(released.toSorted(), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    await Sending.release([sending])
    assert.deepEqual([released.length, leases.size], [10, 0])
  })

  it('are deferred if it is unknown whether they are claimed', async () => {
    const { groups, deferred, leases } = groupsOf(3, { atOnce: 3, isDown: true })
    for (let n = 0; n < 3; n += 1) {
      const { sending } = await groups.take(n)
      await sending.sendRendered({ subject: 'x', html: 'x', text: null }, { turn: new AbortController().signal })
    }
    await groups.close()
    assert.deepEqual([deferred, leases.size], [[0, 1, 2], 0])
  })
})
