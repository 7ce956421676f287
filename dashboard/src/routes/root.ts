import { createRootRoute, Outlet, redirect } from '@tanstack/react-router'
import { isSignedOut } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'
import { NotFoundPage } from '../pages/NotFoundPage.tsx'

export const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

/** Loads the session, or redirects to the sign-in page and back afterwards. */
export async function signedIn(href: string) {
  try {
    return await queryClient.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!isSignedOut(error)) throw error
    throw redirect({ to: '/sign-in', search: href === '/' ? {} : { to: href } })
  }
}
