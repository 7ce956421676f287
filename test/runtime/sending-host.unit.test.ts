import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { createDns } from '../../src/platform/dns.ts'
import { checkSendingHost } from '../../src/runtime/sending-host.ts'
import { readSmtpUrl } from '../../src/smtp/index.ts'
import { startDnsServer, type Zone } from '../support/dns-server.ts'

const NAME = 'mail.orchard.example'
const REVERSE = 'PTR 24.113.0.203.in-addr.arpa'
const COMPLETE: Zone = { [`A ${NAME}`]: ['203.0.113.24'], [REVERSE]: [NAME] }

describe('the host that sends', () => {
  let greeting: string
  let server: Server
  const zone: Zone = {}
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  before(async () => {
    dns = await startDnsServer(zone)
    server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write(greeting)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    dns.close()
    server.close()
  })

  const check = (records: Zone, says = `220 ${NAME} ESMTP Postfix\r\n`) => {
    for (const name of Object.keys(zone)) delete zone[name]
    Object.assign(zone, records)
    greeting = says
    const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
    return checkSendingHost(createDns([dns.address]), readSmtpUrl(url), 2_000)
  }

  for (const [what, records, says, expected, isFine] of [
    ['a name whose reverse DNS matches', COMPLETE, undefined, /203\.0\.113\.24 has the same name/, true],
    ['a name in a greeting of several lines', COMPLETE, `220-${NAME}\r\n220 ready\r\n`, /has the same name/, true],
    [
      'matching reverse DNS of IPv6',
      {
        [`AAAA ${NAME}`]: ['2001:db8::1'],
        [`PTR ${'1.0.0.0.'.concat('0.0.0.0.'.repeat(5))}8.b.d.0.1.0.0.2.ip6.arpa`]: [NAME],
      },
      undefined,
      /has the same name/,
      true,
    ],
    ['no reverse DNS', { [`A ${NAME}`]: ['203.0.113.24'] }, undefined, /203\.0\.113\.24 has no name/, false],
    ['another reverse DNS', { ...COMPLETE, [REVERSE]: ['x.example'] }, undefined, /has the name x\.example/, false],
    ['a name without an address', {}, undefined, /no address in the DNS/, false],
    ['a short name', COMPLETE, '220 server ESMTP\r\n', /not a full host name/, false],
    ['an address instead of a name', COMPLETE, '220 [203.0.113.24] ESMTP\r\n', /not a full host name/, false],
    ['a greeting that is none', COMPLETE, '554 no\r\n', /sends no greeting/, false],
    ['a DNS that fails', { [`SERVFAIL ${NAME}`]: ['x'] }, undefined, /cannot be looked up now \(ESERVFAIL\)/, false],
  ] as const)
    it(`${isFine ? 'accepts' : 'reports'} ${what}`, async () => {
      const { words, advice } = await check(records as Zone, says)
      assert.match(words, expected)
      assert.equal(advice === undefined, isFine)
    })

  it('is not that of a mail provider', async () => {
    const { words, advice } = await checkSendingHost(
      createDns([dns.address]),
      readSmtpUrl('smtp://smtp.example.com'),
      2_000,
    )
    assert.match(words, /^does not apply: smtp\.example\.com:587/)
    assert.equal(advice, undefined)
  })
})
