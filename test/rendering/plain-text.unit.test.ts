import assert from 'node:assert/strict'
import { plainTextOf } from '../../src/rendering/plain-text.ts'

describe('plainTextOf', () => {
  const CASES = [
    [
      'keeps the cells of a table apart, one row a line',
      '<table><tr><th>Item</th><th>Number</th><th>Price</th></tr><tr><td>Tea</td><td>2</td><td>300 €</td></tr></table>',
      'Item | Number | Price\nTea | 2 | 300 €',
    ],
    [
      'keeps Liquid between rows and cells',
      '<table>{% for item in items %}<tr><td>{{ item.name }}</td>{% if item.price %}<td>{{ item.price }}</td>{% endif %}</tr>{% endfor %}</table>',
      '{% for item in items %}\n{{ item.name }}{% if item.price %} | {{ item.price }}{% endif %}\n{% endfor %}',
    ],
    [
      'adds nothing to a table that lays out the email',
      '<table role="presentation"><tr><td><div>One</div></td><td width="20">&nbsp;</td><td><p>Two</p></td></tr>' +
        '<tr><td>&nbsp;</td></tr><tr><td></td><td><table><tr><td>Three</td></tr></table></td></tr></table>',
      'One\n\nTwo\n\nThree',
    ],
    [
      'separates links in one row',
      '<table><tr><td><a href="https://a.example">A</a></td><td><img src="x"></td><td><a href="https://b.example">B</a></td></tr></table>',
      'A [https://a.example] B [https://b.example]',
    ],
    [
      'shows the alternative texts of images',
      '<p><img src="a.png" alt="A box"><img src="b.png" alt="of tea"> <img src="c.png" alt=""><img src="d.png"></p>',
      'A box of tea',
    ],
    [
      'shows the alternative text of an image in a link',
      '<a href="https://example.com/"><img src="a.png" alt="Shop"></a>',
      'Shop [https://example.com/]',
    ],
    [
      'omits what is hidden from readers',
      '<p>Tea<span aria-hidden="true">&zwnj;&#847;</span></p><style>p{}</style>',
      'Tea',
    ],
  ] as const

  it('keeps tables, Liquid, links and images readable, without what is hidden', () => {
    for (const [what, html, text] of CASES) assert.equal(plainTextOf(html), text, what)
  })
})
