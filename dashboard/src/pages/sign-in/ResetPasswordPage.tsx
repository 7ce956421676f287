import { PasswordInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { accountApi } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { AuthForm } from '../../layout/AuthForm.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

const EMPTY = { password: '' }

/** Sets a new password with a link from an email. */
export function ResetPasswordPage() {
  // Browsers do not send the part after #, so the token stays out of logs.
  const token = useLocation({ select: ({ hash }) => hash })
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useApiForm({
    initialValues: EMPTY,
    async send({ password }) {
      await accountApi.POST('/password-reset/complete', { body: { token: token || 'none', password } })
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      await navigate({ to: '/', replace: true })
    },
  })
  return (
    <AuthLayout title="Set a new password">
      <AuthForm form={form} label="Reset password" submitLabel="Set password">
        <PasswordInput
          label="New password"
          description="At least 12 characters. It signs out all other browsers and removes your passkeys."
          autoComplete="new-password"
          required
          withAsterisk={false}
          {...form.getInputProps('password')}
          autoFocus
        />
      </AuthForm>
      <p>
        <Link to="/forgot-password" className="link">
          Request another link
        </Link>
      </p>
    </AuthLayout>
  )
}
