import { createRoute } from '@tanstack/react-router'
import { isOneOf } from '../lib/is-one-of.ts'
import { lazyPage } from '../lib/load-with-retry.ts'
import { workspaceRoute } from './workspace.ts'

const workspacePage = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/workspace',
  component: lazyPage(() => import('../pages/workspace/WorkspacePage.tsx'), 'WorkspacePage'),
})

const retention = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/retention',
  component: lazyPage(() => import('../pages/workspace/RetentionPage.tsx'), 'RetentionPage'),
})

const members = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/members',
  component: lazyPage(() => import('../pages/members/MembersPage.tsx'), 'MembersPage'),
})

const ACTORS = ['person', 'key', 'command line'] as const
type Actor = (typeof ACTORS)[number]

const audit = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/audit',
  validateSearch: ({ by }: Record<string, unknown>): { by?: Actor } => (isOneOf(ACTORS, by) ? { by } : {}),
  component: lazyPage(() => import('../pages/audit/AuditPage.tsx'), 'AuditPage'),
})

/** The settings of a workspace, its members, and the audit log. */
export const settingsRoutes = [workspacePage, retention, members, audit] as const
