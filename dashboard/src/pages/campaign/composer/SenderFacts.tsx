import { Link } from '@tanstack/react-router'
import { useSender } from '../../../api/queries.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import classes from './composer.module.css'

/** The addresses of the email. All campaigns of a workspace have the same sender. */
export function SenderFacts() {
  const { workspace } = useWorkspace()
  const { data: sender } = useSender()
  if (!sender) return null
  const { fromName, fromAddress, replyTo } = sender
  return (
    <div className={classes.sender}>
      <dl>
        <dt>From</dt>
        <dd>
          {fromName && <span className="strong">{fromName} </span>}
          {fromAddress ?? 'Default sender'}
        </dd>
      </dl>
      <dl>
        <dt>Reply-to</dt>
        <dd>{replyTo ?? 'Same as From'}</dd>
      </dl>
      <Link className="link push" to="/w/$workspaceId/sender" params={{ workspaceId: workspace.id }}>
        Edit sender
      </Link>
    </div>
  )
}
