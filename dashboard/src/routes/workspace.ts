import { createRoute } from '@tanstack/react-router'
import { rememberWorkspace } from '../api/session.ts'
import { WorkspaceLayout } from '../layout/WorkspaceLayout.tsx'
import { lazyPage } from '../lib/load-with-retry.ts'
import { rootRoute, signedIn } from './root.ts'

/** Pages of a workspace have its ID in the URL, so that links can be shared. */
export const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/w/$workspaceId',
  async beforeLoad({ location, params }) {
    await signedIn(location.href)
    rememberWorkspace(params.workspaceId)
  },
  component: WorkspaceLayout,
})

export const homeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  validateSearch: ({ last }: Record<string, unknown>): { last?: '7d' | '30d' } =>
    last === '7d' || last === '30d' ? { last } : {},
  component: lazyPage(() => import('../pages/home/HomePage.tsx'), 'HomePage'),
})
