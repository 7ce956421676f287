import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../lib/load-with-retry.ts'
import { workspaceRoute } from './workspace.ts'

const keys = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/keys',
  component: lazyPage(() => import('../pages/keys/KeysPage.tsx'), 'KeysPage'),
})

const events = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/events',
  validateSearch: ({ name, q }: Record<string, unknown>): { name?: string; q?: string } => ({
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof q === 'string' && q !== '' && { q }),
  }),
  component: lazyPage(() => import('../pages/events/EventsPage.tsx'), 'EventsPage'),
})

const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

const webhooks = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/webhooks',
  validateSearch: ({
    id,
    status,
    delivery,
  }: Record<string, unknown>): { id?: string; status?: DeliveryStatus; delivery?: string } => ({
    ...(typeof id === 'string' && { id }),
    ...(DELIVERY_STATUSES.includes(status as DeliveryStatus) && { status: status as DeliveryStatus }),
    ...(typeof delivery === 'string' && { delivery }),
  }),
  component: lazyPage(() => import('../pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})

/** API keys, events and webhooks: the connections to other systems. */
export const integrationRoutes = [keys, events, webhooks] as const
