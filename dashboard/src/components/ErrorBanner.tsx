import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { DriplineError, errorMessage, isTransient } from '../api/client.ts'
import classes from './ErrorBanner.module.css'
import { useScrollIntoView } from '../lib/use-scroll-into-view.ts'

/**
 * Shows an error and, if it may be temporary, a retry button.
 *
 * @param scrollsIntoView for errors of a user's action; background errors do not move the page
 */
export function ErrorBanner({
  error,
  onRetry,
  scrollsIntoView = false,
}: {
  error: unknown
  onRetry?: () => void
  scrollsIntoView?: boolean
}) {
  const requestId = error instanceof DriplineError ? error.requestId : undefined
  const shown = useScrollIntoView<HTMLDivElement>(error, scrollsIntoView)
  return (
    <div ref={shown} className={`${classes.problem} c-bad`} role="alert">
      <IconAlertTriangle aria-hidden />
      <div>
        <p>
          {errorMessage(error)}
          {onRetry && isTransient(error) && ' Retrying automatically.'}
        </p>
        {requestId !== undefined && (
          <p className="small t3">
            Request ID <span className="mono">{requestId}</span>
          </p>
        )}
      </div>
      {onRetry && isTransient(error) && (
        <Button onClick={onRetry} className="push">
          Try again
        </Button>
      )}
    </div>
  )
}
