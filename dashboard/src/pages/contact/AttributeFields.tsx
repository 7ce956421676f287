import { ActionIcon, Button, Select, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { type AttributeRow, type AttributeType, jsonOf, parseAttributes, problemOf, rowsOf } from './attributes.ts'
import classes from './contact.module.css'

const TYPES: { value: AttributeType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'json', label: 'JSON' },
]

/**
 * Edits the attributes of a contact, by name or as JSON.
 *
 * @param value a JSON object, as text. Invalid text if a row is invalid
 * @param error of the server
 */
export function AttributeFields({
  value,
  error,
  onChange,
}: {
  value: string
  error?: string | undefined
  onChange: (json: string) => void
}) {
  /** The rows as typed. None while the attributes are edited as JSON. */
  const [rows, setRows] = useState<AttributeRow[] | undefined>(() => rowsOf(parseAttributes(value) ?? {}))
  const change = (next: AttributeRow[]) => {
    setRows(next)
    // Not saved until it is valid.
    onChange(jsonOf(next) ?? '')
  }
  if (!rows) {
    const isValid = parseAttributes(value) !== undefined
    return (
      <div>
        <Textarea
          label="Attributes (JSON)"
          autosize
          minRows={3}
          maxRows={14}
          classNames={{ input: 'mono' }}
          value={value}
          error={isValid ? error : 'Enter a valid JSON object.'}
          data-rechecked={isValid || undefined}
          onChange={({ currentTarget: { value: text } }) => onChange(text)}
        />
        <Button
          variant="subtle"
          color="gray"
          disabled={!isValid}
          onClick={() => setRows(rowsOf(parseAttributes(value) ?? {}))}
        >
          Edit by name
        </Button>
      </div>
    )
  }
  const set = (id: number, some: Partial<AttributeRow>) =>
    change(rows.map((row) => (row.id === id ? { ...row, ...some } : row)))
  const add = () => change([...rows, { id: Date.now(), name: '', type: 'text', text: '' }])
  return (
    <fieldset className="plainFields formFields">
      <legend className="small strong">Attributes</legend>
      {error !== undefined && (
        <p className="small" role="alert" style={{ color: 'var(--bad)' }}>
          {error}
        </p>
      )}
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          problem={problemOf(row, rows)}
          set={(some) => set(row.id, some)}
          onRemove={() => change(rows.filter(({ id }) => id !== row.id))}
        />
      ))}
      <div className="row">
        <Button variant="subtle" color="gray" leftSection={<IconPlus aria-hidden />} onClick={add}>
          Add attribute
        </Button>
        <Button variant="subtle" color="gray" disabled={jsonOf(rows) === undefined} onClick={() => setRows(undefined)}>
          Edit as JSON
        </Button>
      </div>
    </fieldset>
  )
}

function Row({
  row: { name, type, text },
  problem,
  set,
  onRemove,
}: {
  row: AttributeRow
  problem: string | undefined
  set: (some: Partial<AttributeRow>) => void
  onRemove: () => void
}) {
  const label = name === '' ? 'new attribute' : name
  return (
    <div className={classes.attribute}>
      <TextInput
        aria-label={`Name of ${label}`}
        placeholder="Name"
        value={name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
      />
      <Select
        aria-label={`Type of ${label}`}
        data={TYPES}
        value={type}
        allowDeselect={false}
        onChange={(value) =>
          value !== null &&
          set({ type: value, ...(value === 'boolean' && { text: /^(no|false|0)$/i.test(text) ? 'false' : 'true' }) })
        }
      />
      {type === 'boolean' ? (
        <Select
          aria-label={`Value of ${label}`}
          data={[
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
          value={text}
          allowDeselect={false}
          error={problem}
          onChange={(value) => value !== null && set({ text: value })}
        />
      ) : (
        <TextInput
          aria-label={`Value of ${label}`}
          placeholder="Value"
          value={text}
          error={problem}
          onChange={({ currentTarget: { value } }) => set({ text: value })}
        />
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${label}`} title="Remove" onClick={onRemove}>
        <IconX aria-hidden />
      </ActionIcon>
    </div>
  )
}
