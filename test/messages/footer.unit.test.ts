import assert from 'node:assert/strict'
import { withFooter } from '../../src/messages/footer.ts'

describe('the footer of an email', () => {
  const url = 'https://mail.example.com/unsubscribe/abc'
  const below = (html: string) =>
    withFooter({ subject: '', text: null, html }, { url, language: 'en', postalAddress: null }).html!
  const FOOTER =
    /<div lang="en"[^>]*><a href="https:\/\/mail\.example\.com\/unsubscribe\/abc"[^>]*>Unsubscribe<\/a><\/div>/

  for (const [what, html] of Object.entries({
    'at the end of the body': '<body><p>Hi</p>|</body></html>',
    'after letters that are longer in lower case': '<body>İİİİİ|</BODY ><!-- end -->',
    'not in a comment': '<body>Hi|</body><!-- </body> -->',
    'after a comment that ends where it begins': '<!--[if !mso]><!--><body><p>Hi</p>|</body><!-- by x',
    'not in a comment before': '<body><!-- </body> -->Hi',
    'after a comment that does not end': '<body>Hi|</body><!-- </body>',
    'after HTML without a body': '<p>Hi</p>|',
  })) {
    it(`inserts the footer ${what}`, () => {
      const [before, after] = html.includes('|') ? (html.split('|') as [string, string]) : [html, '']
      const whole = below(before + after)
      assert.equal(whole.replace(FOOTER, '|'), `${before}|${after}`)
    })
  }

  it('inserts the footer below a body with very many comments in linear time', () => {
    assert.match(below(`${'<!--</body>'.repeat(90_000)}`), FOOTER)
  })
  // In quadratic time, it would take a quarter of an hour.
  it('inserts the footer below very many bodies in linear time', () => {
    assert.match(below(`${'</body>'.repeat(400_000)}`), FOOTER)
  })
})
