import { TextInput, type TextInputProps } from '@mantine/core'
import { useRef, useState } from 'react'

interface WholeNumberProps extends Omit<TextInputProps, 'value' | 'onChange' | 'error'> {
  /** `null`: none, where there need not be one. */
  value: number | null
  min: number
  max?: number
  isOptional?: boolean
  /** Told of numbers that it can be. */
  onChange: (value: number | null) => void
}

/** A whole number: what is no such number stays as it was typed, and is said to be none. */
export function WholeNumber({ value, min, max, isOptional = false, onChange, ...props }: WholeNumberProps) {
  const [text, setText] = useState(value === null ? '' : String(value))
  // A part of what is no number is none that anybody meant.
  const before = useRef(value)
  const most = max ?? Number.MAX_SAFE_INTEGER
  /** @returns `undefined` where it is none that this can be */
  const read = (typed: string): number | null | undefined => {
    if (typed.trim() === '') return isOptional ? null : undefined
    const number = /^\s*\d+\s*$/.test(typed) ? Number(typed) : NaN
    return number >= min && number <= most ? number : undefined
  }
  // Where it is another one by something else than typing.
  const [known, setKnown] = useState(value)
  const [told, setTold] = useState(value)
  const tell = (said: number | null) => {
    setTold(said)
    onChange(said)
  }
  if (value !== known) {
    setKnown(value)
    if (value !== told) {
      setTold(value)
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
        const said = read(typed)
        if (said !== undefined) tell(said)
        else if (before.current !== value) tell(before.current)
      }}
    />
  )
}
