/** Returns each step of time from `start` on, in milliseconds, with its row if there is one. */
export function fillGaps<Row extends { at: string }>(
  rows: readonly Row[],
  start: number,
  stepMs: number,
  many: number,
): { at: number; row: Row | undefined }[] {
  const byTime = new Map(rows.map((row) => [Date.parse(row.at), row]))
  return Array.from({ length: many }, (_, n) => {
    const at = start + n * stepMs
    return { at, row: byTime.get(at) }
  })
}
