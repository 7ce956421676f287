import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useSession } from '../api/session.ts'
import { isSignedOut } from '../api/client.ts'
import { WorkspaceProvider } from '../api/workspace.tsx'
import { AuthLayout } from './AuthLayout.tsx'
import { loadWithRetry } from '../lib/load-with-retry.ts'
import { ErrorBanner } from '../components/ErrorBanner.tsx'
import { PhoneHealthAlert } from './HealthStatus.tsx'
import { OptionalBoundary } from '../components/OptionalBoundary.tsx'
import { Rail } from './Rail.tsx'
import classes from './WorkspaceLayout.module.css'
import { SessionExpiredDialog } from './SessionExpiredDialog.tsx'
import { TabBar } from './TabBar.tsx'
import { useKeyboardShortcuts } from './use-keyboard-shortcuts.ts'

const Help = lazy(async () => ({
  default: (await loadWithRetry(() => import('./KeyboardShortcuts.tsx'))).KeyboardShortcuts,
}))
const Palette = lazy(async () => ({
  default: (await loadWithRetry(() => import('./CommandPalette.tsx'))).CommandPalette,
}))

function KeyboardShortcutsDialog() {
  const [isAsked, setPending] = useState(false)
  const ask = useCallback(() => setPending(true), [])
  useKeyboardShortcuts(ask)
  return isAsked ? (
    <OptionalBoundary>
      <Suspense>
        <Help opened onClose={() => setPending(false)} />
      </Suspense>
    </OptionalBoundary>
  ) : null
}

/** What is around every page of a workspace. */
export function WorkspaceLayout() {
  const { workspaceId } = useParams({ from: '/w/$workspaceId' })
  const session = useSession()
  if (!session.data)
    return session.isError ? (
      <AuthLayout title="Not there">
        <ErrorBanner error={session.error} onRetry={() => void session.refetch()} />
      </AuthLayout>
    ) : null
  const workspace = session.data.workspaces.find(({ id }) => id === workspaceId)
  if (!workspace) {
    return (
      <AuthLayout title="No such workspace">
        <p className="t2">
          There is none at this address, or you are no member of it. Ask one of its owners for a link.
        </p>
        <p>
          <a className="link" href="/">
            Go to your own
          </a>
        </p>
      </AuthLayout>
    )
  }
  return (
    <WorkspaceProvider workspace={workspace} key={workspace.id}>
      <a href="#page" className="skip">
        Skip to the page
      </a>
      <div className={classes.whole} data-workspace={workspace.mode}>
        {workspace.mode === 'test' && (
          <div className={classes.strip}>
            <span>Test workspace. Email is captured, none is delivered.</span>
          </div>
        )}
        <div className={classes.app}>
          <Rail />
          <div className={classes.sheet} id="page" tabIndex={-1}>
            <PhoneHealthAlert />
            <Outlet />
          </div>
        </div>
        <TabBar />
        <KeyboardShortcutsDialog />
        <OptionalBoundary>
          <Suspense>
            <Palette />
          </Suspense>
        </OptionalBoundary>
      </div>
      {isSignedOut(session.error) && <SessionExpiredDialog email={session.data.account.email} />}
    </WorkspaceProvider>
  )
}
