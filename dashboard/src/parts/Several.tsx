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
  const leave = () => {
    const text = typed.trim().toLowerCase()
    if (text === '') return
    const free = data.filter((each) => !value.includes(each.value))
    const same = free.filter((each) => each.label.toLowerCase() === text)
    const found = same.length > 0 ? same : free.filter((each) => each.label.toLowerCase().includes(text))
    isLeaving.current = true
    if (found.length === 1) {
      onChange([...value, found[0]!.value])
      setTyped('')
    } else setUnknown(true)
  }
  return (
    <MultiSelect
      label={label}
      searchable
      selectFirstOptionOnChange
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
      error={isUnknown ? 'There is none of this name, or several: choose one, or take it out.' : undefined}
    />
  )
}
