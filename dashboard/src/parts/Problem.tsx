import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { DriplineError, inWords, isPassing } from '../api/client.ts'
import classes from './Problem.module.css'
import { useInSight } from './use-in-sight.ts'

/**
 * What failed, in words, and what can be done.
 *
 * @param isAnswer whether it answers somebody who has pressed something, and is brought into sight: what is read by itself calls nobody away
 */
export function Problem({
  error,
  again,
  isAnswer = false,
}: {
  error: unknown
  again?: () => void
  isAnswer?: boolean
}) {
  const requestId = error instanceof DriplineError ? error.requestId : undefined
  const shown = useInSight<HTMLDivElement>(error, isAnswer)
  return (
    <div ref={shown} className={`${classes.problem} c-bad`} role="alert">
      <IconAlertTriangle aria-hidden />
      <div>
        <p>
          {inWords(error)}
          {again && isPassing(error) && ' It is tried again.'}
        </p>
        {requestId !== undefined && (
          <p className="small t3">
            Request <span className="mono">{requestId}</span>
          </p>
        )}
      </div>
      {again && isPassing(error) && (
        <Button onClick={again} className="push">
          Try again
        </Button>
      )}
    </div>
  )
}
