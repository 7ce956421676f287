import './theme/styles.ts'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { theme, variables } from './theme/theme.ts'
import { guardInput } from './lib/guard-input.ts'
import { focusTitle, keepFocus } from './lib/keep-focus.ts'
import { router } from './router.tsx'

guardInput()
keepFocus()
// Not when the dashboard is opened: the first link is the one that skips the navigation.
router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
  if (fromLocation !== undefined && pathChanged) focusTitle()
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
