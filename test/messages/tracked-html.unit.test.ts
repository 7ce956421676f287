import assert from 'node:assert/strict'
import { trackedHtml } from '../../src/messages/tracked-html.ts'

describe('tracked links of an email', () => {
  const seen: [url: string, links: number][] = []
  const linkVia = (url: string, links: number) => {
    seen.push([url, links])
    return `https://m.example.com/c/${seen.length}?a=1&b=2`
  }
  beforeEach(() => seen.splice(0))
  const tracked = (html: string) =>
    trackedHtml(html, { stays: (url) => url.startsWith('https://ours.example/'), linkVia })
  const VIA = '"https://m.example.com/c/1?a=1&amp;b=2"'

  const links: [what: string, html: string, url: string][] = [
    ['in double quotes', '<p><a href="https://a.example/x">Hi</a></p>', 'https://a.example/x'],
    ['in single quotes', "<a class=b href='https://a.example/x' >Hi</a>", 'https://a.example/x'],
    ['without quotes', '<a href=https://a.example/x>Hi</a>', 'https://a.example/x'],
    ['without quotes, and with a slash at the end', '<a href=https://a.example/x/>Hi</a>', 'https://a.example/x/'],
    ['of an area', '<area shape="rect" href="https://a.example/x">', 'https://a.example/x'],
    [
      'with letters encoded as entities',
      '<a href="https://a.example/?a=1&amp;b=&quot;">Hi</a>',
      'https://a.example/?a=1&b="',
    ],
    ['in capitals, with spaces', '<A\n HREF = "  HTTPS://a.example/x ">Hi</A>', 'HTTPS://a.example/x'],
    [
      'beside similar text in other attributes',
      `<a title="a href='https://b.example'" data-href="https://c.example" href="https://a.example/x">Hi</a>`,
      'https://a.example/x',
    ],
    ['the first of two', '<a href="https://a.example/x" href="https://b.example">Hi</a>', 'https://a.example/x'],
  ]
  for (const [what, html, url] of links)
    it(`replaces a link ${what}, and changes nothing else`, () => {
      const whole = tracked(html)
      assert.deepEqual(seen, [[url, 1]])
      const value = /href\s*=\s*("\s*https[^"]*"|'https[^']*'|https[^\s>]*)/i.exec(
        html.replace(/ (title|data-href)="[^"]*"/g, (attribute) => ' '.repeat(attribute.length)),
      )!
      const at = value.index + value[0].length - value[1]!.length
      assert.equal(whole, html.slice(0, at) + VIA + html.slice(at + value[1]!.length))
    })

  it('leaves links of other kinds, those that are excluded, and text that is not a link', () => {
    const others = [
      '<a href="mailto:a@example.com">Hi</a>',
      '<a href="tel:123">Hi</a>',
      '<a href="#top">Hi</a>',
      '<a href="javascript:alert(1)">Hi</a>',
      '<a href="/relative">Hi</a>',
      '<a href="https://">Hi</a>',
      '<a href>Hi</a>',
      '<a data-track="off" href="https://a.example">Hi</a>',
      '<!-- <a href="https://a.example">Hi</a> -->',
      '<link href="https://a.example/style.css"><img src="https://a.example/x.png">',
      'https://a.example <a',
      '<a href="https://a.example',
    ]
    assert.deepEqual(others.map(tracked), others)
  })

  it('counts distinct links', () => {
    tracked(
      '<a href="https://a.example">1</a><a href="https://b.example">2</a><a href="https://a.example">3</a><a href="https://ours.example/">4</a>',
    )
    assert.deepEqual(
      seen.map(([, links]) => links),
      [2, 2, 2],
    )
  })

  it('keeps a link that cannot be replaced', () => {
    const html = '<a href="https://a.example">1</a>'
    assert.equal(trackedHtml(html, { stays: () => false, linkVia: () => undefined }), html)
  })

  it('adds an image at the end of the body', () => {
    const html = trackedHtml('<body><a href="https://a.example">1</a></body>', {
      stays: () => false,
      picture: (links) => `https://m.example.com/o/${links}`,
    })
    assert.match(
      html,
      /^<body><a href="https:\/\/a\.example">1<\/a><img src="https:\/\/m\.example\.com\/o\/1" [^>]*alt=""[^>]*><\/body>$/,
    )
  })

  it('replaces only the first 2,000 links', () => {
    const link = '<a href="https://a.example">1</a>'
    const whole = tracked(link.repeat(2_001))
    assert.equal(seen.length, 2_000)
    assert.ok(whole.endsWith(link))
  })

  // In quadratic time, each of these takes minutes and exceeds Mocha's timeout.
  it('reads 450,000 characters of broken HTML', () => {
    for (const html of [
      '<a '.repeat(150_000),
      `<a ${'x="'.repeat(150_000)}>`,
      '<a href=https://a.example/>'.repeat(18_000),
      `<a ${' '.repeat(450_000)}`,
      '<div>'.repeat(80_000) + '</b>'.repeat(100_000),
      '<svg><a>'.repeat(120_000),
    ])
      tracked(html)
  })
})
