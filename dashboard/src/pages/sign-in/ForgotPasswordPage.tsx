import { TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { accountApi } from '../../api/client.ts'
import { AuthForm } from '../../layout/AuthForm.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

const EMPTY = { email: '' }

/** Requests an email with a link that sets a new password. */
export function ForgotPasswordPage() {
  const form = useApiForm({
    initialValues: EMPTY,
    send: (body) => accountApi.POST('/password-reset', { body }),
  })
  return (
    <AuthLayout title="Reset your password">
      {form.request.isSuccess ? (
        <p role="status">
          If <span className="strong">{form.values.email}</span> has an account with a password, a link is on its way.
          It works once, within an hour.
        </p>
      ) : (
        <AuthForm form={form} label="Reset your password" submitLabel="Email me a link">
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
            autoFocus
          />
        </AuthForm>
      )}
      <p>
        <Link to="/sign-in" className="link">
          Back to sign-in
        </Link>
      </p>
    </AuthLayout>
  )
}
