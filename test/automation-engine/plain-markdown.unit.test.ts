import assert from 'node:assert/strict'
import { plainMarkdown } from '../../src/automation-engine/plain-markdown.ts'

describe('a name in Markdown', () => {
  it('is shown as plain text in one line: without headings, rows, links, images or markup', () => {
    assert.equal(plainMarkdown('Onboarding, day 2 (new)'), 'Onboarding, day 2 (new)')
    assert.deepEqual(['- x', '1. x', '---', ' =', '$x$', 'Day 1. Go'].map(plainMarkdown), [
      '\\- x',
      '1\\. x',
      '\\---',
      '\\=',
      '\\$x\\$',
      'Day 1. Go',
    ])
    assert.equal(
      plainMarkdown('**Hi** ![p](http://x/p.png) <img src=x>\n\n# Forged\r| 1 | `done` |\u2028x'),
      '\\*\\*Hi\\*\\* \\!\\[p\\](http:\u200b//x/p.png) \\<img src=x\\> \\# Forged \\| 1 \\| \\`done\\` \\| x',
    )
  })
})
