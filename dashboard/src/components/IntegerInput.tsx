import { TextInput, type TextInputProps } from '@mantine/core'
import { useRef, useState } from 'react'

interface IntegerInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'error'> {
  /** `null`: none, where there need not be one. */
  value: number | null
  min: number
  max?: number
  isOptional?: boolean
  /** Told of numbers that it can be. */
  onChange: (value: number | null) => void
}

/** A whole number: what is no such number stays as it was typed, and is parsed to be none. */
export function IntegerInput({ value, min, max, isOptional = false, onChange, ...props }: IntegerInputProps) {
  const [text, setText] = useState(value === null ? '' : String(value))
  // A part of what is no number is none that anybody meant.
  const before = useRef(value)
  const limit = max ?? Number.MAX_SAFE_INTEGER
  /** @returns `undefined` where it is none that this can be */
  const read = (typed: string): number | null | undefined => {
    if (typed.trim() === '') return isOptional ? null : undefined
    const number = /^\s*\d+\s*$/.test(typed) ? Number(typed) : NaN
    return number >= min && number <= limit ? number : undefined
  }
  // Where it is another one by something else than typing.
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
    max === undefined ? `A whole number, ${min} or more.` : `A whole number from ${min} to ${max.toLocaleString('en')}.`
  return (
    <TextInput
      {...props}
      onFocus={(event) => {
        before.current = value
        props.onFocus?.(event)
      }}
      inputMode="numeric"
      value={text}
      error={read(text) === undefined ? wanted : undefined}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed)
        const parsed = read(typed)
        if (parsed !== undefined) report(parsed)
        else if (before.current !== value) report(before.current)
      }}
    />
  )
}
