import assert from 'node:assert/strict'
import { toObjects } from '../../src/platform/db/sql.ts'

describe('toObjects', () => {
  it('renames columns, keeps values, and converts the named timestamps to Dates', () => {
    const rows = [
      { list_id: 'a', added_at: '2026-11-27 03:00:00+00', left_at: null, metadata: { first_visit: '2026-11-27' } },
    ]
    assert.deepEqual(toObjects(rows, ...(['addedAt', 'leftAt'] as never[])), [
      { listId: 'a', addedAt: new Date('2026-11-27T03:00:00Z'), leftAt: null, metadata: { first_visit: '2026-11-27' } },
    ])
  })
})
