import { PasswordInput, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { accountApi, type Schemas } from '../../api/client.ts'
import { rememberWorkspace, sessionQuery } from '../../api/session.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AuthForm } from '../../layout/AuthForm.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { SingleSignOnButton } from '../sign-in/SignInOptions.tsx'

export function JoinPage() {
  // Browsers do not send the part after #, so the token stays out of logs. Another link may be opened in the same tab. The hash is
  // dropped when the page is left.
  const hash = useLocation({ select: (location) => location.hash })
  const [token, setToken] = useState(hash)
  if (hash !== '' && hash !== token) setToken(hash)
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await accountApi.POST('/invitation', { body: { token: token || 'none' } })).data.data,
    staleTime: Infinity,
  })
  return (
    <AuthLayout title="Welcome to Dripline">
      {invitation.isPending && <SkeletonRows rows={4} height={48} />}
      {invitation.isError && <ErrorBanner error={invitation.error} onRetry={() => void invitation.refetch()} />}
      {invitation.data && <AcceptForm key={token} token={token} invitation={invitation.data} />}
    </AuthLayout>
  )
}

function AcceptForm({ token, invitation }: { token: string; invitation: Schemas['InvitationDetails'] }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useApiForm({
    initialValues: { email: invitation.email ?? '', password: '' },
    async send(fields) {
      await accountApi.POST('/invitation/accept', { body: { token, ...fields } })
      const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      // Open the workspace of the invitation, not the one used last.
      const [to] = invitation.workspaces
      const joined = session.workspaces.find(({ name, mode }) => name === to?.name && mode === to.mode)
      if (joined) rememberWorkspace(joined.id)
      await navigate({ to: '/', replace: true })
    },
  })
  return (
    <>
      <p className="t2">
        You’re joining {invitation.workspaces.map(({ name }) => name).join(' and ')} as {invitation.role}. This link
        works once.
      </p>
      <AuthForm
        form={form}
        label="Join workspace"
        submitLabel="Join workspace"
        more={<SingleSignOnButton invitation={token} />}
      >
        <TextInput
          label="Email"
          description="You’ll sign in with this address."
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={invitation.email !== null}
          {...form.getInputProps('email')}
          autoFocus
        />
        <PasswordInput
          label="Password"
          description="At least 12 characters. If you already have an account, enter its password."
          autoComplete="new-password"
          required
          withAsterisk={false}
          {...form.getInputProps('password')}
        />
      </AuthForm>
    </>
  )
}
