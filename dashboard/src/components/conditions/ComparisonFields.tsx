import { Select, TextInput } from '@mantine/core'
import { IntegerInput } from '../IntegerInput.tsx'
import type { PartProps } from './ConditionRow.tsx'
import {
  asTyped,
  COMPARISONS,
  comparisonsOf,
  durationOf,
  typed,
  valueInputOf,
  withComparison,
  NEGATED_COMPARISONS,
} from './condition.ts'
import { VerbSelect } from './VerbSelect.tsx'
import classes from './conditions.module.css'

const MAX_COUNT = { h: 878_400, d: 36_600 } as const

type ValueProps = Omit<PartProps, 'isNegated'>

/** Edits the comparison and the value of a condition. */
export function ComparisonFields({ name, part, isNegated, set }: PartProps) {
  return (
    <>
      <VerbSelect
        className={classes.comparison}
        label={`${name}: comparison`}
        verbs={comparisonsOf(part).map((value) => ({
          value,
          labels: [
            COMPARISONS[value],
            value === 'present' || value === 'missing' ? undefined : NEGATED_COMPARISONS[value],
          ],
        }))}
        value={String(part['is'])}
        isNegated={isNegated}
        onChange={(is, isNot) => set(withComparison(part, is), isNot)}
      />
      <ValueField name={name} part={part} set={set} />
    </>
  )
}

function ValueField({ name, part, set }: ValueProps) {
  const { value = '' } = part
  const input = valueInputOf(part)
  if (input === 'none') return null
  if (input === 'duration') return <DurationFields name={name} part={part} set={set} />
  if (input === 'time')
    return (
      <TextInput
        className={classes.value}
        type="datetime-local"
        aria-label={`${name}: value`}
        title="In your time zone"
        value={localTime(String(value))}
        onChange={({ currentTarget }) => set({ ...part, value: isoTime(currentTarget.value) })}
      />
    )
  const isText = input === 'text'
  return (
    <TextInput
      className={classes.value}
      aria-label={`${name}: value`}
      placeholder="Value"
      title={isText ? undefined : 'Numbers are compared as numbers. Use quotes to compare as text: "12".'}
      value={isText ? String(value) : asTyped(value)}
      onChange={({ currentTarget }) =>
        set({ ...part, value: isText ? currentTarget.value : typed(currentTarget.value) })
      }
    />
  )
}

function DurationFields({ name, part, set }: ValueProps) {
  const { count, unit } = durationOf(part['value'])
  return (
    <>
      <IntegerInput
        className={classes.number}
        aria-label={`${name}: value`}
        min={1}
        max={MAX_COUNT[unit]}
        value={count}
        onChange={(next) => set({ ...part, value: `${next ?? 1}${unit}` })}
      />
      <Select
        className={classes.unit}
        aria-label={`${name}: unit`}
        allowDeselect={false}
        data={[
          { value: 'd', label: 'days' },
          { value: 'h', label: 'hours' },
        ]}
        value={unit}
        onChange={(next) => set({ ...part, value: `${count ?? 1}${next ?? 'd'}` })}
      />
    </>
  )
}

const isoTime = (local: string): string => (local === '' ? '' : new Date(local).toISOString())

/** Formats a timestamp for a time input, in the user's time zone. */
function localTime(value: string): string {
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
