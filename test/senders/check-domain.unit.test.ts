// cspell:ignore inclde
import assert from 'node:assert/strict'
import { createDns } from '../../src/platform/dns.ts'
import { checkDomain, type DomainCheck } from '../../src/senders/check-domain.ts'
import { type DkimKeys, recordsFor } from '../../src/senders/dns-records.ts'
import { StoredDkimKey } from '../../src/senders/entities.ts'
import { startDnsServer, type Zone } from '../support/dns-server.ts'

const FROM = 'orchard.example'
const SPF = 'v=spf1 ip4:192.0.2.1 ~all'
const DKIM = 'v=DKIM1; k=rsa; p=KEY'
const DMARC = 'v=DMARC1; p=none; rua=mailto:dmarc@orchard.example'

interface SetUp {
  /** The From domain; `orchard.example` by default. */
  from?: string
  /** The domain of return paths, if it is not From. */
  returns?: string
  /** The domain of the DKIM key; From by default, `null` if mail is not signed. */
  signs?: string | null
  zone: Zone
}

interface Expected {
  result: NonNullable<DomainCheck['dmarc']>['result']
  /** Status of the mechanism, for SPF and DKIM. */
  spf?: string
  dkim?: string
  policy?: string | null
  policyDomain?: string | null
  /** Status of a record, and the problem or the note. */
  record?: [what: string, status: string, text?: RegExp]
  lookups?: number
  summary?: RegExp
  advice?: RegExp
  warnings?: string[]
}

/** A zone in which everything is right for a domain. */
const complete = (domain = FROM): Zone => ({
  [domain]: [SPF],
  [`k._domainkey.${domain}`]: [DKIM],
  [`_dmarc.${domain}`]: [DMARC],
  [`MX ${domain}`]: ['mail.orchard.example'],
})
/** Like `complete`, with changes. An empty list removes a record. */
const but = (changes: Zone, domain = FROM): Zone =>
  Object.fromEntries(Object.entries({ ...complete(domain), ...changes }).filter(([, values]) => values.length > 0))

const includes = (count: number): Zone => ({
  [FROM]: [`v=spf1 ${Array.from({ length: count }, (_, n) => `include:s${n}.example`).join(' ')} ~all`],
  ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}.example`, ['v=spf1 ip4:192.0.2.9 ~all']])),
})

/** RFC sections: 9989 is DMARC, 7208 is SPF, 6376 is DKIM, 7505 is null MX. */
const RULES: Record<string, [SetUp, Expected]> = {
  'passes on both (9989, 4.4)': [
    { zone: complete() },
    { result: 'PASS', spf: 'PASS', dkim: 'PASS', policy: 'none', summary: /passes on SPF and DKIM\.$/, warnings: [] },
  ],
  'finds no record (9989, 4.10.1)': [
    { zone: but({ [`_dmarc.${FROM}`]: [] }) },
    { result: 'NONE', policy: null, record: ['DMARC', 'MISSING'], advice: /Publish the DMARC record/ },
  ],
  'does not ask for a bounce domain under From if the DMARC record is missing and there is one': [
    { returns: `bounces.${FROM}`, zone: but({ [`_dmarc.${FROM}`]: [], [`bounces.${FROM}`]: [SPF] }) },
    {
      result: 'NONE',
      spf: 'PASS',
      summary: /^No DMARC record applies to orchard\.example\.$/,
      advice: /bulk email\.$/,
    },
  ],
  'finds the record of the parent domain (9989, 4.10)': [
    {
      from: 'news.orchard.example',
      zone: { ...but({ [`_dmarc.news.${FROM}`]: [] }, `news.${FROM}`), [`_dmarc.${FROM}`]: ['v=DMARC1; p=reject'] },
    },
    {
      result: 'PASS',
      policy: 'reject',
      policyDomain: FROM,
      record: ['DMARC', 'OK', /^The record of orchard\.example applies/],
    },
  ],
  'applies sp to an existing subdomain (9989, 4.7)': [
    {
      from: 'news.orchard.example',
      signs: null,
      zone: { [`news.${FROM}`]: ['x'], [`_dmarc.${FROM}`]: ['v=DMARC1; p=reject; sp=quarantine; np=none'] },
    },
    { result: 'FAIL', policy: 'quarantine', summary: /asks receivers to put such email into spam/ },
  ],
  'applies np to a subdomain that does not exist (9989, 4.7)': [
    {
      from: 'gone.orchard.example',
      signs: null,
      zone: { [`_dmarc.${FROM}`]: ['v=DMARC1; p=none; sp=none; np=reject'] },
    },
    { result: 'FAIL', policy: 'reject', summary: /asks receivers to reject such email/ },
  ],
  'ignores sp in the record of the domain itself (9989, 4.10.1)': [
    { zone: but({ [`_dmarc.${FROM}`]: ['v=DMARC1; p=quarantine; sp=reject'] }) },
    { result: 'PASS', policy: 'quarantine' },
  ],
  'lowers the policy in test mode (9989, 4.7)': [
    { zone: but({ [`_dmarc.${FROM}`]: ['v=DMARC1; p=reject; t=y'] }) },
    { result: 'PASS', policy: 'quarantine', record: ['DMARC', 'OK'] },
  ],
  'treats a record without p as p=none if it has rua (9989, 4.7 and 4.10.1)': [
    { zone: but({ [`_dmarc.${FROM}`]: ['v=DMARC1; rua=mailto:dmarc@orchard.example'] }) },
    { result: 'PASS', policy: 'none', record: ['DMARC', 'OK'] },
  ],
  'ignores a record without p and rua (9989, 4.10.1)': [
    { zone: but({ [`_dmarc.${FROM}`]: ['v=DMARC1; adkim=r'] }) },
    { result: 'NONE', policy: null, record: ['DMARC', 'WRONG', /neither p nor rua/] },
  ],
  'treats an invalid p as p=none if there is rua (9989, 4.10.1)': [
    { zone: but({ [`_dmarc.${FROM}`]: ['v=DMARC1; p=maybe; rua=mailto:dmarc@orchard.example'] }) },
    { result: 'PASS', policy: 'none', record: ['DMARC', 'WRONG', /treat the record as p=none/] },
  ],
  'ignores several records (9989, 4.10)': [
    { zone: but({ [`_dmarc.${FROM}`]: [DMARC, 'v=DMARC1; p=reject'] }) },
    { result: 'NONE', record: ['DMARC', 'WRONG', /There are 2 such records/] },
  ],
  'requires v=DMARC1 in capital letters and first (9989, 4.7)': [
    { zone: but({ [`_dmarc.${FROM}`]: ['v=dmarc1; p=none'] }) },
    { result: 'NONE', record: ['DMARC', 'WRONG', /must begin with v=DMARC1/] },
  ],
  'stops at psd=y, whose subdomain is the organization (9989, 4.10.2)': [
    {
      from: 'giant.bank.example',
      signs: 'mega.bank.example',
      returns: 'b.giant.bank.example',
      zone: {
        '_dmarc.bank.example': ['v=DMARC1; p=reject; psd=y'],
        '_dmarc.giant.bank.example': [DMARC],
        'b.giant.bank.example': [SPF],
        'k._domainkey.mega.bank.example': [DKIM],
      },
    },
    { result: 'PASS', spf: 'PASS', dkim: 'NOT_ALIGNED', policyDomain: 'giant.bank.example', summary: /SPF only/ },
  ],
  'applies the record of a public suffix if the organization has none (9989, 4.10.1)': [
    { from: 'small.bank.example', signs: null, zone: { '_dmarc.bank.example': ['v=DMARC1; p=reject; psd=y'] } },
    { result: 'FAIL', policy: 'reject', policyDomain: 'bank.example' },
  ],
  'stops at psd=n, below which domains do not align with its parent (9989, 4.10.2)': [
    {
      from: 'a.unit.orchard.example',
      signs: FROM,
      zone: {
        ...complete(),
        '_dmarc.unit.orchard.example': ['v=DMARC1; p=quarantine; psd=n'],
        'a.unit.orchard.example': [SPF],
      },
    },
    { result: 'PASS', spf: 'PASS', dkim: 'NOT_ALIGNED', policy: 'quarantine', policyDomain: 'unit.orchard.example' },
  ],
  'asks eight names at most (9989, 4.10)': [
    { from: 'a.b.c.d.e.f.g.h.i.orchard.example', signs: FROM, zone: complete() },
    { result: 'PASS', dkim: 'PASS', policyDomain: FROM },
  ],
  'does not align a foreign bounce domain (9989, 4.4.2)': [
    { returns: 'bounces.other.example', zone: { ...complete(), 'bounces.other.example': [SPF] } },
    {
      result: 'PASS',
      spf: 'NOT_ALIGNED',
      dkim: 'PASS',
      summary: /DKIM only\. SPF authenticates bounces\.other\.example/,
      advice: /bounce domain under orchard\.example/,
    },
  ],
  'fails with a foreign bounce domain and without DKIM (9989, 4.4)': [
    { returns: 'bounces.other.example', signs: null, zone: { ...complete(), 'bounces.other.example': [SPF] } },
    { result: 'FAIL', spf: 'NOT_ALIGNED', dkim: 'FAIL', advice: /^Set up DKIM/ },
  ],
  'requires the same domain for strict alignment (9989, 4.7)': [
    {
      returns: 'bounces.orchard.example',
      zone: but({
        [`_dmarc.${FROM}`]: ['v=DMARC1; p=reject; aspf=s; adkim=s'],
        'bounces.orchard.example': [SPF],
      }),
    },
    { result: 'PASS', spf: 'NOT_ALIGNED', dkim: 'PASS', advice: /Remove aspf=s/ },
  ],
  'does not align the key of a former From domain': [
    { signs: 'old.example', zone: { ...complete(), 'k._domainkey.old.example': [DKIM] } },
    { result: 'PASS', spf: 'PASS', dkim: 'NOT_ALIGNED', advice: /^Create a DKIM key for orchard\.example/ },
  ],
  'cannot judge while the DNS fails (9989, 4.10.1)': [
    { zone: but({ [`SERVFAIL _dmarc.${FROM}`]: ['x'] }) },
    { result: 'UNKNOWN', record: ['DMARC', 'UNKNOWN', /ESERVFAIL/], advice: /again later/ },
  ],
  'accepts ten SPF lookups (7208, 4.6.4)': [
    { zone: { ...complete(), ...includes(10) } },
    { result: 'PASS', spf: 'PASS', record: ['SPF', 'OK'], lookups: 10 },
  ],
  'rejects eleven SPF lookups (7208, 4.6.4)': [
    { zone: { ...complete(), ...includes(11) } },
    {
      result: 'PASS',
      spf: 'FAIL',
      record: ['SPF', 'WRONG', /needs 11 DNS lookups/],
      lookups: 11,
      summary: /DKIM only/,
    },
  ],
  'counts nested includes, a, mx, exists and redirect (7208, 4.6.4)': [
    {
      zone: but({
        [FROM]: ['v=spf1 include:one.example a mx exists:ok.example redirect=last.example'],
        'one.example': ['v=spf1 include:two.example ~all'],
        'two.example': ['v=spf1 ip4:192.0.2.2 ~all'],
        'last.example': ['v=spf1 ip4:192.0.2.3 ~all'],
        [`A ${FROM}`]: ['192.0.2.4'],
        'A mail.orchard.example': ['192.0.2.5'],
        'MX s.example': ['mail.orchard.example'],
        'A ok.example': [],
        'AAAA ok.example': [],
      }),
    },
    { result: 'PASS', record: ['SPF', 'OK'], lookups: 6 },
  ],
  'stops at a loop of includes (7208, 4.6.4)': [
    { zone: but({ [FROM]: [`v=spf1 include:${FROM} ~all`] }) },
    { result: 'PASS', spf: 'FAIL', record: ['SPF', 'WRONG', /needs 30 or more DNS lookups/] },
  ],
  'rejects three void lookups (7208, 4.6.4)': [
    { zone: but({ [FROM]: ['v=spf1 a:x1.example a:x2.example a:x3.example ip4:192.0.2.1 ~all'] }) },
    { result: 'PASS', spf: 'FAIL', record: ['SPF', 'WRONG', /3 lookups of the record find nothing/] },
  ],
  'rejects an include without an SPF record (7208, 5.2)': [
    { zone: but({ [FROM]: ['v=spf1 include:none.example ~all'] }) },
    { result: 'PASS', spf: 'FAIL', record: ['SPF', 'WRONG', /cannot evaluate the record/] },
  ],
  'rejects more than ten hosts of an mx mechanism (7208, 4.6.4)': [
    {
      zone: but({
        [FROM]: ['v=spf1 mx:crowd.example ~all'],
        'MX crowd.example': Array.from({ length: 11 }, (_, n) => `m${n}.example`),
        ...Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`A m${n}.example`, ['192.0.2.7']])),
      }),
    },
    { result: 'PASS', record: ['SPF', 'WRONG', /more than 10/] },
  ],
  'rejects an unknown mechanism behind -all (7208, 4.6)': [
    { zone: but({ [FROM]: ['v=spf1 ip4:192.0.2.1 -all inclde:s.example'] }) },
    { result: 'PASS', record: ['SPF', 'WRONG', /cannot evaluate the record/] },
  ],
  'rejects a wrong network behind -all (7208, 4.6)': [
    { zone: but({ [FROM]: ['v=spf1 ip4:192.0.2.1 -all ip4:192.0.2.300'] }) },
    { result: 'PASS', record: ['SPF', 'WRONG', /cannot evaluate the record/] },
  ],
  'rejects two SPF records (7208, 4.5)': [
    { zone: but({ [FROM]: [SPF, 'v=spf1 -all'] }) },
    { result: 'PASS', spf: 'FAIL', record: ['SPF', 'WRONG', /2 such records/] },
  ],
  'rejects a record that allows everyone, also by redirect (7208, 5.1)': [
    { zone: but({ [FROM]: ['v=spf1 redirect=open.example'], 'open.example': ['v=spf1 +all'] }) },
    { result: 'PASS', spf: 'FAIL', record: ['SPF', 'WRONG', /allows every host/] },
  ],
  'rejects a record that allows no one (7208, 5.1)': [
    { zone: but({ [FROM]: ['v=spf1 -all'] }) },
    { result: 'PASS', spf: 'FAIL', record: ['SPF', 'WRONG', /authorizes no host/] },
  ],
  'cannot judge SPF while an include fails (7208, 2.6.6)': [
    { zone: but({ [FROM]: ['v=spf1 include:slow.example ~all'], 'SERVFAIL slow.example': ['x'] }) },
    { result: 'PASS', spf: 'UNKNOWN', dkim: 'PASS', record: ['SPF', 'UNKNOWN'], summary: /lookup of SPF failed/ },
  ],
  'rejects a revoked key (6376, 3.6.1)': [
    { zone: but({ [`k._domainkey.${FROM}`]: ['v=DKIM1; p='] }) },
    { result: 'PASS', dkim: 'FAIL', record: ['DKIM', 'WRONG', /revokes the key/], summary: /SPF only/ },
  ],
  'rejects a different key and a key in test mode (6376, 3.6.1)': [
    { zone: but({ [`k._domainkey.${FROM}`]: ['v=DKIM1; t=y:s; p=KEY'] }) },
    { result: 'PASS', dkim: 'FAIL', record: ['DKIM', 'WRONG', /marks the key as a test/] },
  ],
  'accepts a key in several parts and without tags that are optional (6376, 3.6.2.2)': [
    { zone: but({ [`k._domainkey.${FROM}`]: [`n=${'x'.repeat(300)}; p=K E Y`] }) },
    { result: 'PASS', dkim: 'PASS', record: ['DKIM', 'OK'] },
  ],
  'fails for a mailbox provider, although its records are right': [
    {
      from: 'gmail.com',
      zone: { ...complete('gmail.com'), '_dmarc.gmail.com': ['v=DMARC1; p=none; sp=quarantine'] },
    },
    {
      result: 'FAIL',
      summary: /only gmail\.com itself/,
      advice: /domain that you own/,
      warnings: ['free_mail_domain'],
    },
  ],
  'warns of a domain without MX': [{ zone: but({ [`MX ${FROM}`]: [] }) }, { result: 'PASS', warnings: ['mx_missing'] }],
  'warns of null MX (7505, 3)': [{ zone: but({ [`MX ${FROM}`]: ['.'] }) }, { result: 'PASS', warnings: ['null_mx'] }],
}

describe('the check of a sending domain', () => {
  const zone: Zone = {}
  let dns: Awaited<ReturnType<typeof startDnsServer>>
  before(async () => {
    dns = await startDnsServer(zone)
  })
  after(() => dns.close())

  function keysFor(domain: string | null): DkimKeys {
    if (domain === null) return {}
    const key = new StoredDkimKey()
    return {
      SIGNING: Object.assign(key, { role: 'SIGNING', domain, selector: 'k', publicKey: 'KEY', since: new Date() }),
    }
  }

  async function check({ from = FROM, returns, signs = from, zone: records }: SetUp): Promise<DomainCheck> {
    for (const name of Object.keys(zone)) delete zone[name]
    Object.assign(zone, records)
    dns.asked.length = 0
    const keys = keysFor(signs)
    const returnPath = returns === undefined ? null : { domain: returns, host: 'mail.orchard.example' }
    return checkDomain(createDns([dns.address]), {
      records: recordsFor({ fromAddress: `hello@${from}` }, keys, returnPath),
      keys,
      fromDomain: from,
      returnDomain: returns ?? from,
    })
  }

  it('finds the zone and its name servers, and none if a lookup fails', async () => {
    const servers = ['bob.ns.cloudflare.com', 'ada.ns.cloudflare.com']
    const zoneOf = async (changes: Zone) =>
      (await check({ from: 'news.mail.orchard.example', zone: { ...complete(), ...changes } })).zone
    assert.deepEqual(await zoneOf({ [`NS ${FROM}`]: servers, 'NS other.example': ['ns1.other.example'] }), {
      name: FROM,
      nameServers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
    })
    // A zone of its own.
    assert.equal((await zoneOf({ [`NS ${FROM}`]: servers, [`NS mail.${FROM}`]: servers }))?.name, `mail.${FROM}`)
    assert.equal(await zoneOf({}), null)
    assert.equal(await zoneOf({ [`NS ${FROM}`]: servers, [`SERVFAIL ${FROM}`]: ['x'] }), null)
  })

  async function assertCheck(setUp: SetUp, expected: Expected): Promise<void> {
    const { records, dmarc, warnings } = await check(setUp)
    const { record, lookups, summary, advice, warnings: codes, spf, dkim, ...verdict } = expected
    assert.partialDeepStrictEqual(dmarc, {
      ...verdict,
      ...(spf !== undefined && { spf: { status: spf } }),
      ...(dkim !== undefined && { dkim: { status: dkim } }),
    })
    if (summary) assert.match(dmarc!.summary, summary)
    if (advice) assert.match(dmarc!.advice!, advice)
    const found = (what: string) => records.find((one) => one.what === what)!
    if (codes)
      assert.deepEqual(
        Array.from(warnings, ({ code }) => code),
        codes,
      )
    if (lookups !== undefined) assert.equal(found('SPF').lookups, lookups)
    if (!record) return
    const [what, status, text] = record
    assert.equal(found(what).status, status)
    if (text) assert.match(found(what).problem ?? found(what).note!, text)
  }

  it('applies the rules of DMARC, SPF, DKIM and MX records', async () => {
    const deviations: string[] = []
    for (const [rule, [setUp, expected]] of Object.entries(RULES))
      await assertCheck(setUp, expected).catch((error: Error) => deviations.push(`${rule}: ${error.message}`))
    assert.deepEqual(deviations, [])
  })

  it('asks for at most eight DMARC records of a long name', async () => {
    await check({ from: 'a.b.c.d.e.f.g.h.i.orchard.example', signs: null, zone: complete() })
    const names = new Set(dns.asked.filter((question) => question.startsWith('TXT _dmarc.')))
    assert.equal(names.size, 8)
    assert.ok(names.has('TXT _dmarc.e.f.g.h.i.orchard.example'))
    assert.ok(!names.has('TXT _dmarc.d.e.f.g.h.i.orchard.example'))
    assert.ok(names.has('TXT _dmarc.example'))
  })
})
