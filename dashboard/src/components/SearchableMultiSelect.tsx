import { MultiSelect } from '@mantine/core'
import { useRef, useState } from 'react'
import { hasHighlightedOption, type Option, NO_SINGLE_MATCH, findOption } from '../lib/options.ts'

/** The text, and whether it matches no option. */
const EMPTY = { typed: '', isUnknown: false }

/** A multi-select with search. Text that matches no option stays in the field and is marked as invalid. */
export function SearchableMultiSelect({
  label,
  data,
  value,
  onChange,
}: {
  label: string
  data: readonly Option[]
  value: string[]
  onChange: (value: string[]) => void
}) {
  const [{ typed, isUnknown }, setInput] = useState(EMPTY)
  // Mantine clears the search on blur; this keeps the text.
  const isLeaving = useRef(false)
  /** Selects the option that matches the text. @returns whether there is one */
  const commit = (isExact: boolean): boolean => {
    const unselected = data.filter(({ value: id }) => !value.includes(id))
    const match = findOption(unselected, typed, { isExact })
    if (!match) {
      // Already selected.
      if (!findOption(data, typed, { isExact: true })) return false
      setInput(EMPTY)
      return true
    }
    onChange([...value, match.value])
    setInput(EMPTY)
    return true
  }
  const leave = () => {
    if (typed.trim() === '') return
    isLeaving.current = true
    // On blur, only a complete name counts.
    if (!commit(true)) setInput({ typed, isUnknown: true })
  }
  return (
    <MultiSelect
      label={label}
      searchable
      data={data}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={(text) => {
        if (isLeaving.current) {
          isLeaving.current = false
          return
        }
        setInput({ typed: text, isUnknown: false })
      }}
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return
        if (hasHighlightedOption(event.currentTarget)) return
        event.preventDefault()
        if (!commit(false)) setInput({ typed, isUnknown: true })
      }}
      error={isUnknown ? NO_SINGLE_MATCH : undefined}
    />
  )
}
