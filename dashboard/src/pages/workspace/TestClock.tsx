import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { fullDate } from '../../lib/format.ts'

const HOUR = 60
const DAY = 24 * HOUR
const MOVES = [
  ['1 hour', HOUR],
  ['1 day', DAY],
  ['1 week', 7 * DAY],
  ['30 days', 30 * DAY],
] as const

/** Moves the clock of a test workspace forward. @param aheadMinutes how far it is ahead */
export function TestClock({ aheadMinutes }: { aheadMinutes: number }) {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const invalidate = useInvalidate()
  const move = useMutation({
    mutationFn: (minutes: number) => api.POST('/workspaces/current/clock', { body: { minutes } }),
    onSettled: () => invalidate(),
  })
  return (
    <div className="card still">
      {move.isError && <ErrorBanner error={move.error} scrollsIntoView />}
      <p className="strong" role="status">
        {aheadMinutes === 0 ? 'Real time' : fullDate(new Date(Date.now() + aheadMinutes * 60_000))}
      </p>
      <p className="t2">
        Waits end as if the time had passed, dates are reached, and segments see it. Pages and reports show when an
        email was really captured. The clock can’t be moved back.
      </p>
      {canEdit && (
        <div className="row" style={{ flexWrap: 'wrap', marginTop: 8 }}>
          <span className="t2">Forward by</span>
          {MOVES.map(([label, minutes]) => (
            <Button
              key={label}
              loading={move.isPending && move.variables === minutes}
              disabled={move.isPending}
              onClick={() => move.mutate(minutes)}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
