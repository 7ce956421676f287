import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { defaultWorkspace, rememberWorkspace, sessionQuery } from './api/session.ts'
import { accountApi, isSignedOut } from './api/client.ts'
import { lazyPage } from './lib/load-with-retry.ts'
import { ErrorPage } from './pages/ErrorPage.tsx'
import { NotFoundPage } from './pages/NotFoundPage.tsx'
import { type BounceKind, KINDS } from './pages/bounces/bounce-kinds.ts'
import { type Reason, REASONS } from './pages/suppressions/reasons.ts'
import { WorkspaceLayout } from './layout/WorkspaceLayout.tsx'

/** Loads the session, or redirects to the sign-in page and back afterwards. */
async function signedIn(href: string) {
  try {
    return await queryClient.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!isSignedOut(error)) throw error
    throw redirect({ to: '/sign-in', search: href === '/' ? {} : { to: href } })
  }
}

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

/** Checks that a path leads to this origin, whatever a browser makes of it (prevents open redirects). */
const isOurs = (to: string): boolean =>
  /^\/(?![/\\\s])/.test(to) && URL.parse(to, location.origin)?.origin === location.origin

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // Only a path of this origin. A parameter that is missing here would be kept without validation.
  validateSearch: ({ to }: Record<string, unknown>): { to?: string | undefined } => ({
    to: typeof to === 'string' && isOurs(to) ? to : undefined,
  }),
  // Redirects a user who is already signed in.
  async beforeLoad({ search: { to } }) {
    // Not from the cache, which may belong to a user who has just signed out.
    const isIn = await accountApi.GET('/session').then(
      () => true,
      () => false,
    )
    if (isIn) throw redirect({ href: to ?? '/', replace: true })
  },
  component: lazyPage(() => import('./pages/sign-in/SignInPage.tsx'), 'SignInPage'),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyPage(() => import('./pages/sign-in/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
})

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyPage(() => import('./pages/sign-in/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
})

const callback = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/callback',
  component: lazyPage(() => import('./pages/sign-in/CallbackPage.tsx'), 'CallbackPage'),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyPage(() => import('./pages/join/JoinPage.tsx'), 'JoinPage'),
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad({ location }) {
    const workspace = defaultWorkspace(await signedIn(location.href))
    if (workspace) throw redirect({ to: '/w/$workspaceId', params: { workspaceId: workspace.id } })
    throw redirect({ to: '/account' })
  },
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  beforeLoad: ({ location }) => signedIn(location.href),
  component: lazyPage(() => import('./pages/account/AccountPage.tsx'), 'AccountPage'),
})

/** Pages of a workspace have its ID in the URL, so that links can be shared. */
export const workspaceRoute = createRoute({
  getParentRoute: () => root,
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
  component: lazyPage(() => import('./pages/home/HomePage.tsx'), 'HomePage'),
})

const STATUSES = ['ACTIVE', 'PAUSED', 'DRAFT', 'ARCHIVED'] as const
type Status = (typeof STATUSES)[number]

const automations = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations',
  validateSearch: ({ status, q }: Record<string, unknown>): { status?: Status; q?: string } => ({
    ...(STATUSES.includes(status as Status) && { status: status as Status }),
    ...(typeof q === 'string' && q !== '' && { q }),
  }),
  component: lazyPage(() => import('./pages/automations/AutomationsPage.tsx'), 'AutomationsPage'),
})

const builder = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations/$automationId',
  validateSearch: ({ view, step }: Record<string, unknown>): { view?: 'edit' | 'numbers'; step?: string } => ({
    ...((view === 'edit' || view === 'numbers') && { view }),
    ...(typeof step === 'string' && { step }),
  }),
  component: lazyPage(() => import('./pages/builder/BuilderPage.tsx'), 'BuilderPage'),
})

const events = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/events',
  validateSearch: ({ name }: Record<string, unknown>): { name?: string } => ({
    ...(typeof name === 'string' && name !== '' && { name }),
  }),
  component: lazyPage(() => import('./pages/events/EventsPage.tsx'), 'EventsPage'),
})

const automationReport = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations/$automationId/report',
  validateSearch: ({ window: days, step }: Record<string, unknown>): { window?: number; step?: string } => ({
    ...(typeof days === 'number' && days >= 1 && days <= 365 && { window: Math.floor(days) }),
    ...(typeof step === 'string' && { step }),
  }),
  component: lazyPage(() => import('./pages/automation-report/AutomationReportPage.tsx'), 'AutomationReportPage'),
})

const keys = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/keys',
  component: lazyPage(() => import('./pages/keys/KeysPage.tsx'), 'KeysPage'),
})

const CONTACT_FILTERS = ['q', 'email', 'listId', 'tag', 'segmentId', 'columns'] as const

const contacts = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/contacts',
  validateSearch: (
    given: Record<string, unknown>,
  ): Partial<Record<(typeof CONTACT_FILTERS)[number], string>> & { page?: number } => ({
    ...Object.fromEntries(
      CONTACT_FILTERS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
    ),
    ...(typeof given['page'] === 'number' && given['page'] > 1 && { page: given['page'] }),
  }),
  component: lazyPage(() => import('./pages/contacts/ContactsPage.tsx'), 'ContactsPage'),
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
    ...(CONTACT_TABS.includes(tab as 'consent') && { tab: tab as 'consent' }),
    ...(typeof why === 'string' && WHY.test(why) && { why: why as `campaign:${string}` }),
  }),
  component: lazyPage(() => import('./pages/contact/ContactPage.tsx'), 'ContactPage'),
})

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
    ...(MESSAGE_STATUSES.includes(status as MessageStatus) && { status: status as MessageStatus }),
    ...(typeof automationId === 'string' && { automationId }),
    ...(typeof campaignId === 'string' && { campaignId }),
    ...(typeof to === 'string' && { to }),
  }),
  component: lazyPage(() => import('./pages/messages/MessagesPage.tsx'), 'MessagesPage'),
})

const message = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/messages/$messageId',
  component: lazyPage(() => import('./pages/messages/MessagePage.tsx'), 'MessagePage'),
})

/** The views of the list of campaigns. */
const CAMPAIGN_VIEWS = ['all', 'drafts', 'scheduled', 'sending', 'sent'] as const

/** State of the list of campaigns. `sort` is a column, with "-" before it if descending. */
interface CampaignsSearch {
  view?: (typeof CAMPAIGN_VIEWS)[number]
  q?: string
  sort?: string
}

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  values.includes(value as Value)

const campaigns = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/campaigns',
  validateSearch: ({ view, q, sort }: Record<string, unknown>): CampaignsSearch => ({
    ...(isOneOf(CAMPAIGN_VIEWS, view) && { view }),
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof sort === 'string' && { sort }),
  }),
  component: lazyPage(() => import('./pages/campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
})

const campaign = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/campaigns/$campaignId',
  component: lazyPage(() => import('./pages/campaign/CampaignPage.tsx'), 'CampaignPage'),
})

const TEMPLATE_VIEWS = ['all', 'emails', 'layouts', 'snippets'] as const

/** State of the list of templates, as for campaigns. */
interface TemplatesSearch {
  view?: (typeof TEMPLATE_VIEWS)[number]
  q?: string
  sort?: string
}

const templates = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/templates',
  validateSearch: ({ view, q, sort }: Record<string, unknown>): TemplatesSearch => ({
    ...(isOneOf(TEMPLATE_VIEWS, view) && { view }),
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof sort === 'string' && { sort }),
  }),
  component: lazyPage(() => import('./pages/templates/TemplatesPage.tsx'), 'TemplatesPage'),
})

const template = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/templates/$templateId',
  component: lazyPage(() => import('./pages/template/TemplatePage.tsx'), 'TemplatePage'),
})

const media = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/media',
  validateSearch: ({
    q,
    page,
    file,
  }: Record<string, unknown>): { q?: string; page?: number; file?: string | undefined } => ({
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof page === 'number' && page > 1 && { page }),
    ...(typeof file === 'string' && { file }),
  }),
  component: lazyPage(() => import('./pages/media/MediaPage.tsx'), 'MediaPage'),
})

const retention = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/retention',
  component: lazyPage(() => import('./pages/workspace/RetentionPage.tsx'), 'RetentionPage'),
})

const sender = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/sender',
  component: lazyPage(() => import('./pages/sender/SenderPage.tsx'), 'SenderPage'),
})

const imports = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/imports',
  component: lazyPage(() => import('./pages/imports/ImportsPage.tsx'), 'ImportsPage'),
})

const importRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/imports/$importId',
  component: lazyPage(() => import('./pages/imports/ImportPage.tsx'), 'ImportPage'),
})

const suppressions = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/suppressions',
  validateSearch: ({ reason }: Record<string, unknown>): { reason?: Reason } =>
    REASONS.includes(reason as Reason) ? { reason: reason as Reason } : {},
  component: lazyPage(() => import('./pages/suppressions/SuppressionsPage.tsx'), 'SuppressionsPage'),
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
    ...(KINDS.includes(kind as BounceKind) && { kind: kind as BounceKind }),
    ...(typeof contactId === 'string' && { contactId }),
  }),
  component: lazyPage(() => import('./pages/bounces/BouncesPage.tsx'), 'BouncesPage'),
})

/** The periods of the report on transactional emails, in hours, in addition to a day. */
const LONGER_PERIODS = [168, 720]

const transactional = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/transactional',
  validateSearch: ({ hours }: Record<string, unknown>): { hours?: number } =>
    LONGER_PERIODS.includes(hours as number) ? { hours: hours as number } : {},
  component: lazyPage(() => import('./pages/transactional/TransactionalPage.tsx'), 'TransactionalPage'),
})

const lists = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/lists',
  component: lazyPage(() => import('./pages/lists/ListsPage.tsx'), 'ListsPage'),
})

const segments = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/segments',
  component: lazyPage(() => import('./pages/segments/SegmentsPage.tsx'), 'SegmentsPage'),
})

const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'GOAL_REACHED', 'EXITED', 'STOPPED', 'CANCELLED'] as const
type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number]

const enrollments = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/enrollments',
  validateSearch: ({
    automationId,
    stepId,
    status,
  }: Record<string, unknown>): { automationId?: string; stepId?: string; status?: EnrollmentStatus } => ({
    ...(typeof automationId === 'string' && { automationId }),
    ...(typeof stepId === 'string' && { stepId }),
    ...(ENROLLMENT_STATUSES.includes(status as EnrollmentStatus) && { status: status as EnrollmentStatus }),
  }),
  component: lazyPage(() => import('./pages/enrollments/EnrollmentsPage.tsx'), 'EnrollmentsPage'),
})

const workspacePage = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/workspace',
  component: lazyPage(() => import('./pages/workspace/WorkspacePage.tsx'), 'WorkspacePage'),
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
  component: lazyPage(() => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
})

const members = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/members',
  component: lazyPage(() => import('./pages/members/MembersPage.tsx'), 'MembersPage'),
})

const ACTORS = ['person', 'key', 'command line'] as const
type Actor = (typeof ACTORS)[number]

const audit = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/audit',
  validateSearch: ({ by }: Record<string, unknown>): { by?: Actor } =>
    ACTORS.includes(by as Actor) ? { by: by as Actor } : {},
  component: lazyPage(() => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    forgotPassword,
    resetPassword,
    callback,
    join,
    start,
    account,
    workspaceRoute.addChildren([
      homeRoute,
      automations,
      builder,
      automationReport,
      events,
      contacts,
      contact,
      campaigns,
      campaign,
      templates,
      media,
      template,
      lists,
      suppressions,
      bounces,
      transactional,
      imports,
      importRoute,
      segments,
      enrollments,
      workspacePage,
      retention,
      sender,
      messages,
      message,
      keys,
      webhooks,
      members,
      audit,
    ]),
  ]),
  defaultErrorComponent: ErrorPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
