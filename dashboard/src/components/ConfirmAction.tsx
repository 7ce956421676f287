import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CurlButton } from './CurlButton.tsx'
import { ErrorBanner } from './ErrorBanner.tsx'

/** Asks for confirmation and states the consequences. @param confirmLabel a verb and its object */
export function ConfirmAction({
  confirmLabel,
  path,
  description,
  action,
  onDone,
}: {
  confirmLabel: string
  /** The API path of the same action, shown as a curl command. */
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
        Cancel
      </Button>
      {path !== undefined && <CurlButton call={{ method: 'DELETE', path }} />}
    </div>
  )
}
