import { TextInput, type TextInputProps } from '@mantine/core'
import { useRef, useState } from 'react'

interface IntegerInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  'data-rechecked'?: boolean | undefined
  /** `null` if it is optional and empty. */
  value: number | null
  min: number
  max?: number
  isOptional?: boolean
  /** Called with valid values only. */
  onChange: (value: number | null) => void
}

/** An input for integers. Invalid text stays in the field and is marked as invalid. */
export function IntegerInput({ value, min, max, isOptional = false, onChange, ...props }: IntegerInputProps) {
  const [text, setText] = useState(value === null ? '' : String(value))
  // Restored when the text becomes invalid: a part of it is not what the user meant.
  const before = useRef(value)
  const limit = max ?? Number.MAX_SAFE_INTEGER
  /** Parses the text. @returns `undefined` if it is invalid */
  const read = (typed: string): number | null | undefined => {
    if (typed.trim() === '') return isOptional ? null : undefined
    const number = /^\s*\d+\s*$/.test(typed) ? Number(typed) : NaN
    return number >= min && number <= limit ? number : undefined
  }
  // Reset when the value changes from outside.
  const [known, setKnown] = useState(value)
  const [reported, setReported] = useState(value)
  const report = (parsed: number | null) => {
    setReported(parsed)
    onChange(parsed)
  }
  if (value !== known) {
    setKnown(value)
    if (value !== reported) {
      setReported(value)
      setText(value === null ? '' : String(value))
    }
  }
  const wanted =
    max === undefined
      ? `Enter a whole number of ${min} or more.`
      : `Enter a whole number from ${min} to ${max.toLocaleString('en')}.`
  return (
    <TextInput
      {...props}
      onFocus={(event) => {
        before.current = value
        props.onFocus?.(event)
      }}
      inputMode="numeric"
      value={text}
      error={read(text) === undefined ? wanted : props.error}
      // What was typed is no number: no request can check it.
      data-rechecked={read(text) === undefined ? undefined : props['data-rechecked']}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed)
        const parsed = read(typed)
        if (parsed !== undefined) report(parsed)
        else if (before.current !== value) report(before.current)
      }}
    />
  )
}
