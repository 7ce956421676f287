import { Select, type SelectProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { hasHighlightedOption, type Option, NO_SINGLE_MATCH, findOption } from '../lib/options.ts'

interface SearchableSelectProps extends Omit<
  SelectProps,
  'data' | 'value' | 'onChange' | 'searchable' | 'searchValue' | 'onSearchChange' | 'onBlur' | 'onKeyDown'
> {
  'data-rechecked'?: boolean | undefined
  data: readonly (string | Option)[]
  value: string | null
  /** `null` only if it is clearable. */
  onChange: (value: string | null) => void
}

const toOption = (one: string | Option): Option => (typeof one === 'string' ? { value: one, label: one } : one)

interface Input {
  /** `null` while the user does not type: the field shows the selected option. */
  typed: string | null
  /** Whether the text matches no option. */
  isUnknown: boolean
  /** The value as of the last rendering. */
  known: string | null
}

const untyped = (known: string | null): Input => ({ typed: null, isUnknown: false, known })

/** A select with search. Text that matches no option stays in the field and is marked as invalid. */
export function SearchableSelect({ data, value, onChange, clearable = false, ...props }: SearchableSelectProps) {
  const options = data.map(toOption)
  const [{ typed, isUnknown, known }, setInput] = useState(() => untyped(value))
  const [isOpen, { open, close }] = useDisclosure()
  const selectedLabel = options.find((one) => one.value === value)?.label ?? ''
  const reset = () => {
    close()
    setInput(untyped(value))
  }
  // Reset when the value changes from outside.
  if (value !== known) reset()
  const choose = (chosen: string | null) => {
    reset()
    if (chosen !== value && (chosen !== null || clearable)) onChange(chosen)
  }
  const commit = (isExact: boolean) => {
    if (typed === null) return
    if (typed.trim() === '') return choose(null)
    if (typed.trim() === selectedLabel) return reset()
    const match = findOption(options, typed, { isExact })
    if (match) choose(match.value)
    else setInput({ typed, isUnknown: true, known })
  }
  return (
    <Select
      {...props}
      searchable
      clearable={clearable}
      allowDeselect={false}
      data={options}
      value={value}
      onChange={choose}
      // Also when the selected option is picked again, which is not a change.
      onOptionSubmit={reset}
      dropdownOpened={isOpen}
      onDropdownOpen={open}
      onDropdownClose={close}
      searchValue={typed ?? selectedLabel}
      onInput={({ currentTarget }) => setInput({ typed: currentTarget.value, isUnknown: false, known })}
      // On blur, only a complete name counts. On Enter, a unique part is enough because the user sees the result.
      onBlur={() => commit(true)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed === null) return
        if (hasHighlightedOption(event.currentTarget)) return
        event.preventDefault()
        commit(false)
      }}
      error={isUnknown ? NO_SINGLE_MATCH : props.error}
      // Text that matches no option is never sent, so no request can check it.
      data-rechecked={isUnknown ? undefined : props['data-rechecked']}
    />
  )
}
