import assert from 'node:assert/strict'
import { normalForm } from '../../src/platform/normal-form.ts'

describe('normalForm', () => {
  it('returns the Unicode normal form in every language', () => {
    for (const text of [
      'Zoë',
      'Zoe\u0308',
      'สวัสดี',
      'ﬁ',
      '각',
      'a\u0316\u0300',
      'Ҿ'.repeat(10_000),
      'ö\u0323'.repeat(1_000),
    ])
      for (const form of ['NFC', 'NFKC', 'NFKD'] as const) assert.equal(normalForm(text, form), text.normalize(form))
  })

  // Without the limit on marks, this takes half a minute and exceeds Mocha's timeout.
  it('shortens a text of 200,000 combining marks', () => {
    const text = `a${'\u0300'.repeat(100_000)}${'\u0316'.repeat(100_000)}`
    assert.ok(normalForm(text).length <= 31)
    assert.ok(normalForm(`a${'\uff9e\u0300\u0316'.repeat(50_000)}`, 'NFKC').length <= 62)
  })
})
