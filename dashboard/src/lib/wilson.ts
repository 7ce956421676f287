/** The standard normal quantile of 95 %, for both sides. */
const Z = 1.959964

/**
 * Returns the 95 % confidence interval of a share: the Wilson score interval (Wilson, 1927), which also holds for few contacts and
 * for shares near 0.
 */
export function wilson(value: number, total: number): { low: number; high: number } {
  if (total <= 0) return { low: 0, high: 1 }
  const p = value / total
  const middle = p + (Z * Z) / (2 * total)
  const half = Z * Math.sqrt((p * (1 - p)) / total + (Z * Z) / (4 * total * total))
  const scale = 1 + (Z * Z) / total
  return { low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) }
}

/**
 * Returns the 95 % confidence interval of the difference of two independent shares, b − a (Newcombe, 1998, method 10). There is a
 * winner if it does not contain 0.
 */
export function differenceOf(
  a: { value: number; total: number },
  b: { value: number; total: number },
): { difference: number; low: number; high: number } {
  const [pa, pb] = [a, b].map(({ value, total }) => (total > 0 ? value / total : 0)) as [number, number]
  const [wa, wb] = [wilson(a.value, a.total), wilson(b.value, b.total)]
  const difference = pb - pa
  return {
    difference,
    low: difference - Math.hypot(pb - wb.low, wa.high - pa),
    high: difference + Math.hypot(wb.high - pb, pa - wa.low),
  }
}
