import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { stableJson } from '../../../lib/stable-json.ts'
import classes from '../Builder.module.css'

type Row = readonly [key: string, value: string]

const toObject = (rows: readonly Row[]): Record<string, string> =>
  Object.fromEntries(rows.filter(([key]) => key.trim() !== ''))

/** Edits keys and their values. Rows without a key are dropped. */
export function KeyValueFields({
  label,
  description,
  noun,
  value,
  onChange,
}: {
  label: string
  description?: string
  /** Such as "header". */
  noun: string
  value: Readonly<Record<string, string>>
  onChange: (value: Record<string, string>) => void
}) {
  /** The row that was added last, which gets the focus. */
  const [added, setAdded] = useState<number>()
  const [typed, setRows] = useState<readonly Row[]>(() => Object.entries(value))
  // Reset when the value changes from outside, as by an undo.
  const rows = stableJson(toObject(typed)) === stableJson(value) ? typed : Object.entries(value)
  const set = (next: readonly Row[]) => {
    setRows(next)
    if (stableJson(toObject(next)) !== stableJson(value)) onChange(toObject(next))
  }
  return (
    <fieldset className={`plainFields ${classes.rows}`}>
      <legend className={classes.legend}>{label}</legend>
      {description !== undefined && <p className="small t3">{description}</p>}
      {rows.map(([key, text], n) => (
        <div key={n} className={classes.keyValue}>
          <TextInput
            aria-label={`${label}: name ${n + 1}`}
            placeholder="Name"
            autoFocus={n === added}
            value={key}
            onChange={({ currentTarget }) => set(rows.with(n, [currentTarget.value, text]))}
          />
          <TextInput
            aria-label={`${label}: value ${n + 1}`}
            placeholder="Value"
            value={text}
            onChange={({ currentTarget }) => set(rows.with(n, [key, currentTarget.value]))}
          />
          <ActionIcon aria-label={`Delete ${noun} ${n + 1}`} onClick={() => set(rows.toSpliced(n, 1))}>
            <IconTrash aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="subtle"
        color="gray"
        leftSection={<IconPlus aria-hidden />}
        onClick={() => {
          setAdded(rows.length)
          set([...rows, ['', '']])
        }}
      >
        Add {noun}
      </Button>
    </fieldset>
  )
}
