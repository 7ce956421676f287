import '@fontsource-variable/geist'
import '@fontsource-variable/geist-mono'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme/tokens.css'
import './theme/base.css'
import './theme/mantine.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { theme, variables } from './theme/theme.ts'
import { focusTitle, keepFocus } from './lib/keep-focus.ts'
import { router } from './router.tsx'

// Ignore the second click of a double click on a submit or primary button.
addEventListener(
  'click',
  (event) => {
    const isSecond = event.detail > 1 && event.target instanceof Element
    if (isSecond && event.target.closest('button[type=submit], .mantine-Button-root[data-variant=filled]')) {
      event.preventDefault()
      event.stopPropagation()
    }
  },
  { capture: true },
)

// Enter in a select field picks an option. It must not submit the form.
addEventListener('keydown', (event) => {
  const isChoice = event.target instanceof Element && event.target.matches('form input[aria-haspopup="listbox"]')
  if (event.key === 'Enter' && isChoice) event.preventDefault()
})

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
