import { useRef, useState } from 'react'
import { IntegerInput } from '../../../components/IntegerInput.tsx'
import { hasInvalidField } from '../../../lib/has-invalid-field.ts'
import classes from '../Builder.module.css'
import { MAX_WAIT_DAYS } from '../problems.ts'

const UNITS = [
  ['Days', 1_440],
  ['Hours', 60],
  ['Minutes', 1],
] as const

const toUnits = (minutes: number): number[] => {
  let rest = minutes
  return UNITS.map(([, size]) => {
    const value = Math.floor(rest / size)
    rest -= value * size
    return value
  })
}
const toMinutes = (values: readonly number[]): number =>
  UNITS.reduce((sum, [, size], n) => sum + (values[n] ?? 0) * size, 0)

/** Edits a duration in days, hours and minutes. */
export function MinutesFields({
  minutes,
  onChange,
  autoFocus = false,
}: {
  minutes: number
  onChange: (minutes: number) => void
  autoFocus?: boolean
}) {
  // Kept as typed: 90 minutes do not become 1 hour 30 minutes while the user types.
  const [typed, setTyped] = useState(() => toUnits(minutes))
  const values = toMinutes(typed) === minutes ? typed : toUnits(minutes)
  const units = useRef<HTMLDivElement>(null)
  return (
    <div ref={units} className={classes.units}>
      {UNITS.map(([label, size], n) => (
        <IntegerInput
          key={label}
          label={label}
          autoFocus={autoFocus && n === 0}
          min={0}
          max={(MAX_WAIT_DAYS * 1_440) / size}
          value={values[n] ?? 0}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={(next) => {
            const now = values.with(n, next ?? 0)
            setTyped(now)
            onChange(toMinutes(now))
          }}
          onBlur={() => {
            // Invalid text stays as typed.
            if (!units.current || !hasInvalidField(units.current)) setTyped(toUnits(minutes))
          }}
        />
      ))}
    </div>
  )
}
