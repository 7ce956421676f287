import assert from 'node:assert/strict'
import { withFooter } from '../../src/messages/footer.ts'

describe('the line below an email', () => {
  const url = 'https://mail.example.com/unsubscribe/abc'
  const below = (html: string) =>
    withFooter({ subject: '', text: null, html }, { url, language: 'en', postalAddress: null }).html!
  const FOOTER =
    /<div lang="en"[^>]*><a href="https:\/\/mail\.example\.com\/unsubscribe\/abc"[^>]*>Unsubscribe<\/a><\/div>/

  for (const [what, html] of Object.entries({
    'at the end of the body': '<body><p>Hi</p>|</body></html>',
    'there also behind letters that are longer in lower case': '<body>İİİİİ|</BODY ><!-- end -->',
    'in no comment': '<body>Hi|</body><!-- </body> -->',
    'behind a comment that ends where it begins': '<!--[if !mso]><!--><body><p>Hi</p>|</body><!-- by x',
    'in no comment before': '<body><!-- </body> -->Hi',
    'behind a comment that does not end': '<body>Hi|</body><!-- </body>',
    'behind what has no body': '<p>Hi</p>|',
  })) {
    it(`is put ${what}`, () => {
      const [before, after] = html.includes('|') ? (html.split('|') as [string, string]) : [html, '']
      const whole = below(before + after)
      assert.equal(whole.replace(FOOTER, '|'), `${before}|${after}`)
    })
  }

  it('is put below a body with very many comments, each looked at once', () => {
    assert.match(below(`${'<!--</body>'.repeat(90_000)}`), FOOTER)
  })
  // A quarter of an hour, if all of it was looked through for each.
  it('is put below very many bodies, each looked at once', () => {
    assert.match(below(`${'</body>'.repeat(400_000)}`), FOOTER)
  })
})
