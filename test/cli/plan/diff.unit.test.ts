import assert from 'node:assert/strict'
import { formatDifference } from '../../../packages/cli/src/plan/diff.ts'

describe('the differences of a plan', () => {
  it('show the lines that differ, or that only the final line break does', () => {
    const before = 'Hello\nAda\n'
    assert.deepEqual(formatDifference({ field: 'html', before, after: 'Hello\nBob\n' }, false), [
      ...['html:', '  - Ada', '  + Bob'],
    ])
    assert.deepEqual(formatDifference({ field: 'html', before, after: 'Hello\nAda' }, false), [
      'html: differs only in the final line break',
    ])
  })
})
