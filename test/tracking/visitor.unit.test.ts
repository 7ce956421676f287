import assert from 'node:assert/strict'
import { isBurst, isMachine, visitorOf } from '../../src/tracking/visitor.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

describe('the classification of a visit', () => {
  const of = (agent: string, more: Record<string, string> = {}, method = 'GET') =>
    isMachine('OPEN', method, { 'user-agent': agent, ...more })

  const people = {
    'a browser': CHROME,
    'a mail program': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.5.0',
    'a telephone':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Gmail, which fetches images when an email is opened':
      'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'eM Client': 'eM Client/10.1.4828.0',
    'Windows Mail': 'WindowsMail/17.5',
    'Windows Live Mail': 'Microsoft Windows Live Mail/16.4',
    'the app of Yahoo': 'YahooMobile/1.0 (mail; 3.0.5.1311380)',
    'the app of NAVER': 'NAVER/12.4.2 (Android 14; SM-S918N)',
    Yahoo: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  }

  const machines = {
    'a client without a user agent': '',
    'Apple, which prefetches the images of all emails': 'Mozilla/5.0',
    'Gmail, which prefetches images for other clients':
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
    'a search engine': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'the search engine of NAVER': 'Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)',
    'a link preview': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'a program': 'python-requests/2.32.3',
    curl: 'curl/8.7.1',
    'Microsoft’s scanner, by its user agent': 'Mozilla/5.0 (compatible; BingPreview/1.0b)',
  }
  it('distinguishes machines from possible persons by their user agent', () => {
    const isTakenFor = (agents: Record<string, string>, isOne: boolean) =>
      Object.keys(agents).filter((who) => of(agents[who]!) === isOne)
    assert.deepEqual(isTakenFor(people, true), [])
    assert.deepEqual(isTakenFor(machines, false), [])
  })

  it('treats a visitor as a machine if it prefetches or requests only the headers', () => {
    assert.equal(of(CHROME, { 'sec-purpose': 'prefetch;prerender' }), true)
    assert.equal(of(CHROME, { purpose: 'preview' }), true)
    assert.equal(of(CHROME, {}, 'HEAD'), true)
  })

  it('treats an image proxy that follows a link as a machine', () => {
    const agent = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
    assert.equal(isMachine('CLICK', 'GET', { 'user-agent': agent }), true)
  })
})

describe('attributing visits', () => {
  const LONG_AGO = { isInFlight: false, secondsSinceSent: 3_600 }
  const clicksOf = (links: number, ...secondsBefore: number[]) =>
    secondsBefore.map((seconds) => ({ secondsBefore: seconds, links }))

  it('delays the decision about a visit long after sending', () => {
    assert.equal(visitorOf({ isMachine: false }, LONG_AGO), 'UNDECIDED')
  })

  it('attributes a visit to the mail server while the message is in flight, or within seconds of sending', () => {
    assert.equal(visitorOf({ isMachine: false }, { isInFlight: true, secondsSinceSent: 3_600 }), 'EARLY')
    assert.equal(visitorOf({ isMachine: false }, { isInFlight: false, secondsSinceSent: 9 }), 'EARLY')
    assert.equal(visitorOf({ isMachine: true }, { isInFlight: true, secondsSinceSent: 0 }), 'MACHINE')
  })

  it('treats clicks on all links of an email as a burst, if there are at least two', () => {
    assert.equal(isBurst(clicksOf(2, 0, 14), LONG_AGO), true)
    assert.equal(isBurst(clicksOf(3, 0, 14), LONG_AGO), false)
    assert.equal(isBurst(clicksOf(1, 0), LONG_AGO), false)
    assert.equal(isBurst([], LONG_AGO), false)
  })

  it('treats three clicks within two seconds as a burst', () => {
    assert.equal(isBurst(clicksOf(10, 0, 1, 1.9), LONG_AGO), true)
    assert.equal(isBurst(clicksOf(10, 0, 1, 2.1), LONG_AGO), false)
  })

  it('treats two clicks within five seconds as a burst only shortly after sending', () => {
    assert.equal(isBurst(clicksOf(10, 0, 4.9), { isInFlight: false, secondsSinceSent: 59 }), true)
    assert.equal(isBurst(clicksOf(10, 0, 4.9), { isInFlight: true, secondsSinceSent: 3_600 }), true)
    assert.equal(isBurst(clicksOf(10, 0, 5.1), { isInFlight: false, secondsSinceSent: 59 }), false)
    assert.equal(isBurst(clicksOf(10, 0, 4.9), LONG_AGO), false)
  })
})
