import assert from 'node:assert/strict'
import { gateOf, isDelivered, lostUntilAfter, mayBeLost } from '../../src/instance/sending-gate.ts'
import { changesOf } from '../../src/instance/watch-sending-gate.ts'

const [ONE, TWO, NOW, LATER] = [1, 2, 3, 4].map((hour) => new Date(Date.UTC(2026, 0, 1, hour))) as [
  Date,
  Date,
  Date,
  Date,
]

describe('the sending gate', () => {
  it('is closed while the instance is restored and not reconciled', () => {
    const row = { mail: 'smtp', restored_at: null, lost_until: ONE.toISOString() } as const
    assert.deepEqual(gateOf(row), { isOpen: true, mail: 'smtp', lostUntil: ONE })
    assert.equal(gateOf({ ...row, restored_at: TWO.toISOString() }).isOpen, false)
    assert.deepEqual(gateOf(undefined), { isOpen: true, mail: null, lostUntil: null })
  })

  it('delivers mail of live workspaces of an instance with a mail server, and captures the rest', () => {
    assert.equal(isDelivered({ workspaceMode: 'live', mail: 'smtp' }), true)
    for (const mail of ['capture', null] as const) assert.equal(isDelivered({ workspaceMode: 'live', mail }), false)
    assert.equal(isDelivered({ workspaceMode: 'test', mail: 'smtp' }), false)
  })

  it('treats mail of live workspaces that was due before the loss as lost', () => {
    assert.equal(mayBeLost({ workspaceMode: 'live', lostUntil: TWO }, ONE), true)
    assert.equal(mayBeLost({ workspaceMode: 'live', lostUntil: TWO }, TWO), true)
    assert.equal(mayBeLost({ workspaceMode: 'live', lostUntil: TWO }, NOW), false)
    assert.equal(mayBeLost({ workspaceMode: 'live', lostUntil: null }, ONE), false)
    assert.equal(mayBeLost({ workspaceMode: 'test', lostUntil: TWO }, ONE), false)
  })

  for (const [name, before, given, expected] of [
    ['ends now if nothing else is known', null, undefined, NOW],
    ['ends when the operator specifies', null, TWO, TWO],
    ['does not exist if nothing is lost', null, null, null],
    ['keeps an earlier loss', ONE, null, ONE],
    ['keeps an earlier loss that ended later', TWO, ONE, TWO],
    ['extends an earlier loss', ONE, TWO, TWO],
    ['forgets an earlier loss that ends in the future', LATER, null, null],
    ['replaces an earlier loss that ends in the future', LATER, ONE, ONE],
  ] as const) {
    it(`after a reconciliation, the loss ${name}`, () => {
      assert.deepEqual(lostUntilAfter(before, given, NOW), expected)
    })
  }

  it('logs each change once', () => {
    const gate = { isOpen: true, mail: 'smtp', lostUntil: null } as const
    const messages = (...of: Parameters<typeof changesOf>) => changesOf(...of).map(({ message }) => message)
    assert.deepEqual(messages(undefined, gate, { delivers: true }), [])
    assert.match(messages(gate, { ...gate, isOpen: false }, { delivers: true })[0]!, /restored from a backup/)
    assert.deepEqual(messages({ ...gate, isOpen: false }, { ...gate, isOpen: false }, { delivers: true }), [])
    assert.match(messages({ ...gate, isOpen: false }, gate, { delivers: true })[0]!, /enabled again/)
    assert.match(messages(undefined, { ...gate, mail: 'capture' }, { delivers: true })[0]!, /captures its mail/)
    assert.deepEqual(messages(undefined, { ...gate, mail: 'capture' }, { delivers: false }), [])
    assert.match(messages({ ...gate, mail: 'capture' }, gate, { delivers: true })[0]!, /delivered again/)
  })
})
