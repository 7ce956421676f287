import { createRoute } from '@tanstack/react-router'
import { isOneOf } from '../lib/is-one-of.ts'
import { lazyPage } from '../lib/load-with-retry.ts'
import { textsOf } from '../lib/texts-of.ts'
import { STATUS_CLASSES, type StatusClass } from '../pages/logs/status-classes.ts'
import { workspaceRoute } from './workspace.ts'

const keys = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/keys',
  component: lazyPage(() => import('../pages/keys/KeysPage.tsx'), 'KeysPage'),
})

const events = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/events',
  validateSearch: (given: Record<string, unknown>): { name?: string; q?: string } => textsOf(given, 'name', 'q'),
  component: lazyPage(() => import('../pages/events/EventsPage.tsx'), 'EventsPage'),
})

const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

const webhooks = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/webhooks',
  validateSearch: (given: Record<string, unknown>): { id?: string; status?: DeliveryStatus; delivery?: string } => ({
    ...textsOf(given, 'id', 'delivery'),
    ...(isOneOf(DELIVERY_STATUSES, given['status']) && { status: given['status'] }),
  }),
  component: lazyPage(() => import('../pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})

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
  validateSearch: (given: Record<string, unknown>): LogsSearch => ({
    ...textsOf(given, 'key', 'requestId', 'shown'),
    ...(isOneOf(STATUS_CLASSES, given['status']) && { status: given['status'] }),
  }),
  component: lazyPage(() => import('../pages/logs/LogsPage.tsx'), 'LogsPage'),
})

/** API keys, events, webhooks and the request log: the connections to other systems. */
export const integrationRoutes = [keys, events, webhooks, logs] as const
