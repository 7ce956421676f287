import '../theme/styles.ts'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../api/query-client.ts'
import { WorkspaceProvider } from '../api/workspace.tsx'
import { useKeyboardShortcuts } from '../layout/use-keyboard-shortcuts.ts'
import { guardInput } from '../lib/guard-input.ts'
import { keepFocus } from '../lib/keep-focus.ts'
import { theme, variables } from '../theme/theme.ts'
import { ActionSections } from './actions.tsx'
import { FigureSections } from './figures.tsx'
import { FormSections } from './forms.tsx'
import { TableSections } from './tables.tsx'

/** The primitives of the dashboard in all their states, without an API. It is served for development and tests only. */
function Gallery() {
  useKeyboardShortcuts(ignore)
  return (
    <main style={{ maxWidth: 1_040, margin: '0 auto', padding: 16 }}>
      <h1>Primitives</h1>
      <TableSections />
      <FormSections />
      <ActionSections />
      <FigureSections />
    </main>
  )
}

const ignore = () => undefined
const WORKSPACE = { id: 'gallery', name: 'Gallery', role: 'owner', mode: 'live' } as const

// Forms ask before their page is left, so there is another page.
const root = createRootRoute({ component: Outlet })
const router = createRouter({
  routeTree: root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/', component: Gallery }),
    createRoute({ getParentRoute: () => root, path: '/elsewhere', component: () => <h1>Another page</h1> }),
  ]),
  history: createMemoryHistory(),
})

guardInput()
keepFocus()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <WorkspaceProvider workspace={WORKSPACE}>
          <RouterProvider router={router as never} />
        </WorkspaceProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
