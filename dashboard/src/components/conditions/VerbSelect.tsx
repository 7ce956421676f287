import { Select } from '@mantine/core'

export interface Verb {
  value: string
  /** The label, and that of its negation. `undefined` if another value says the same. */
  labels: readonly [string, string | undefined]
}

/** Selects a comparison or its negation. */
export function VerbSelect({
  label,
  className,
  verbs,
  value,
  isNegated,
  onChange,
}: {
  label: string
  className: string | undefined
  verbs: readonly Verb[]
  value: string
  isNegated: boolean
  onChange: (value: string, isNegated: boolean) => void
}) {
  const options = verbs.flatMap(({ value: is, labels: [does, doesNot] }) => [
    { value: is, label: does },
    // A negation without a label of its own stays as it is.
    ...(doesNot === undefined && !(isNegated && is === value)
      ? []
      : [{ value: `not ${is}`, label: doesNot ?? `not: ${does}` }]),
  ])
  return (
    <Select
      className={className}
      aria-label={label}
      allowDeselect={false}
      data={options}
      value={isNegated ? `not ${value}` : value}
      onChange={(chosen) => chosen && onChange(chosen.replace(/^not /, ''), chosen.startsWith('not '))}
    />
  )
}
