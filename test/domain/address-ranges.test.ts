import assert from 'node:assert/strict'
import { isAddressRange, isAllowedAddress } from '../../src/domain/address-ranges.ts'

describe('address range', () => {
  for (const good of ['203.0.113.7', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0']) {
    it(`takes ${good}`, () => assert.ok(isAddressRange(good)))
  }
  for (const bad of [
    '',
    '010.0.0.1',
    '10.1',
    '167772161',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '::/129',
    'x',
  ]) {
    it(`refuses ${JSON.stringify(bad)}`, () => assert.ok(!isAddressRange(bad)))
  }

  for (const [range, address, allowed] of [
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
    ['10.0.0.0/8', '::ffff:11.0.0.1', false],
    ['2001:db8::/32', '2001:db8:1::5', true],
    ['2001:db8::/32', '2001:db9::5', false],
    ['203.0.113.7', '203.0.113.8', false],
    ['0.0.0.0/0', '', false],
  ] as const) {
    it(`${allowed ? 'lets' : 'does not let'} ${address || 'an unknown address'} into ${range}`, () =>
      assert.equal(isAllowedAddress([range], address), allowed))
  }
  it('is no restriction where there is none', () => assert.ok(isAllowedAddress([], '198.51.100.1')))
})
