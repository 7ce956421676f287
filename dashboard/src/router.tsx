import { createRouter } from '@tanstack/react-router'
import { ErrorPage } from './pages/ErrorPage.tsx'
import { accountRoutes } from './routes/account.ts'
import { automationRoutes } from './routes/automations.ts'
import { campaignRoutes } from './routes/campaigns.ts'
import { contactRoutes } from './routes/contacts.ts'
import { integrationRoutes } from './routes/integrations.ts'
import { rootRoute } from './routes/root.ts'
import { sendingRoutes } from './routes/sending.ts'
import { settingsRoutes } from './routes/settings.ts'
import { homeRoute, workspaceRoute } from './routes/workspace.ts'

const routeTree = rootRoute.addChildren([
  ...accountRoutes,
  workspaceRoute.addChildren([
    homeRoute,
    ...automationRoutes,
    ...contactRoutes,
    ...campaignRoutes,
    ...sendingRoutes,
    ...integrationRoutes,
    ...settingsRoutes,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultErrorComponent: ErrorPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
