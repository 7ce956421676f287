import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { accountApi, DriplineError } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'

/** Sets a new password with a link from an email. */
export function ResetPasswordPage() {
  // Browsers do not send the part after #, so the token stays out of logs.
  const token = useLocation({ select: ({ hash }) => hash })
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const reset = useMutation({
    mutationFn: () => accountApi.POST('/password-reset/complete', { body: { token: token || 'none', password } }),
    async onSuccess() {
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      await navigate({ to: '/', replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate()
  }
  const isAtField = reset.error instanceof DriplineError && reset.error.param === '/password'
  return (
    <AuthLayout title="Set a new password">
      <form onSubmit={submit} onChange={() => reset.isError && reset.reset()} style={{ display: 'grid', gap: 16 }}>
        {reset.isError && !isAtField && <ErrorBanner error={reset.error} scrollsIntoView />}
        <PasswordInput
          label="New password"
          description="At least 12 characters. It signs out all other browsers and removes your passkeys."
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={password}
          error={isAtField && reset.error?.message}
          onChange={({ currentTarget: { value } }) => setPassword(value)}
          autoFocus
        />
        <Button type="submit" variant="filled" data-size="lg" loading={reset.isPending}>
          Set password
        </Button>
      </form>
      <p>
        <Link to="/forgot-password" className="link">
          Request another link
        </Link>
      </p>
    </AuthLayout>
  )
}
