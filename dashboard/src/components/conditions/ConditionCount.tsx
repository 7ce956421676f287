import { useDebouncedValue } from '@mantine/hooks'
import { errorMessage } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { count, plural } from '../../lib/format.ts'
import { type Condition, isIncomplete, type Loose } from './condition.ts'

/** Milliseconds after the last edit before contacts are counted again. */
const PAUSE_MS = 400

function useConditionCount(condition: Loose | undefined) {
  const [asked] = useDebouncedValue(condition, PAUSE_MS)
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
