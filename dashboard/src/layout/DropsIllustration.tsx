import { useMemo } from 'react'

const ROWS = 20
const ROW = 46
const NOW = 460
const DROP = 'M0-7c3 3.4 5.200 6 5.200 8.600a5.200 5.200 0 0 1-10.400 0C-5.200-1-3-3.600 0-7z'

/** Returns the same numbers each time, so that the illustration does not change. */
function pseudoRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Draws enrollments as lines and messages as drops: the past is filled, the future hollow. */
export function DropsIllustration() {
  const rows = useMemo(() => {
    const random = pseudoRandom(20)
    return Array.from({ length: ROWS }, (_, n) => {
      const begin = 40 + random() * 400
      const end = random() < 0.5 ? undefined : NOW + 120 + random() * 180
      const drops: number[] = []
      for (let x = begin + 30 + random() * 60; x < (end ?? 820) - 10; x += 40 + random() * 80) drops.push(x)
      return { y: 26 + n * ROW, begin, end, drops }
    })
  }, [])
  return (
    <svg width="100%" height="100%" viewBox="0 0 800 940" preserveAspectRatio="xMinYMin slice">
      {rows.map(({ y, begin, end, drops }) => (
        <g key={y}>
          <path d={`M${begin} ${y}H${NOW}`} stroke="var(--accent-solid)" strokeWidth="2" opacity=".55" />
          <path d={`M${NOW} ${y}H${end ?? 800}`} stroke="var(--line-2)" strokeWidth="2" />
          {end !== undefined && <path d={`M${end} ${y - 6}v12`} stroke="var(--line-2)" strokeWidth="2" />}
          <circle cx={begin} cy={y} r="3.5" fill="var(--bg)" stroke="var(--accent-solid)" strokeWidth="1.75" />
          {drops.map((x) => (
            <path
              key={x}
              d={DROP}
              transform={`translate(${x} ${y + 13})`}
              fill={x < NOW ? 'var(--accent-solid)' : 'var(--surface)'}
              stroke={x < NOW ? 'none' : 'var(--field)'}
              strokeWidth="1.5"
            />
          ))}
        </g>
      ))}
      <path d={`M${NOW} 0V940`} stroke="var(--text)" strokeWidth="1.5" />
    </svg>
  )
}
