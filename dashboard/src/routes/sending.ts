import { createRoute } from '@tanstack/react-router'
import { isOneOf } from '../lib/is-one-of.ts'
import { lazyPage } from '../lib/load-with-retry.ts'
import { type BounceKind, KINDS } from '../pages/bounces/bounce-kinds.ts'
import { workspaceRoute } from './workspace.ts'

const MESSAGE_STATUSES = [
  'QUEUED',
  'SENDING',
  'DEFERRED',
  'SENT',
  'CAPTURED',
  'FAILED',
  'UNCONFIRMED',
  'SUPPRESSED',
  'DISMISSED',
] as const
type MessageStatus = (typeof MESSAGE_STATUSES)[number]

const messages = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/messages',
  validateSearch: ({
    status,
    automationId,
    campaignId,
    to,
  }: Record<string, unknown>): { status?: MessageStatus; automationId?: string; campaignId?: string; to?: string } => ({
    ...(isOneOf(MESSAGE_STATUSES, status) && { status }),
    ...(typeof automationId === 'string' && { automationId }),
    ...(typeof campaignId === 'string' && { campaignId }),
    ...(typeof to === 'string' && { to }),
  }),
  component: lazyPage(() => import('../pages/messages/MessagesPage.tsx'), 'MessagesPage'),
})

const message = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/messages/$messageId',
  component: lazyPage(() => import('../pages/messages/MessagePage.tsx'), 'MessagePage'),
})

const bounces = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/bounces',
  validateSearch: ({
    kind,
    contactId,
    view,
  }: Record<string, unknown>): { kind?: BounceKind; contactId?: string; view?: 'sources' } => ({
    ...(view === 'sources' && { view }),
    ...(isOneOf(KINDS, kind) && { kind }),
    ...(typeof contactId === 'string' && { contactId }),
  }),
  component: lazyPage(() => import('../pages/bounces/BouncesPage.tsx'), 'BouncesPage'),
})

const sender = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/sender',
  component: lazyPage(() => import('../pages/sender/SenderPage.tsx'), 'SenderPage'),
})

/** The periods of the report on transactional emails, in hours, in addition to a day. */
const LONGER_PERIODS = [168, 720]

const transactional = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/transactional',
  validateSearch: ({ hours }: Record<string, unknown>): { hours?: number } =>
    isOneOf(LONGER_PERIODS, hours) ? { hours } : {},
  component: lazyPage(() => import('../pages/transactional/TransactionalPage.tsx'), 'TransactionalPage'),
})

/** Messages, transactional emails, bounces and the sender. */
export const sendingRoutes = [messages, message, transactional, bounces, sender] as const
