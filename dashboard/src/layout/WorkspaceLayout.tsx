import { useDisclosure } from '@mantine/hooks'
import { Outlet, useParams } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useSession } from '../api/session.ts'
import { isSignedOut } from '../api/client.ts'
import { duration } from '../lib/format.ts'
import { useSettings } from '../api/queries.ts'
import { WorkspaceProvider } from '../api/workspace.tsx'
import { AuthLayout } from './AuthLayout.tsx'
import { lazyPart } from '../lib/load-with-retry.ts'
import { ErrorBanner } from '../components/ErrorBanner.tsx'
import { PhoneHealthAlert } from './HealthStatus.tsx'
import { OptionalBoundary } from '../components/OptionalBoundary.tsx'
import { NavigationProgress } from './NavigationProgress.tsx'
import { keepPaletteKeys } from './palette-keys.ts'
import { Rail } from './Rail.tsx'
import classes from './WorkspaceLayout.module.css'
import { TabBar } from './TabBar.tsx'
import { useKeyboardShortcuts } from './use-keyboard-shortcuts.ts'

const Help = lazyPart(async () => (await import('./KeyboardShortcuts.tsx')).KeyboardShortcuts)
const SessionExpiredDialog = lazyPart(async () => (await import('./SessionExpiredDialog.tsx')).SessionExpiredDialog)
const Palette = lazyPart(async () => (await import('./CommandPalette.tsx')).CommandPalette)

function KeyboardShortcutsDialog() {
  const [isOpen, { open, close }] = useDisclosure()
  useKeyboardShortcuts(open)
  return isOpen ? (
    <OptionalBoundary>
      <Suspense>
        <Help opened onClose={close} />
      </Suspense>
    </OptionalBoundary>
  ) : null
}

/** The note of a test workspace, with its clock. */
function TestNote() {
  const { data } = useSettings()
  const ahead = data?.clockAheadMinutes ?? 0
  return (
    <span>
      Test workspace: emails are captured, not delivered.{ahead > 0 && ` The clock is ${duration(ahead)} ahead.`}
    </span>
  )
}

const SessionExpiredNotice = () => (
  <div className={classes.expired} role="alert">
    Your session has ended.{' '}
    <a href="/sign-in" target="_blank" rel="noreferrer" className="link">
      Sign in in a new tab
    </a>
    , then continue here. Your changes are still here.
  </div>
)

/** The frame of every page of a workspace. */
export function WorkspaceLayout() {
  useEffect(keepPaletteKeys, [])
  const { workspaceId } = useParams({ from: '/w/$workspaceId' })
  const session = useSession()
  if (!session.data)
    return session.isError ? (
      <AuthLayout title="Can’t load Dripline">
        <ErrorBanner error={session.error} onRetry={() => void session.refetch()} />
      </AuthLayout>
    ) : null
  const workspace = session.data.workspaces.find(({ id }) => id === workspaceId)
  if (!workspace) {
    return (
      <AuthLayout title="Workspace not found">
        <p className="t2">This workspace doesn’t exist, or you don’t have access. Ask an owner to invite you.</p>
        <p>
          <a className="link" href="/">
            Go to your workspace
          </a>
        </p>
      </AuthLayout>
    )
  }
  return (
    <WorkspaceProvider workspace={workspace} key={workspace.id}>
      <a href="#page" className="skip">
        Skip to content
      </a>
      <NavigationProgress />
      <div className={classes.frame} data-workspace={workspace.mode}>
        {workspace.mode === 'test' && (
          <div className={classes.strip}>
            <TestNote />
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
      {isSignedOut(session.error) && (
        // After an update its code may be gone. Unsaved changes must stay even then.
        <OptionalBoundary fallback={<SessionExpiredNotice />}>
          <Suspense>
            <SessionExpiredDialog email={session.data.account.email} />
          </Suspense>
        </OptionalBoundary>
      )}
    </WorkspaceProvider>
  )
}
