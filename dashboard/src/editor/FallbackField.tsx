import { TextInput } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'

interface FallbackFieldProps {
  value: string
  onChange: (value: string) => void
  onEnter: () => void
}

/** The fallback of a variable, which has the focus when its popover opens. */
export function FallbackField({ value, onChange, onEnter }: FallbackFieldProps) {
  return (
    <TextInput
      label="Fallback"
      description="For contacts without a value."
      placeholder="None"
      value={value}
      data-autofocus
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={getHotkeyHandler([['Enter', onEnter]])}
    />
  )
}
