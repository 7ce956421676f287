import { Select, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import { hasHighlightedOption, type Option, NO_SINGLE_MATCH, findOption } from '../lib/options.ts'

interface SearchableSelectProps extends Omit<
  SelectProps,
  'data' | 'value' | 'onChange' | 'searchable' | 'searchValue' | 'onSearchChange' | 'onBlur' | 'onKeyDown' | 'error'
> {
  data: readonly (string | Option)[]
  value: string | null
  /** `null` only where it is clearable. */
  onChange: (value: string | null) => void
  /** Whether one is wanted, and none is chosen. */
  isMissing?: boolean
}

const toNamed = (one: string | Option): Option => (typeof one === 'string' ? { value: one, label: one } : one)

/** One of those that there are, found by typing: what was typed and is none of them stays, and is said to be none. */
export function SearchableSelect({
  data,
  value,
  onChange,
  clearable = false,
  isMissing = false,
  ...props
}: SearchableSelectProps) {
  const those = data.map(toNamed)
  // Nothing is being typed: the field has the name of what is chosen.
  const [typed, setTyped] = useState<string | null>(null)
  const [isUnknown, setUnknown] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const own = those.find((one) => one.value === value)?.label ?? ''
  const settle = () => {
    setOpen(false)
    setTyped(null)
    setUnknown(false)
  }
  // Where it is another one by something else than typing.
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    settle()
  }
  const choose = (chosen: string | null) => {
    settle()
    if (chosen !== value && (chosen !== null || clearable)) onChange(chosen)
  }
  const take = (isWhole: boolean) => {
    if (typed === null) return
    if (typed.trim() === '') return choose(null)
    if (typed.trim() === own) return settle()
    const named = findOption(those, typed, { isWhole })
    if (named) choose(named.value)
    else setUnknown(true)
  }
  return (
    <Select
      {...props}
      searchable
      clearable={clearable}
      allowDeselect={false}
      data={those}
      value={value}
      onChange={choose}
      // Also of the one that is chosen already, which is no change.
      onOptionSubmit={settle}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      searchValue={typed ?? own}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value)
        setUnknown(false)
      }}
      // A part of a name is enough for whoever asks for it by Enter, and sees what is taken.
      onBlur={() => take(true)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed === null) return
        if (hasHighlightedOption(event.currentTarget)) return
        event.preventDefault()
        take(false)
      }}
      error={isUnknown ? NO_SINGLE_MATCH : isMissing ? 'Choose one' : undefined}
    />
  )
}
