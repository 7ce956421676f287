import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import { CopyableValue } from '../../components/CopyableValue.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { count } from '../../lib/format.ts'
import { AsidePanel } from '../../primitives/AsidePanel.tsx'
import classes from './logs.module.css'
import { adviceFor } from './error-advice.ts'
import { type LoggedRequest, statusOf, titleOf } from './requests.ts'

/** Shows a request, and what to do about its error. */
export function RequestAside({
  request,
  keyName,
  onClose,
}: {
  request: LoggedRequest
  keyName: string
  onClose: () => void
}) {
  const { workspace } = useWorkspace()
  const { keyId, status, errorCode, errorParam, durationMs, requestId, createdAt } = request
  return (
    <AsidePanel label="Request" title={<span className="mono">{titleOf(request)}</span>} onClose={onClose}>
      <dl className={`facts ${classes.request}`}>
        <dt>Status</dt>
        <dd>
          <StatusBadge status={statusOf(request)} plain />
        </dd>
        {errorCode !== null && (
          <>
            <dt>Error code</dt>
            <dd className="mono">{errorCode}</dd>
          </>
        )}
        {errorParam !== null && (
          <>
            <dt>Field</dt>
            <dd className="mono">{errorParam}</dd>
          </>
        )}
        <dt>API key</dt>
        <dd>
          <Link
            className="link"
            to="/w/$workspaceId/logs"
            params={{ workspaceId: workspace.id }}
            search={{ key: keyId }}
          >
            {keyName}
          </Link>
        </dd>
        <dt>Duration</dt>
        <dd>{count(durationMs)} ms</dd>
        <dt>Time</dt>
        <dd>
          <Time at={createdAt} as="time" />
        </dd>
        <CopyableValue label="Request ID" text={requestId} />
      </dl>
      {status >= 400 && (
        <div className={classes.advice}>
          <h3>What to do</h3>
          <p>{adviceFor(status, errorCode)}</p>
          <p>
            <a className="link" href="/docs" target="_blank" rel="noreferrer">
              API reference
            </a>
          </p>
        </div>
      )}
    </AsidePanel>
  )
}
