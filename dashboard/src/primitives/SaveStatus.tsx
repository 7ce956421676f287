import { errorMessage } from '../api/client.ts'
import { minuteOf } from '../lib/format.ts'
import type { SaveState } from './use-autosave.ts'

/** Shows whether a draft is saved, and offers to try again. */
export function SaveStatus({ state, isDirty, onRetry }: { state: SaveState; isDirty: boolean; onRetry: () => void }) {
  return (
    <span className="small t2" role="status">
      {state.kind === 'failed' ? (
        <span className="c-bad" style={{ color: 'var(--c)' }} title={errorMessage(state.error)}>
          Not saved.{' '}
          <button type="button" className="textButton link" onClick={onRetry}>
            Retry
          </button>
        </span>
      ) : state.kind === 'saving' || isDirty ? (
        'Saving…'
      ) : (
        state.at !== null && `Saved ${minuteOf(state.at)}`
      )}
    </span>
  )
}
