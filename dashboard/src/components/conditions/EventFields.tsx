import { Button, Select } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { omit } from '../../lib/omit.ts'
import { EventNameInput } from '../EventNameInput.tsx'
import { IntegerInput } from '../IntegerInput.tsx'
import { PropertyFilter } from './ConditionEditor.tsx'
import type { PartProps } from './ConditionRow.tsx'
import { type Loose, newCondition, whereOf, withWhere } from './condition.ts'
import { VerbSelect } from './VerbSelect.tsx'
import classes from './conditions.module.css'

type FieldProps = Omit<PartProps, 'isNegated'>

const MAX_COUNT = 1_000_000
const MAX_DAYS = 36_600

const LIMITS = [
  { value: 'atLeast', label: 'at least' },
  { value: 'atMost', label: 'at most' },
  { value: 'exactly', label: 'exactly' },
  { value: 'between', label: 'between' },
] as const
type Limit = (typeof LIMITS)[number]['value']

/** Edits a condition on past events: how often, when, and with which data. */
export function EventFields({ name, part, isNegated, set, path }: PartProps & { path: readonly number[] }) {
  const where = whereOf(part)
  return (
    <>
      <VerbSelect
        className={classes.comparison}
        label={`${name}: comparison`}
        verbs={[{ value: 'did', labels: ['performed', 'did not perform'] }]}
        value="did"
        isNegated={isNegated}
        onChange={(_, isNot) => set(part, isNot)}
      />
      <EventNameInput
        className={classes.name}
        aria-label={`${name}: attribute`}
        placeholder="order.placed"
        value={String(part['event'])}
        onChange={(event) => set({ ...part, event })}
      />
      <CountFields name={name} part={part} set={set} />
      <WindowFields name={name} part={part} set={set} />
      {where ? (
        <div className={classes.where}>
          <span className="small t2">where the event’s data has</span>
          <PropertyFilter
            event={String(part['event'])}
            where={where}
            onChange={(next) => set(withWhere(part, next))}
            path={path}
          />
        </div>
      ) : (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconPlus aria-hidden />}
          onClick={() => set(withWhere(part, newCondition('eventData')))}
        >
          Property
        </Button>
      )}
    </>
  )
}

function limitOf({ atLeast, atMost }: Loose): Limit {
  if (atMost === undefined) return 'atLeast'
  if (atLeast === undefined) return 'atMost'
  return atLeast === atMost ? 'exactly' : 'between'
}

function withCounts(part: Loose, atLeast: number | undefined, atMost: number | undefined): Loose {
  return {
    ...omit(part, 'atLeast', 'atMost'),
    ...(atLeast !== undefined && { atLeast }),
    ...(atMost !== undefined && { atMost }),
  }
}

function CountFields({ name, part, set }: FieldProps) {
  const limit = limitOf(part)
  const least = Number(part['atLeast'] ?? 1)
  const most = Number(part['atMost'] ?? least)
  const change = (to: Limit) => {
    const value = limit === 'atMost' ? most : least
    if (to === 'atLeast') set(withCounts(part, Math.max(1, value), undefined))
    else if (to === 'atMost') set(withCounts(part, undefined, value))
    else set(withCounts(part, Math.max(1, value), Math.max(1, value) + (to === 'between' ? 1 : 0)))
  }
  return (
    <>
      <Select
        className={classes.comparison}
        aria-label={`${name}: how often`}
        allowDeselect={false}
        data={LIMITS}
        value={limit}
        onChange={(value) => value && change(value)}
      />
      {limit !== 'atMost' && (
        <IntegerInput
          className={classes.number}
          aria-label={`${name}: times`}
          min={1}
          max={MAX_COUNT}
          value={least}
          onChange={(next) =>
            set(
              withCounts(
                part,
                next ?? 1,
                limit === 'atLeast' ? undefined : limit === 'exactly' ? (next ?? 1) : Math.max(most, next ?? 1),
              ),
            )
          }
        />
      )}
      {(limit === 'atMost' || limit === 'between') && (
        <IntegerInput
          className={classes.number}
          aria-label={`${name}: at most times`}
          min={limit === 'between' ? least : 0}
          max={MAX_COUNT}
          value={most}
          onChange={(next) => set(withCounts(part, limit === 'atMost' ? undefined : least, next ?? 0))}
        />
      )}
      <span className="t2">{least === 1 && limit !== 'between' && limit !== 'atMost' ? 'time' : 'times'}</span>
    </>
  )
}

/** Limits a condition to the last days. */
export function WindowFields({ name, part, set }: FieldProps) {
  const { withinDays, ...rest } = part
  const days = typeof withinDays === 'number' ? withinDays : undefined
  return (
    <>
      <Select
        className={classes.comparison}
        aria-label={`${name}: when`}
        allowDeselect={false}
        data={[
          { value: 'any', label: 'at any time' },
          { value: 'last', label: 'in the last' },
        ]}
        value={days === undefined ? 'any' : 'last'}
        onChange={(value) => set(value === 'last' ? { ...rest, withinDays: 30 } : rest)}
      />
      {days !== undefined && (
        <>
          <IntegerInput
            className={classes.number}
            aria-label={`${name}: days`}
            min={1}
            max={MAX_DAYS}
            value={days}
            onChange={(next) => set({ ...rest, withinDays: next ?? 1 })}
          />
          <span className="t2">{days === 1 ? 'day' : 'days'}</span>
        </>
      )}
    </>
  )
}
