import { createRoute } from '@tanstack/react-router'
import { isOneOf } from '../lib/is-one-of.ts'
import { lazyPage } from '../lib/load-with-retry.ts'
import { textsOf } from '../lib/texts-of.ts'
import { type Reason, REASONS } from '../pages/suppressions/reasons.ts'
import { workspaceRoute } from './workspace.ts'

const CONTACT_FILTERS = ['q', 'email', 'listId', 'tag', 'segmentId'] as const

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const contacts = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/contacts',
  validateSearch: (
    given: Record<string, unknown>,
  ): Partial<Record<(typeof CONTACT_FILTERS)[number], string>> & { page?: number; columns?: string[] } => ({
    ...textsOf(given, ...CONTACT_FILTERS),
    ...(isTexts(given['columns']) && { columns: given['columns'] }),
    ...(typeof given['page'] === 'number' && given['page'] > 1 && { page: given['page'] }),
  }),
  component: lazyPage(() => import('../pages/contacts/ContactsPage.tsx'), 'ContactsPage'),
})

/** The tabs of a contact, in addition to the activity. */
const CONTACT_TABS = ['messages', 'enrollments', 'consent'] as const
const WHY = /^(automation|campaign):[\w-]+$/

const contact = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/contacts/$contactId',
  validateSearch: ({
    tab,
    why,
  }: Record<string, unknown>): {
    tab?: (typeof CONTACT_TABS)[number]
    why?: `automation:${string}` | `campaign:${string}`
  } => ({
    ...(isOneOf(CONTACT_TABS, tab) && { tab }),
    ...(typeof why === 'string' && WHY.test(why) && { why: why as `campaign:${string}` }),
  }),
  component: lazyPage(() => import('../pages/contact/ContactPage.tsx'), 'ContactPage'),
})

const lists = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/lists',
  component: lazyPage(() => import('../pages/lists/ListsPage.tsx'), 'ListsPage'),
})

const segments = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/segments',
  component: lazyPage(() => import('../pages/segments/SegmentsPage.tsx'), 'SegmentsPage'),
})

const segment = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/segments/$segmentId',
  component: lazyPage(() => import('../pages/segment/SegmentPage.tsx'), 'SegmentPage'),
})

const imports = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/imports',
  component: lazyPage(() => import('../pages/imports/ImportsPage.tsx'), 'ImportsPage'),
})

const importRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/imports/$importId',
  component: lazyPage(() => import('../pages/imports/ImportPage.tsx'), 'ImportPage'),
})

const suppressions = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/suppressions',
  validateSearch: ({ reason }: Record<string, unknown>): { reason?: Reason } =>
    isOneOf(REASONS, reason) ? { reason } : {},
  component: lazyPage(() => import('../pages/suppressions/SuppressionsPage.tsx'), 'SuppressionsPage'),
})

/** Contacts, lists, segments, imports and suppressions. */
export const contactRoutes = [contacts, contact, lists, segments, segment, imports, importRoute, suppressions] as const
