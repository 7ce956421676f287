import { ActionIcon, Button, Select, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useLists } from '../../api/queries.ts'
import { COMPARISONS, type Kind, type Line, type Lines, needsValue, NEW_LINE } from './condition.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import classes from './segments.module.css'

const KINDS: { value: Kind; label: string }[] = [
  { value: 'field', label: 'Field' },
  { value: 'metadata', label: 'Data' },
  { value: 'tag', label: 'Tag' },
  { value: 'list', label: 'List' },
  { value: 'event', label: 'Event' },
  { value: 'activity', label: 'Was sent' },
]
const DEFAULTS_OF_KIND: Record<Kind, Pick<Line, 'name' | 'is'>> = {
  field: { name: 'email', is: 'endsWith' },
  metadata: { name: '', is: 'equal' },
  tag: { name: '', is: 'equal' },
  list: { name: '', is: 'equal' },
  event: { name: '', is: 'equal' },
  activity: { name: 'SENT', is: 'equal' },
}
const FIELDS = ['email', 'firstName', 'createdAt', 'updatedAt']
const STATUSES = ['SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'OPENED', 'CLICKED']
const COMPARISON_OPTIONS = Object.entries(COMPARISONS).map(([value, label]) => ({ value, label }))

/** A condition, line by line. */
export function ConditionEditor({ lines, set }: { lines: Lines; set: (lines: Lines) => void }) {
  const lists = useLists()
  const change = (at: number, fields: Partial<Line>) =>
    set({ ...lines, lines: lines.lines.map((line, n) => (n === at ? { ...line, ...fields } : line)) })
  return (
    <fieldset className="plainFields">
      <legend className={classes.legend}>Who is in it</legend>
      <SegmentedControl
        aria-label="How the lines are joined"
        value={lines.join}
        onChange={(join) => set({ ...lines, join: join })}
        data={[
          { value: 'all', label: 'All of these' },
          { value: 'any', label: 'Any of these' },
        ]}
        mb={12}
      />
      {lines.lines.map((line, at) => (
        <div key={at} className={classes.line}>
          <Select
            aria-label={`Line ${at + 1}: whether`}
            allowDeselect={false}
            data={[
              { value: 'so', label: 'Who' },
              { value: 'not', label: 'Who not' },
            ]}
            value={line.not ? 'not' : 'so'}
            onChange={(value) => change(at, { not: value === 'not' })}
          />
          <Select
            aria-label={`Line ${at + 1}: by what`}
            allowDeselect={false}
            data={KINDS}
            value={line.kind}
            onChange={(kind) => change(at, { kind: kind as Kind, value: '', ...DEFAULTS_OF_KIND[kind as Kind] })}
          />
          <Name line={line} at={at} lists={lists ?? []} set={(name) => change(at, { name })} />
          {(line.kind === 'field' || line.kind === 'metadata') && (
            <Select
              aria-label={`Line ${at + 1}: compared how`}
              allowDeselect={false}
              data={COMPARISON_OPTIONS}
              value={line.is}
              onChange={(is) => change(at, { is: is ?? 'equal' })}
            />
          )}
          {needsValue(line) && (
            <TextInput
              aria-label={`Line ${at + 1}: with what`}
              placeholder={line.name.endsWith('At') ? '2026-01-31T12:00:00Z' : 'Value'}
              title={
                line.kind === 'metadata' ? 'A number is compared as one; in quotes, such as "12", as a text' : undefined
              }
              value={line.value}
              onChange={({ currentTarget: { value } }) => change(at, { value })}
            />
          )}
          <ActionIcon
            aria-label={`Remove line ${at + 1}`}
            onClick={() => set({ ...lines, lines: lines.lines.filter((_, n) => n !== at) })}
          >
            <IconTrash />
          </ActionIcon>
        </div>
      ))}
      {lines.lines.length === 0 && (
        <p className="t2">{lines.join === 'all' ? 'Everybody, as long as nothing is asked.' : 'Nobody yet.'}</p>
      )}
      <Button
        leftSection={<IconPlus aria-hidden />}
        mt={8}
        onClick={() => set({ ...lines, lines: [...lines.lines, NEW_LINE] })}
      >
        Add a line
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
  const label = `Line ${at + 1}: which`
  if (kind === 'list')
    return (
      <SearchableSelect
        aria-label={label}
        placeholder="Which"
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
        placeholder="Which"
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

/** The same as JSON, where it has parts in parts. */
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
    label="Who is in it, as JSON"
    description="It has parts in parts, which lines cannot show."
    autosize
    minRows={5}
    maxRows={20}
    styles={{ input: { fontFamily: 'var(--mono)', fontSize: 12 } }}
    value={json}
    error={error}
    onChange={({ currentTarget: { value } }) => set(value)}
  />
)
