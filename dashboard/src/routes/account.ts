import { createRoute, redirect } from '@tanstack/react-router'
import { accountApi } from '../api/client.ts'
import { defaultWorkspace } from '../api/session.ts'
import { lazyPage } from '../lib/load-with-retry.ts'
import { rootRoute, signedIn } from './root.ts'

/** Checks that a path leads to this origin, whatever a browser makes of it (prevents open redirects). */
const isOurs = (to: string): boolean =>
  /^\/(?![/\\\s])/.test(to) && URL.parse(to, location.origin)?.origin === location.origin

const signIn = createRoute({
  getParentRoute: () => rootRoute,
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
  component: lazyPage(() => import('../pages/sign-in/SignInPage.tsx'), 'SignInPage'),
})

const forgotPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyPage(() => import('../pages/sign-in/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
})

const resetPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyPage(() => import('../pages/sign-in/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
})

const callback = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/callback',
  component: lazyPage(() => import('../pages/sign-in/CallbackPage.tsx'), 'CallbackPage'),
})

const join = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  component: lazyPage(() => import('../pages/join/JoinPage.tsx'), 'JoinPage'),
})

const start = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  async beforeLoad({ location }) {
    const workspace = defaultWorkspace(await signedIn(location.href))
    if (workspace) throw redirect({ to: '/w/$workspaceId', params: { workspaceId: workspace.id } })
    throw redirect({ to: '/account' })
  },
})

const account = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  beforeLoad: ({ location }) => signedIn(location.href),
  component: lazyPage(() => import('../pages/account/AccountPage.tsx'), 'AccountPage'),
})

/** The pages outside of a workspace: signing in, and the account. */
export const accountRoutes = [signIn, forgotPassword, resetPassword, callback, join, start, account] as const
