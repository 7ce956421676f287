import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../api/workspace.tsx'

interface ToContactProps {
  /** Null if a transactional email went to an address without a contact. */
  contactId: string | null
  className?: string
  children: ReactNode
}

/** Links to a contact, if there is one. */
export function ToContact({ contactId, className, children }: ToContactProps) {
  const { workspace } = useWorkspace()
  if (contactId === null) return <span className={className === 'link' ? undefined : className}>{children}</span>
  return (
    <Link
      className={className}
      to="/w/$workspaceId/contacts/$contactId"
      params={{ workspaceId: workspace.id, contactId }}
    >
      {children}
    </Link>
  )
}
