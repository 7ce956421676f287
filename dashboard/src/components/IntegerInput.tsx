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

/** The text of a value that the user has not typed, the value as of the last rendering, and the value reported last. */
const untyped = (value: number | null) => ({ text: value === null ? '' : String(value), value, reported: value })

/** An input for integers. Invalid text stays in the field and is marked as invalid. */
export function IntegerInput({ value, min, max, isOptional = false, onChange, ...props }: IntegerInputProps) {
  const [typed, setTyped] = useState(() => untyped(value))
  const { text } = typed
  // Restored when the text becomes invalid: a part of it is not what the user meant.
  const before = useRef(value)
  const limit = max ?? Number.MAX_SAFE_INTEGER
  /** Parses the text. @returns `undefined` if it is invalid */
  const read = (entry: string): number | null | undefined => {
    if (entry.trim() === '') return isOptional ? null : undefined
    const number = /^\s*\d+\s*$/.test(entry) ? Number(entry) : NaN
    return number >= min && number <= limit ? number : undefined
  }
  // Reset when the value changes from outside.
  if (value !== typed.value) setTyped(value === typed.reported ? { ...typed, value } : untyped(value))
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
      // The text is not a number: sending the form cannot check it.
      data-rechecked={read(text) === undefined ? undefined : props['data-rechecked']}
      onChange={({ currentTarget }) => {
        const parsed = read(currentTarget.value)
        const reported = parsed === undefined ? before.current : parsed
        const isReported = parsed !== undefined || reported !== value
        setTyped({ ...typed, text: currentTarget.value, ...(isReported && { reported }) })
        if (isReported) onChange(reported)
      }}
    />
  )
}
