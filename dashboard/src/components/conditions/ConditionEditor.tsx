import { ActionIcon, Button, Select } from '@mantine/core'
import { IconPlus, IconStack2, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Option } from '../../lib/options.ts'
import {
  asGroup,
  conditionOf,
  CONTACT_KINDS,
  type Group,
  groupOf,
  type Join,
  type Kind,
  type Loose,
  newPart,
  type Source,
} from './condition.ts'
import { ConditionRow } from './ConditionRow.tsx'
import { ConditionScope, useConditionScope } from './condition-scope.ts'
import classes from './conditions.module.css'

/** Groups in groups, including the outermost. */
const MAX_LEVELS = 3

const JOINS: readonly { value: Join; label: string }[] = [
  { value: 'all', label: 'All of these' },
  { value: 'any', label: 'Any of these' },
  { value: 'none', label: 'None of these' },
]
const NOT_ALL = { value: 'notAll', label: 'Not all of these' } as const

interface ConditionEditorProps {
  label: string
  condition: Loose
  onChange: (condition: Loose) => void
  /** Data of the automation that conditions may use. */
  sources?: readonly Source[]
  /** The emails of the automation, to choose from. */
  emails?: readonly Option[]
  /** The event whose data is compared, if it is known. */
  event?: string | undefined
  /** Renders a count next to each condition. */
  countOf?: (condition: Loose) => ReactNode
}

/** Edits a condition with nested groups. */
export function ConditionEditor({
  label,
  condition,
  onChange,
  sources = [],
  emails = [],
  event,
  countOf,
}: ConditionEditorProps) {
  const kinds: Kind[] = [...sources, ...CONTACT_KINDS]
  return (
    <fieldset className="plainFields">
      <legend className={classes.legend}>{label}</legend>
      <ConditionScope value={{ kinds, emails, event, countOf }}>
        <GroupEditor
          group={asGroup(condition)}
          onChange={(group) => onChange(conditionOf(group))}
          path={[]}
          noun="condition"
        />
      </ConditionScope>
    </fieldset>
  )
}

/** Edits a condition on the data of an event. */
export function PropertyFilter({
  event,
  where,
  onChange,
  path,
}: {
  event: string
  where: Loose
  onChange: (where: Loose | undefined) => void
  path: readonly number[]
}) {
  return (
    <ConditionScope value={{ kinds: ['eventData'], emails: [], event, countOf: undefined }}>
      <GroupEditor
        group={asGroup(where)}
        onChange={(group) => onChange(group.items.length === 0 ? undefined : conditionOf(group))}
        path={path}
        noun="property"
      />
    </ConditionScope>
  )
}

const nameOf = (path: readonly number[], noun: string): string =>
  `${noun === 'property' ? 'Property' : 'Condition'} ${path.map((n) => n + 1).join('.')}`

function GroupEditor({
  group: { join, items },
  onChange,
  path,
  noun,
  onRemove,
}: {
  group: Group
  onChange: (group: Group) => void
  path: readonly number[]
  noun: 'condition' | 'property'
  onRemove?: () => void
}) {
  const { kinds } = useConditionScope()
  const set = (next: readonly Loose[]) => onChange({ join, items: next })
  const [firstKind = 'metadata'] = kinds
  const added = newPart(kinds.includes('metadata') ? 'metadata' : firstKind)
  const level = path.length
  const isNested = onRemove !== undefined
  const groupName = isNested ? `Group ${path.map((n) => n + 1).join('.')}` : 'Group'
  return (
    <div className={classes.group} data-nested={isNested || undefined} role="group" aria-label={groupName}>
      {(items.length !== 1 || join !== 'all' || isNested) && (
        <div className={classes.head}>
          <Select
            className={classes.join}
            aria-label={`${groupName}: match`}
            allowDeselect={false}
            data={join === 'notAll' ? [...JOINS, NOT_ALL] : [...JOINS]}
            value={join}
            onChange={(value) => onChange({ join: value as Join, items })}
          />
          {isNested && (
            <ActionIcon className="push" aria-label={`Delete ${groupName.toLowerCase()}`} onClick={onRemove}>
              <IconTrash aria-hidden />
            </ActionIcon>
          )}
        </div>
      )}
      {items.map((item, n) => {
        const inner = groupOf(item)
        const change = (next: Loose) => set(items.with(n, next))
        const remove = () => set(items.toSpliced(n, 1))
        const at = [...path, n]
        // By position: conditions have no identity.
        return inner ? (
          <GroupEditor
            key={n}
            group={inner}
            onChange={(next) => change(conditionOf(next))}
            path={at}
            noun={noun}
            onRemove={remove}
          />
        ) : (
          <ConditionRow
            key={n}
            name={nameOf(at, noun)}
            path={at}
            condition={item}
            onChange={change}
            onRemove={remove}
            onDuplicate={() => set(items.toSpliced(n + 1, 0, item))}
          />
        )
      })}
      <div className={classes.adds}>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconPlus aria-hidden />}
          onClick={() => set([...items, added])}
        >
          Add {noun}
        </Button>
        {level + 1 < MAX_LEVELS && noun === 'condition' && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconStack2 aria-hidden />}
            onClick={() => set([...items, { any: [added] }])}
          >
            Add group
          </Button>
        )}
      </div>
    </div>
  )
}
