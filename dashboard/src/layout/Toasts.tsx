import { useNotifications } from '@mantine/notifications'
import { Suspense, useState } from 'react'
import { OptionalBoundary } from '../components/OptionalBoundary.tsx'
import { lazyPart } from '../lib/load-with-retry.ts'

const Notifications = lazyPart(async () => (await import('./Notifications.tsx')).Notifications)

/** Shows toasts. Their code is loaded for the first one. */
export function Toasts() {
  const { notifications } = useNotifications()
  const [isNeeded, setNeeded] = useState(false)
  if (notifications.length > 0 && !isNeeded) setNeeded(true)
  return isNeeded ? (
    <OptionalBoundary>
      <Suspense>
        <Notifications position="bottom-right" />
      </Suspense>
    </OptionalBoundary>
  ) : null
}
