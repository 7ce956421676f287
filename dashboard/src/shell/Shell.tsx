import { Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useSession } from '../api/session.ts'
import { isSignedOut } from '../api/client.ts'
import { WorkspaceProvider } from '../api/workspace.tsx'
import { Alone } from '../pages/Alone.tsx'
import { patiently } from '../parts/load.ts'
import { Problem } from '../parts/Problem.tsx'
import { Illness } from './Health.tsx'
import { Quietly } from '../parts/Quietly.tsx'
import { Rail } from './Rail.tsx'
import classes from './Shell.module.css'
import { SignInAgain } from './SignInAgain.tsx'
import { TabBar } from './TabBar.tsx'
import { useKeys } from './use-keys.ts'

const Help = lazy(async () => ({ default: (await patiently(() => import('./Help.tsx'))).Help }))
const Palette = lazy(async () => ({ default: (await patiently(() => import('./Palette.tsx'))).Palette }))

function Keys() {
  const [isAsked, setAsked] = useState(false)
  const ask = useCallback(() => setAsked(true), [])
  useKeys(ask)
  return isAsked ? (
    <Quietly>
      <Suspense>
        <Help opened onClose={() => setAsked(false)} />
      </Suspense>
    </Quietly>
  ) : null
}

/** What is around every page of a workspace. */
export function Shell() {
  const { workspaceId } = useParams({ from: '/w/$workspaceId' })
  const session = useSession()
  if (!session.data)
    return session.isError ? (
      <Alone title="Not there">
        <Problem error={session.error} again={() => void session.refetch()} />
      </Alone>
    ) : null
  const workspace = session.data.workspaces.find(({ id }) => id === workspaceId)
  if (!workspace) {
    return (
      <Alone title="No such workspace">
        <p className="t2">
          There is none at this address, or you are no member of it. Ask one of its owners for a link.
        </p>
        <p>
          <a className="link" href="/">
            Go to your own
          </a>
        </p>
      </Alone>
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
            <Illness />
            <Outlet />
          </div>
        </div>
        <TabBar />
        <Keys />
        <Quietly>
          <Suspense>
            <Palette />
          </Suspense>
        </Quietly>
      </div>
      {isSignedOut(session.error) && <SignInAgain email={session.data.account.email} />}
    </WorkspaceProvider>
  )
}
