import { errorMessage } from '../../api/client.ts'
import type { DraftState } from './use-draft.ts'

/** Shows whether the draft is saved. Drafts save automatically. */
export function SaveStatus({ draftState: { saving, hasDraft } }: { draftState: DraftState }) {
  switch (saving.is) {
    case 'saved':
      return hasDraft ? (
        <span className="small t3" role="status">
          Draft saved
        </span>
      ) : null
    case 'saving':
      return (
        <span className="small t3" role="status">
          Saving…
        </span>
      )
    case 'waiting':
      return (
        <span className="small" role="status" style={{ color: 'var(--warn)' }}>
          Not saved: {errorMessage(saving.error)} Retrying…
        </span>
      )
    case 'changed':
      return (
        <span className="small" style={{ color: 'var(--bad)' }}>
          Not saved
        </span>
      )
    case 'refused':
      return (
        <span className="small" role="alert" style={{ color: 'var(--bad)' }}>
          Not saved: {errorMessage(saving.error)}
        </span>
      )
  }
}
