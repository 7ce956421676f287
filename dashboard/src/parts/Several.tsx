import { MultiSelect } from '@mantine/core'
import { useRef, useState } from 'react'

/** Some of those that there are, found by typing: what was typed and is none of them stays, and is said to be none. */
export function Several({
  label,
  data,
  value,
  onChange,
}: {
  label: string
  data: readonly { value: string; label: string }[]
  value: string[]
  onChange: (value: string[]) => void
}) {
  const [typed, setTyped] = useState('')
  const [isUnknown, setUnknown] = useState(false)
  // Whoever leaves the field keeps what is in it.
  const isLeaving = useRef(false)
  const named = (text: string, isWhole: boolean) =>
    data.filter(({ value: id, label: name }) => {
      if (value.includes(id)) return false
      return isWhole ? name.toLowerCase() === text : name.toLowerCase().includes(text)
    })
  /** @returns whether what is typed is one of them, which is chosen then */
  const take = (isWhole: boolean): boolean => {
    const text = typed.trim().toLowerCase()
    const same = named(text, true)
    const found = same.length > 0 || isWhole ? same : named(text, false)
    if (found.length !== 1) return false
    onChange([...value, found[0]!.value])
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
        // One that the arrows have come to is taken anyhow.
        const options = document.getElementById(event.currentTarget.getAttribute('aria-controls') ?? '')
        const isAtOne = options?.querySelector('[data-combobox-selected]') != null
        if (event.key !== 'Enter' || typed.trim() === '' || isAtOne) return
        event.preventDefault()
        if (!take(false)) setUnknown(true)
      }}
      error={isUnknown ? 'There is none of this name, or several: choose one, or take it out.' : undefined}
    />
  )
}
