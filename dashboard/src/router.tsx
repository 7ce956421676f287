import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { queries } from './api/queries.ts'
import { firstWorkspace, rememberWorkspace, sessionQuery } from './api/session.ts'
import { isSignedOut } from './api/client.ts'
import { JoinPage } from './pages/join/JoinPage.tsx'
import { NotFoundPage } from './pages/NotFoundPage.tsx'
import { SignInPage } from './pages/sign-in/SignInPage.tsx'
import { Shell } from './shell/Shell.tsx'

/** Who is signed in; whoever is not signs in first, and comes back to where they wanted to. */
async function signedIn(href: string) {
  try {
    return await queries.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!isSignedOut(error)) throw error
    throw redirect({ to: '/sign-in', search: href === '/' ? {} : { to: href } })
  }
}

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } =>
    // To a page of ours alone.
    typeof to === 'string' && /^\/(?!\/)/.test(to) ? { to } : {},
  component: SignInPage,
})

const callback = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/callback',
  component: lazyRouteComponent(() => import('./pages/sign-in/CallbackPage.tsx'), 'CallbackPage'),
})

const join = createRoute({ getParentRoute: () => root, path: '/join', component: JoinPage })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad({ location }) {
    const workspace = firstWorkspace(await signedIn(location.href))
    if (workspace) throw redirect({ to: '/w/$workspaceId', params: { workspaceId: workspace.id } })
    throw redirect({ to: '/account' })
  },
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  beforeLoad: ({ location }) => signedIn(location.href),
  component: lazyRouteComponent(() => import('./pages/account/AccountPage.tsx'), 'AccountPage'),
})

/** Each page of a workspace has its id in its address, so that it can be shared. */
export const workspaceRoute = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  async beforeLoad({ location, params }) {
    await signedIn(location.href)
    rememberWorkspace(params.workspaceId)
  },
  component: Shell,
})

export const homeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  validateSearch: ({ last }: Record<string, unknown>): { last?: '7d' | '30d' } =>
    last === '7d' || last === '30d' ? { last } : {},
  component: lazyRouteComponent(() => import('./pages/home/HomePage.tsx'), 'HomePage'),
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
  component: lazyRouteComponent(() => import('./pages/automations/AutomationsPage.tsx'), 'AutomationsPage'),
})

const builder = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/automations/$automationId',
  validateSearch: ({ view, step }: Record<string, unknown>): { view?: 'edit' | 'numbers'; step?: string } => ({
    ...((view === 'edit' || view === 'numbers') && { view }),
    ...(typeof step === 'string' && { step }),
  }),
  component: lazyRouteComponent(() => import('./pages/builder/BuilderPage.tsx'), 'BuilderPage'),
})

const keys = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys/KeysPage.tsx'), 'KeysPage'),
})

const CONTACT_FILTERS = ['q', 'email', 'listId', 'tag', 'segmentId'] as const

const contacts = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/contacts',
  validateSearch: (given: Record<string, unknown>): Partial<Record<(typeof CONTACT_FILTERS)[number], string>> =>
    Object.fromEntries(
      CONTACT_FILTERS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
    ),
  component: lazyRouteComponent(() => import('./pages/contacts/ContactsPage.tsx'), 'ContactsPage'),
})

const contact = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/contacts/$contactId',
  component: lazyRouteComponent(() => import('./pages/contact/ContactPage.tsx'), 'ContactPage'),
})

const MESSAGE_STATUSES = ['SENDING', 'DEFERRED', 'SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'DISMISSED'] as const
type MessageStatus = (typeof MESSAGE_STATUSES)[number]

const messages = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/messages',
  validateSearch: ({
    status,
    automationId,
  }: Record<string, unknown>): { status?: MessageStatus; automationId?: string } => ({
    ...(MESSAGE_STATUSES.includes(status as MessageStatus) && { status: status as MessageStatus }),
    ...(typeof automationId === 'string' && { automationId }),
  }),
  component: lazyRouteComponent(() => import('./pages/messages/MessagesPage.tsx'), 'MessagesPage'),
})

const lists = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/lists',
  component: lazyRouteComponent(() => import('./pages/lists/ListsPage.tsx'), 'ListsPage'),
})

const segments = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/segments',
  component: lazyRouteComponent(() => import('./pages/segments/SegmentsPage.tsx'), 'SegmentsPage'),
})

const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'STOPPED', 'CANCELLED'] as const
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
  component: lazyRouteComponent(() => import('./pages/enrollments/EnrollmentsPage.tsx'), 'EnrollmentsPage'),
})

const workspacePage = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/workspace',
  component: lazyRouteComponent(() => import('./pages/workspace/WorkspacePage.tsx'), 'WorkspacePage'),
})

const members = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('./pages/members/MembersPage.tsx'), 'MembersPage'),
})

const audit = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/audit',
  validateSearch: ({ by }: Record<string, unknown>): { by?: 'person' | 'key' } =>
    by === 'person' || by === 'key' ? { by } : {},
  component: lazyRouteComponent(() => import('./pages/audit/AuditPage.tsx'), 'AuditPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    callback,
    join,
    start,
    account,
    workspaceRoute.addChildren([
      homeRoute,
      automations,
      builder,
      contacts,
      contact,
      lists,
      segments,
      enrollments,
      workspacePage,
      messages,
      keys,
      members,
      audit,
    ]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
