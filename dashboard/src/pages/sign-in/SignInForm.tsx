import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { accountApi } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { PasskeyButton } from './SignInOptions.tsx'

/** Signs in with email and password, or a passkey. @param email of a known user, which cannot be changed */
export function SignInForm({ email: known, onSignedIn }: { email?: string; onSignedIn: () => void }) {
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const signIn = useMutation({
    mutationFn: () => accountApi.POST('/session', { body: { email, password } }),
    async onSuccess() {
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      onSignedIn()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  return (
    <form onSubmit={submit} onChange={() => signIn.isError && signIn.reset()} style={{ display: 'grid', gap: 16 }}>
      {signIn.isError && <ErrorBanner error={signIn.error} scrollsIntoView />}
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={known !== undefined}
        value={email}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        data-autofocus={known === undefined || undefined}
        autoFocus={known === undefined}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={({ currentTarget: { value } }) => setPassword(value)}
        autoFocus={known !== undefined}
      />
      <Button type="submit" variant="filled" data-size="lg" loading={signIn.isPending}>
        Sign in
      </Button>
      <PasskeyButton onSignedIn={onSignedIn} />
    </form>
  )
}
