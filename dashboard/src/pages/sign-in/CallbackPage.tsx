import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { accountApi } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'
import { RETURN_TO_KEY } from './SignInOptions.tsx'

/** Completes single sign-on when the identity provider redirects back. Its response works once. */
export function CallbackPage() {
  const navigate = useNavigate()
  const client = useQueryClient()
  const query = location.search.slice(1)
  const { isSuccess, error } = useQuery({
    queryKey: ['came-back', query],
    async queryFn() {
      await accountApi.POST('/session/oidc', { body: { query: query || 'none' } })
      return client.fetchQuery({ ...sessionQuery, staleTime: 0 })
    },
    staleTime: Infinity,
    retry: false,
  })
  useEffect(() => {
    if (!isSuccess) return
    const to = sessionStorage.getItem(RETURN_TO_KEY) ?? '/'
    sessionStorage.removeItem(RETURN_TO_KEY)
    void navigate({ to: /^\/(?!\/)/.test(to) ? to : '/', replace: true })
  }, [isSuccess, navigate])
  return (
    <AuthLayout title={error ? 'Couldn’t sign you in' : 'Signing in'}>
      {error ? <ErrorBanner error={error} /> : <SkeletonRows rows={3} />}
      {error && (
        <p>
          <Link to="/sign-in" className="link">
            Other sign-in options
          </Link>
        </p>
      )}
    </AuthLayout>
  )
}
