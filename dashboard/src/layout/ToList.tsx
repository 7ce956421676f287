import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../api/workspace.tsx'

/** Leads from a record to its list. */
export function ToList({
  list,
  children,
}: {
  list: 'automations' | 'campaigns' | 'contacts' | 'imports' | 'messages' | 'proposals' | 'segments' | 'templates'
  children: ReactNode
}) {
  const { workspace } = useWorkspace()
  return (
    <Link to={`/w/$workspaceId/${list}`} params={{ workspaceId: workspace.id }}>
      {children}
    </Link>
  )
}
