import assert from 'node:assert/strict'
import { aColumn } from '../../src/bin/commands/import.ts'

describe('the option --column', () => {
  const read = (value: string) => aColumn(value, [])[0]

  it('rejects consent without the values that mean yes, which would suppress every contact', () => {
    assert.throws(() => read('Newsletter=consent'), /Add the values that mean yes/)
  })

  it('reads the values of consent that mean yes, and an empty cell', () => {
    assert.deepEqual(read('Newsletter=consent:yes,ja'), { column: 'Newsletter', field: 'consent', yes: ['yes', 'ja'] })
    assert.deepEqual(read('Unsubscribed at=consent:'), { column: 'Unsubscribed at', field: 'consent', yes: [''] })
  })
})
