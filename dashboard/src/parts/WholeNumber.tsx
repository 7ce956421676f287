import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'

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
  const isNone = text.trim() === ''
  const number = Number(text)
  const isOne = /^\s*\d+\s*$/.test(text) && number >= min && number <= (max ?? Number.MAX_SAFE_INTEGER)
  const isFine = isNone ? isOptional : isOne
  const wanted = max === undefined ? `A whole number, ${min} or more.` : `A whole number from ${min} to ${max}.`
  return (
    <TextInput
      {...props}
      inputMode="numeric"
      value={text}
      error={isFine ? undefined : wanted}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed)
        if (typed.trim() === '') {
          if (isOptional) onChange(null)
          return
        }
        const said = Number(typed)
        if (/^\s*\d+\s*$/.test(typed) && said >= min && said <= (max ?? Number.MAX_SAFE_INTEGER)) onChange(said)
      }}
    />
  )
}
