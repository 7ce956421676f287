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

// A new version has other files: who still has the old page loads it anew, once.
addEventListener('vite:preloadError', () => {
  const at = Number(sessionStorage.getItem('loaded-anew') ?? 0)
  if (Date.now() - at < 60_000) return
  sessionStorage.setItem('loaded-anew', String(Date.now()))
  location.reload()
})

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
