import assert from 'node:assert/strict'
import { clientAddress, isAddressRange } from '../../src/platform/address-ranges.ts'

describe('address range', () => {
  it('is an address or a network, without a rest', () => {
    const good = [
      '203.0.113.7',
      '10.0.0.0/8',
      '0.0.0.0/0',
      '203.0.113.7/32',
      '2001:db8::/32',
      '2001:0DB8:0::/48',
      '::1',
    ]
    for (const text of [...good, '::/0']) assert.ok(isAddressRange(text), text)
    for (const text of [
      ...['', '010.0.0.1', '10.1', '167772161', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.5/8', 'x'],
      ...['2001:db8::1/32', '::ffff:10.0.0.0/104', 'fe80::1%eth0', '::/129'],
    ])
      assert.ok(!isAddressRange(text), text)
  })
})

describe('client address', () => {
  const proxies = ['10.0.0.0/8', '2001:db8::/32']
  const CASES: [string, string | undefined, string | undefined, string | null][] = [
    ['is the socket without proxies', '203.0.113.7', undefined, '203.0.113.7'],
    ['is the socket if that is not a trusted proxy, whatever it claims', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['is the address that the proxy added', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is not an address that the client sent', '10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
    [
      'is the address before a chain of proxies',
      '10.0.0.1',
      '1.2.3.4, 198.51.100.1, 10.9.9.9, 2001:db8::5',
      '198.51.100.1',
    ],
    [
      'is unwrapped from the IPv4-mapped form of a dual-stack socket',
      '::ffff:10.0.0.1',
      '::ffff:198.51.100.1',
      '198.51.100.1',
    ],
    ['is the proxy if that added an invalid address', '10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
    ['is not an abbreviated address', '10.0.0.1', '198.51.100.1, 010.0.0.1', '10.0.0.1'],
    ['is the outermost if all are proxies', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['is unknown if the socket is closed', undefined, '198.51.100.1', null],
  ]

  it('is the last address that a trusted proxy added', () => {
    for (const [what, socket, forwarded, expected] of CASES)
      assert.equal(clientAddress(socket, forwarded, proxies), expected, what)
  })
})
