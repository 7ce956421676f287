import { useDebouncedValue } from '@mantine/hooks'
import { errorMessage } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { count, plural } from '../../lib/format.ts'
import { type Condition, isIncomplete, type Loose } from './condition.ts'

/** Milliseconds after the last edit before contacts are counted again. */
const PAUSE_MS = 400

/** Delays a condition until edits pause. */
export const useDebouncedCondition = (condition: Loose | undefined): Loose | undefined =>
  useDebouncedValue(condition, PAUSE_MS)[0]

function useConditionCount(condition: Loose | undefined) {
  const asked = useDebouncedCondition(condition)
  return useWorkspaceQuery(
    ['segments', 'count', asked],
    async (api, signal) => {
      const { data } = await api.POST('/segments/count', { body: { condition: asked as Condition }, signal })
      return data.data.contactCount
    },
    { enabled: asked !== undefined, keepPrevious: true },
  )
}

/** Counts the contacts who match a condition, again after each edit. */
export function ConditionCount({ condition }: { condition: Loose | undefined }) {
  const { data, error } = useConditionCount(condition)
  return (
    <p role="status" className={error ? 'small' : 't2'} style={error ? { color: 'var(--bad)' } : undefined}>
      {error
        ? errorMessage(error)
        : data === undefined
          ? 'Counting…'
          : `${plural(data, 'contact')} ${data === 1 ? 'matches' : 'match'}`}
    </p>
  )
}

/** The number of contacts who match one condition alone. */
export function MatchesAlone({ condition }: { condition: Loose }) {
  const { data } = useConditionCount(isIncomplete(condition) ? undefined : condition)
  return isIncomplete(condition) || data === undefined ? null : <span title="Matches alone">{count(data)}</span>
}

/** The numbers of contacts who enter and leave a segment when its condition is replaced. */
export function ChangeCount({ segmentId, condition }: { segmentId: string; condition: Loose }) {
  const { data: enter } = useConditionCount({ all: [condition, { not: { segment: segmentId } }] })
  const { data: leave } = useConditionCount({ all: [{ segment: segmentId }, { not: condition }] })
  return (
    <p role="status" className="t2">
      {enter === undefined || leave === undefined
        ? 'Counting…'
        : `${plural(enter, 'contact')} will enter and ${count(leave)} will leave when you save.`}
    </p>
  )
}
