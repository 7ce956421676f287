import { useDnsCheck, useSender } from '../api/queries.ts'
import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../api/workspace.tsx'
import type { Check } from '../primitives/Checklist.tsx'

/** Checks that the workspace has a sender, and that its DNS records are found. */
export function useSenderCheck(): Check & { isVerified: boolean } {
  const { workspace } = useWorkspace()
  const { data: sender } = useSender()
  const { data: dns } = useDnsCheck(sender?.fromAddress != null)
  const action = (
    <Link className="link" to="/w/$workspaceId/sender" params={{ workspaceId: workspace.id }}>
      Set up
    </Link>
  )
  const check = (state: Check['state'], fact: string, isVerified = false) => ({
    id: 'sender',
    name: 'Sender',
    state,
    fact,
    isVerified,
    ...(state !== 'ok' && { action }),
  })
  if (!sender) return check('ok', 'Loading…')
  // Without a sender of the workspace, the one of the instance applies.
  if (sender.fromAddress === null) return check('warning', 'No sender for this workspace: the server’s default is used')
  if (!dns) return check('ok', `${sender.fromAddress}, checking DNS…`)
  const wrong = dns.records.filter(({ status }) => status === 'MISSING' || status === 'WRONG').map(({ what }) => what)
  if (wrong.length > 0)
    return check('warning', `${sender.fromAddress}: ${wrong.join(', ').replace('_', ' ')} not verified`)
  return check('ok', `${sender.fromAddress}, DNS records verified`, true)
}
