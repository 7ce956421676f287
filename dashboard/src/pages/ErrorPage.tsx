import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { errorMessage, isTransient } from '../api/client.ts'
import { AuthLayout } from '../layout/AuthLayout.tsx'

/** Milliseconds between retries while the server is unreachable. */
const RETRY_MS = 3_000

/** Replaces a page that failed: the server is unreachable, was updated, or the page has a bug. */
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
      <AuthLayout title="Couldn’t load this page">
        <p className="t2" role="status">
          {errorMessage(error)} Retrying automatically.
        </p>
      </AuthLayout>
    )
  return (
    <AuthLayout title="Something went wrong">
      <p className="t2">Dripline may have been updated. Reload the page; your saved work is safe.</p>
      <Button variant="filled" onClick={() => location.reload()}>
        Reload page
      </Button>
    </AuthLayout>
  )
}
