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

/** A select with search. Text that matches no option stays in the field and is marked as invalid. */
export function SearchableSelect({ data, value, onChange, clearable = false, ...props }: SearchableSelectProps) {
  const options = data.map(toOption)
  // `null` while the user does not type: the field shows the selected option.
  const [typed, setTyped] = useState<string | null>(null)
  const [isUnknown, setUnknown] = useState(false)
  const [isOpen, { open, close }] = useDisclosure()
  const selectedLabel = options.find((one) => one.value === value)?.label ?? ''
  const reset = () => {
    close()
    setTyped(null)
    setUnknown(false)
  }
  // Reset when the value changes from outside.
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    reset()
  }
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
    else setUnknown(true)
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
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value)
        setUnknown(false)
      }}
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
