import { ActionIcon, Autocomplete, Menu, Select, TextInput } from '@mantine/core'
import { IconCopy, IconDots, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useEventProperties, useLists, useMetadataKeys, useSegments } from '../../api/queries.ts'
import { SearchableSelect } from '../SearchableSelect.tsx'
import { ActivityFields, MessageFields } from './EmailConditionFields.tsx'
import { ComparisonFields } from './ComparisonFields.tsx'
import { EventFields } from './EventFields.tsx'
import { VerbSelect } from './VerbSelect.tsx'
import { FIELD_LABELS, type Kind, KIND_LABELS, type Loose, negated, newPart, partOf } from './condition.ts'
import { useConditionScope } from './condition-scope.ts'
import classes from './conditions.module.css'

const FIELDS = Object.entries(FIELD_LABELS).map(([value, label]) => ({ value, label }))

/** Edits one condition. */
export function ConditionRow({
  name,
  path,
  condition,
  onChange,
  onRemove,
  onDuplicate,
}: {
  /** Its name in labels: "Condition 2". */
  name: string
  path: readonly number[]
  condition: Loose
  onChange: (condition: Loose) => void
  onRemove: () => void
  onDuplicate: () => void
}) {
  const { kinds, countOf } = useConditionScope()
  const found = partOf(condition)
  const actions = <RowMenu name={name} onRemove={onRemove} onDuplicate={onDuplicate} />
  if (!found)
    return (
      <div className={classes.row}>
        <span className={`code cut ${classes.wide}`}>{JSON.stringify(condition)}</span>
        {actions}
      </div>
    )
  const { isNegated, kind, part } = found
  const set = (next: Loose, isNot = isNegated) => onChange(negated(next, isNot))
  const choices = kinds.includes(kind) ? kinds : [kind, ...kinds]
  return (
    <div className={classes.row}>
      <div className={classes.fields}>
        {choices.length > 1 && (
          <Select
            className={classes.kind}
            aria-label={`${name}: type`}
            allowDeselect={false}
            data={choices.map((value) => ({ value, label: KIND_LABELS[value] }))}
            value={kind}
            onChange={(value) => value && set(newPart(value), false)}
          />
        )}
        <KindFields kind={kind} name={name} path={path} part={part} isNegated={isNegated} set={set} />
      </div>
      {countOf && <span className={`small t2 ${classes.count}`}>{countOf(condition)}</span>}
      {actions}
    </div>
  )
}

function RowMenu({ name, onRemove, onDuplicate }: { name: string; onRemove: () => void; onDuplicate: () => void }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`${name}: actions`}>
          <IconDots aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCopy aria-hidden />} onClick={onDuplicate}>
          Duplicate
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash aria-hidden />} onClick={onRemove}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

export interface PartProps {
  name: string
  part: Loose
  isNegated: boolean
  set: (part: Loose, isNegated?: boolean) => void
}

function KindFields({ kind, path, ...props }: PartProps & { kind: Kind; path: readonly number[] }) {
  switch (kind) {
    case 'field':
      return <ProfileFields {...props} />
    case 'metadata':
      return <MetadataFields {...props} />
    case 'eventData':
    case 'stepData':
      return <DataFields {...props} kind={kind} />
    case 'tag':
      return <TagField {...props} />
    case 'list':
      return <ListField {...props} />
    case 'segment':
      return <SegmentField {...props} />
    case 'event':
      return <EventFields {...props} path={path} />
    case 'activity':
      return <ActivityFields {...props} />
    case 'message':
      return <MessageFields {...props} />
  }
}

function ProfileFields({ name, part, isNegated, set }: PartProps) {
  return (
    <>
      <Select
        className={classes.name}
        aria-label={`${name}: attribute`}
        allowDeselect={false}
        data={FIELDS}
        value={String(part['field'])}
        onChange={(field) => field && set(field.endsWith('At') ? newTime(field) : newText(field))}
      />
      <ComparisonFields name={name} part={part} isNegated={isNegated} set={set} />
    </>
  )
}
const newTime = (field: string): Loose => ({ field, is: 'newerThan', value: '30d' })
const newText = (field: string): Loose => ({ field, is: 'equal', value: '' })

function MetadataFields({ name, part, isNegated, set }: PartProps) {
  const keys = useMetadataKeys()
  return (
    <>
      <Autocomplete
        className={classes.name}
        aria-label={`${name}: attribute`}
        placeholder="plan"
        data={[...keys]}
        value={String(part['metadata'])}
        onChange={(metadata) => set({ ...part, metadata })}
      />
      <ComparisonFields name={name} part={part} isNegated={isNegated} set={set} />
    </>
  )
}

function DataFields({ name, part, isNegated, set, kind }: PartProps & { kind: 'eventData' | 'stepData' }) {
  const { event } = useConditionScope()
  const properties = useEventProperties(kind === 'eventData' ? event : undefined)
  return (
    <>
      <Autocomplete
        className={classes.name}
        aria-label={`${name}: attribute`}
        placeholder={kind === 'eventData' ? 'total' : 'account.plan'}
        data={properties}
        value={String(part[kind])}
        onChange={(value) => set({ ...part, [kind]: value })}
      />
      <ComparisonFields name={name} part={part} isNegated={isNegated} set={set} />
    </>
  )
}

type MemberProps = PartProps & { verbs: readonly [string, string]; children: ReactNode }

/** Whether a contact has or is in something, which `children` selects. */
const MemberFields = ({ name, part, isNegated, set, verbs, children }: MemberProps) => (
  <>
    <VerbSelect
      className={classes.comparison}
      label={`${name}: comparison`}
      verbs={[{ value: 'in', labels: verbs }]}
      value="in"
      isNegated={isNegated}
      onChange={(_, isNot) => set(part, isNot)}
    />
    {children}
  </>
)

const TagField = (props: PartProps) => (
  <MemberFields {...props} verbs={['is', 'is not']}>
    <TextInput
      className={classes.name}
      aria-label={`${props.name}: attribute`}
      placeholder="vip"
      value={String(props.part['tag'])}
      onChange={({ currentTarget: { value } }) => props.set({ tag: value })}
    />
  </MemberFields>
)

function ListField(props: PartProps) {
  const lists = useLists()
  return (
    <MemberFields {...props} verbs={['includes', 'does not include']}>
      <SearchableSelect
        className={classes.name}
        aria-label={`${props.name}: attribute`}
        placeholder="Choose a list"
        data={lists ?? []}
        value={props.part['list'] === '' ? null : String(props.part['list'])}
        onChange={(list) => props.set({ list: list ?? '' })}
      />
    </MemberFields>
  )
}

function SegmentField(props: PartProps) {
  const segments = useSegments()
  return (
    <MemberFields {...props} verbs={['includes', 'does not include']}>
      <SearchableSelect
        className={classes.name}
        aria-label={`${props.name}: attribute`}
        placeholder="Choose a segment"
        data={segments ?? []}
        value={props.part['segment'] === '' ? null : String(props.part['segment'])}
        onChange={(segment) => props.set({ segment: segment ?? '' })}
      />
    </MemberFields>
  )
}
