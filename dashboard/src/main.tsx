import './theme/styles.ts'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { theme, variables } from './theme/theme.ts'
import { guardInput } from './lib/guard-input.ts'
import { focusTitle, keepFocus } from './lib/keep-focus.ts'
import { sleep } from './lib/sleep.ts'
import { Toasts } from './layout/Toasts.tsx'
import { router } from './router.tsx'

/** Milliseconds for which the first page may take the place of an empty one. */
const MAX_SPLASH_MS = 5_000

guardInput()
keepFocus()
// Not when the dashboard is opened: the first link is the one that skips the navigation.
router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
  if (fromLocation !== undefined && pathChanged) focusTitle()
})

// Load the page beside the session, for which routes wait. The router reports what fails.
for (const { routeId } of router.matchRoutes(router.latestLocation))
  router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById])?.catch(() => undefined)

// Until then, index.html shows that Dripline is loading. A slow page shows what it has.
await Promise.race([router.load(), sleep(MAX_SPLASH_MS)])
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Toasts />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
