import { ActionIcon, Button, Select, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useLists } from '../../api/queries.ts'
import {
  ACTIVITY_LABELS,
  COMPARISONS,
  FIELD_LABELS,
  type Kind,
  type Line,
  type Lines,
  needsValue,
  NEW_LINE,
} from './condition.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import classes from './segments.module.css'

const KINDS: { value: Kind; label: string }[] = [
  { value: 'field', label: 'Profile' },
  { value: 'metadata', label: 'Metadata' },
  { value: 'tag', label: 'Tag' },
  { value: 'list', label: 'List' },
  { value: 'event', label: 'Event' },
  { value: 'activity', label: 'Email activity' },
]
const DEFAULTS_OF_KIND: Record<Kind, Pick<Line, 'name' | 'is'>> = {
  field: { name: 'email', is: 'endsWith' },
  metadata: { name: '', is: 'equal' },
  tag: { name: '', is: 'equal' },
  list: { name: '', is: 'equal' },
  event: { name: '', is: 'equal' },
  activity: { name: 'SENT', is: 'equal' },
}
const FIELDS = Object.entries(FIELD_LABELS).map(([value, label]) => ({ value, label }))
const STATUSES = Object.entries(ACTIVITY_LABELS).map(([value, label]) => ({ value, label }))
const COMPARISON_OPTIONS = Object.entries(COMPARISONS).map(([value, label]) => ({ value, label }))

/** Edits a condition line by line. */
export function ConditionEditor({ lines, set }: { lines: Lines; set: (lines: Lines) => void }) {
  const lists = useLists()
  const change = (at: number, fields: Partial<Line>) =>
    set({ ...lines, lines: lines.lines.map((line, n) => (n === at ? { ...line, ...fields } : line)) })
  return (
    <fieldset className="plainFields">
      <legend className={classes.legend}>Contacts who match</legend>
      <SegmentedControl
        aria-label="Match"
        value={lines.join}
        onChange={(join) => set({ ...lines, join: join })}
        data={[
          { value: 'all', label: 'All conditions' },
          { value: 'any', label: 'Any condition' },
        ]}
        mb={12}
      />
      {lines.lines.map((line, at) => (
        <div key={at} className={classes.line}>
          <Select
            aria-label={`Condition ${at + 1}: include or exclude`}
            allowDeselect={false}
            data={[
              { value: 'so', label: 'Include' },
              { value: 'not', label: 'Exclude' },
            ]}
            value={line.not ? 'not' : 'so'}
            onChange={(value) => change(at, { not: value === 'not' })}
          />
          <Select
            aria-label={`Condition ${at + 1}: type`}
            allowDeselect={false}
            data={KINDS}
            value={line.kind}
            onChange={(kind) => change(at, { kind: kind as Kind, value: '', ...DEFAULTS_OF_KIND[kind as Kind] })}
          />
          <Name line={line} at={at} lists={lists ?? []} set={(name) => change(at, { name })} />
          {(line.kind === 'field' || line.kind === 'metadata') && (
            <Select
              aria-label={`Condition ${at + 1}: comparison`}
              allowDeselect={false}
              data={COMPARISON_OPTIONS}
              value={line.is}
              onChange={(is) => change(at, { is: is ?? 'equal' })}
            />
          )}
          {needsValue(line) && (
            <TextInput
              aria-label={`Condition ${at + 1}: value`}
              placeholder={line.name.endsWith('At') ? '2026-01-31T12:00:00Z' : 'Value'}
              title={
                line.kind === 'metadata'
                  ? 'Numbers are compared as numbers. Use quotes to compare as text: "12".'
                  : undefined
              }
              value={line.value}
              onChange={({ currentTarget: { value } }) => change(at, { value })}
            />
          )}
          <ActionIcon
            aria-label={`Remove condition ${at + 1}`}
            onClick={() => set({ ...lines, lines: lines.lines.filter((_, n) => n !== at) })}
          >
            <IconTrash />
          </ActionIcon>
        </div>
      ))}
      {lines.lines.length === 0 && (
        <p className="t2">
          {lines.join === 'all'
            ? 'No conditions: this matches all contacts.'
            : 'No conditions: this matches no contacts.'}
        </p>
      )}
      <Button
        leftSection={<IconPlus aria-hidden />}
        mt={8}
        onClick={() => set({ ...lines, lines: [...lines.lines, NEW_LINE] })}
      >
        Add condition
      </Button>
    </fieldset>
  )
}

function Name({
  line: { kind, name },
  at,
  lists,
  set,
}: {
  line: Line
  at: number
  lists: { value: string; label: string }[]
  set: (name: string) => void
}) {
  const choices = kind === 'field' ? FIELDS : kind === 'activity' ? STATUSES : undefined
  const label = `Condition ${at + 1}: attribute`
  if (kind === 'list')
    return (
      <SearchableSelect
        aria-label={label}
        placeholder="Choose one"
        data={lists}
        value={name === '' ? null : name}
        onChange={(value) => set(value ?? '')}
      />
    )
  if (choices)
    return (
      <Select
        aria-label={label}
        allowDeselect={false}
        placeholder="Choose one"
        data={choices}
        value={name === '' ? null : name}
        onChange={(value) => set(value ?? '')}
      />
    )
  return (
    <TextInput
      aria-label={label}
      placeholder={kind === 'metadata' ? 'plan' : kind === 'tag' ? 'vip' : 'order.placed'}
      value={name}
      onChange={({ currentTarget: { value } }) => set(value)}
    />
  )
}

/** Edits a condition as JSON, if it has nested groups. */
export const ConditionJson = ({
  json,
  set,
  error,
}: {
  json: string
  set: (json: string) => void
  error: string | undefined
}) => (
  <Textarea
    label="Condition (JSON)"
    description="This condition has nested groups, so it can only be edited as JSON."
    autosize
    minRows={5}
    maxRows={20}
    styles={{ input: { fontFamily: 'var(--mono)', fontSize: 12 } }}
    value={json}
    error={error}
    onChange={({ currentTarget: { value } }) => set(value)}
  />
)
