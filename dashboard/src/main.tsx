import '@fontsource-variable/geist'
import '@fontsource-variable/geist-mono'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './looks/tokens.css'
import './looks/base.css'
import './looks/mantine.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api/queries.ts'
import { theme, variables } from './looks/theme.ts'
import { router } from './router.tsx'

// Of a double click on what does something the second click is none.
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

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
