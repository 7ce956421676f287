import { PasswordInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { accountApi } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { AuthForm } from '../../layout/AuthForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { PasskeyButton } from './SignInOptions.tsx'

/** Signs in with email and password, or a passkey. @param email of a known user, which cannot be changed */
export function SignInForm({ email: known, onSignedIn }: { email?: string; onSignedIn: () => void }) {
  const client = useQueryClient()
  const form = useApiForm({
    initialValues: { email: known ?? '', password: '' },
    async send(body) {
      await accountApi.POST('/session', { body })
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      // Not `onSent`: the new session closes the dialog that contains this form.
      onSignedIn()
    },
  })
  return (
    <AuthForm form={form} label="Sign in" submitLabel="Sign in" more={<PasskeyButton onSignedIn={onSignedIn} />}>
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={known !== undefined}
        {...form.getInputProps('email')}
        data-autofocus={known === undefined || undefined}
        autoFocus={known === undefined}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        {...form.getInputProps('password')}
        autoFocus={known !== undefined}
      />
    </AuthForm>
  )
}
