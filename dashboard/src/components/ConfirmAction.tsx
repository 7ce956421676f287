import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CurlButton } from './CurlButton.tsx'
import { ErrorBanner } from './ErrorBanner.tsx'

/** Asks once more before something is deleted, and says what becomes of what it had. @param verb names it with its object */
export function ConfirmAction({
  confirmLabel,
  path,
  description,
  action,
  onDone,
}: {
  confirmLabel: string
  /** What a key may call for the same, too. */
  path?: string
  description: string
  action: () => Promise<unknown>
  onDone: () => void
}) {
  const end = useMutation({ mutationFn: action })
  return (
    <div className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end', padding: '8px 0' }}>
      <span className="small t2">{description}</span>
      {end.isError && <ErrorBanner error={end.error} scrollsIntoView />}
      <Button
        variant="filled"
        color="bad"
        loading={end.isPending}
        onClick={() => end.mutate(undefined, { onSuccess: onDone })}
      >
        {confirmLabel}
      </Button>
      <Button variant="subtle" color="gray" onClick={onDone} disabled={end.isPending}>
        Keep it
      </Button>
      {path !== undefined && <CurlButton call={{ method: 'DELETE', path }} />}
    </div>
  )
}
