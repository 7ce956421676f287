import assert from 'node:assert/strict'

/** Checks each row of a table. @throws {AssertionError} which names the rows that deviate, with the reasons */
export async function checkRows<Row>(
  rows: Readonly<Record<string, Row>>,
  check: (row: Row, name: string) => void | Promise<void>,
): Promise<void> {
  const entries = Object.entries(rows)
  assert.ok(entries.length > 0, 'the table has no rows')
  const deviations: string[] = []
  for (const [name, row] of entries) {
    try {
      await check(row, name)
    } catch (error) {
      deviations.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (deviations.length > 0)
    assert.fail(`${deviations.length} of ${entries.length} rows deviate:\n${deviations.join('\n')}`)
}
