import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { accountApi } from '../../api/client.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'

/** Requests an email with a link that sets a new password. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState('')
  const request = useMutation({ mutationFn: () => accountApi.POST('/password-reset', { body: { email } }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    request.mutate()
  }
  return (
    <AuthLayout title="Reset your password">
      {request.isSuccess ? (
        <p role="status">
          If <span className="strong">{email}</span> has an account with a password, a link is on its way. It works
          once, within an hour.
        </p>
      ) : (
        <form
          onSubmit={submit}
          onChange={() => request.isError && request.reset()}
          style={{ display: 'grid', gap: 16 }}
        >
          {request.isError && <ErrorBanner error={request.error} scrollsIntoView />}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={({ currentTarget: { value } }) => setEmail(value)}
            autoFocus
          />
          <Button type="submit" variant="filled" data-size="lg" loading={request.isPending}>
            Email me a link
          </Button>
        </form>
      )}
      <p>
        <Link to="/sign-in" className="link">
          Back to sign-in
        </Link>
      </p>
    </AuthLayout>
  )
}
