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

const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const
type StatusClass = (typeof STATUS_CLASSES)[number]

interface LogsSearch {
  key?: string
  status?: StatusClass
  requestId?: string
  /** The request in the aside. */
  shown?: string
}

const logs = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/logs',
  validateSearch: ({ key, status, requestId, shown }: Record<string, unknown>): LogsSearch => ({
    ...(typeof key === 'string' && { key }),
    ...(STATUS_CLASSES.includes(status as StatusClass) && { status: status as StatusClass }),
    ...(typeof requestId === 'string' && requestId !== '' && { requestId }),
    ...(typeof shown === 'string' && { shown }),
  }),
  component: lazyPage(() => import('../pages/logs/LogsPage.tsx'), 'LogsPage'),
})

/** API keys, events, webhooks and the log of requests: the connections to other systems. */
export const integrationRoutes = [keys, events, webhooks, logs] as const
