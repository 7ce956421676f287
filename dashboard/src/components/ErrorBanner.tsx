import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { DriplineError, errorMessage, isTransient } from '../api/client.ts'
import classes from './ErrorBanner.module.css'
import { useScrollIntoView } from '../lib/use-scroll-into-view.ts'

/**
 * What failed, in words, and what can be done.
 *
 * @param isAnswer whether it answers somebody who has pressed something, and is brought into sight: what is read by itself calls nobody away
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
          {onRetry && isTransient(error) && ' It is tried again.'}
        </p>
        {requestId !== undefined && (
          <p className="small t3">
            Request <span className="mono">{requestId}</span>
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
