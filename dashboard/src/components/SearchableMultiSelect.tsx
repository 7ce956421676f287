import { MultiSelect } from '@mantine/core'
import { useRef, useState } from 'react'
import { hasHighlightedOption, type Option, NO_SINGLE_MATCH, findOption } from '../lib/options.ts'

/** Some of those that there are, found by typing: what was typed and is none of them stays, and is said to be none. */
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
  const [typed, setTyped] = useState('')
  const [isUnknown, setUnknown] = useState(false)
  // Whoever leaves the field keeps what is in it.
  const isLeaving = useRef(false)
  /** @returns whether what is typed is one of them, which is chosen then */
  const take = (isWhole: boolean): boolean => {
    const others = data.filter(({ value: id }) => !value.includes(id))
    const named = findOption(others, typed, { isWhole })
    if (!named) {
      // It is among those already.
      if (!findOption(data, typed, { isWhole: true })) return false
      setTyped('')
      return true
    }
    onChange([...value, named.value])
    setTyped('')
    return true
  }
  const leave = () => {
    if (typed.trim() === '') return
    isLeaving.current = true
    // A part of a name is enough for whoever asks for it by Enter, and sees what is taken.
    if (!take(true)) setUnknown(true)
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
        setTyped(text)
        setUnknown(false)
      }}
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return
        if (hasHighlightedOption(event.currentTarget)) return
        event.preventDefault()
        if (!take(false)) setUnknown(true)
      }}
      error={isUnknown ? NO_SINGLE_MATCH : undefined}
    />
  )
}
