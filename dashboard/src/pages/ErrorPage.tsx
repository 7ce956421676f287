import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { errorMessage, isTransient } from '../api/client.ts'
import { AuthLayout } from '../layout/AuthLayout.tsx'

/** How soon it is looked again whether the service is there, in milliseconds. */
const RETRY_MS = 3_000

/** Where a page cannot be shown: the service is away, what the page needs is of another version, or it is at fault itself. */
export function ErrorPage({ error }: { error: unknown }) {
  const router = useRouter()
  const isAway = isTransient(error)
  useEffect(() => {
    if (!isAway) return undefined
    const timer = setInterval(() => void router.invalidate(), RETRY_MS)
    return () => clearInterval(timer)
  }, [isAway, router])
  if (isAway)
    return (
      <AuthLayout title="This page is not there yet">
        <p className="t2" role="status">
          {errorMessage(error)} It is asked again by itself.
        </p>
      </AuthLayout>
    )
  return (
    <AuthLayout title="This page cannot be shown">
      <p className="t2">There may be a new version of Dripline: load the page again. What was saved is there.</p>
      <Button variant="filled" onClick={() => location.reload()}>
        Load it again
      </Button>
    </AuthLayout>
  )
}
