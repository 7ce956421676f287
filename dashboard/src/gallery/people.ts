/** A row of the tables. */
export interface Person {
  id: string
  name: string
  email: string
  opened: number
  createdAt: string
}

const NAMES = ['Ada', 'Grace', 'Edward', 'Barbara', 'Donald', 'Frances']

/** Returns the same people each time. Their order by name differs from that by emails opened. */
export const peopleOf = (many: number): readonly Person[] =>
  Array.from({ length: many }, (_, n) => ({
    id: `person-${n + 1}`,
    name: `${NAMES[n % NAMES.length]} ${n + 1}`,
    email: `person-${n + 1}@example.com`,
    opened: (n * 7) % 12,
    createdAt: new Date(Date.UTC(2026, 10, 1 + (n % 28), 9, n)).toISOString(),
  }))

export const ARABIC = 'مرحبا بكم في النشرة الإخبارية الشهرية'

/** Texts that are as long as the API allows, without a space, and from right to left. */
export const EXTREMES: readonly Person[] = [
  {
    id: 'long',
    name: 'A name with many words that fills several lines, because a contact may have been imported with a whole sentence',
    email: `${'without-a-space'.repeat(6)}@${'example'.repeat(6)}.example.com`,
    opened: 12_345_678,
    createdAt: '2026-01-01T00:00:00.000Z',
  },
  { id: 'arabic', name: ARABIC, email: 'arabic@example.com', opened: 0, createdAt: '2026-11-29T00:00:00.000Z' },
]
