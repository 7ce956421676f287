import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { accountApi, DriplineError, type Schemas } from '../../api/client.ts'
import { rememberWorkspace, sessionQuery } from '../../api/session.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'
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
      {invitation.data && <Accept key={token} token={token} invitation={invitation.data} />}
    </AuthLayout>
  )
}

function Accept({ token, invitation }: { token: string; invitation: Schemas['InvitationDetails'] }) {
  const [email, setEmail] = useState(invitation.email ?? '')
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const accept = useMutation({
    mutationFn: () => accountApi.POST('/invitation/accept', { body: { token, email, password } }),
    async onSuccess() {
      const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      // Open the workspace of the invitation, not the one used last.
      const [to] = invitation.workspaces
      const joined = session.workspaces.find(({ name, mode }) => name === to?.name && mode === to.mode)
      if (joined) rememberWorkspace(joined.id)
      await navigate({ to: '/', replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    accept.mutate()
  }
  const param = accept.error instanceof DriplineError ? accept.error.param : undefined
  const message = accept.error?.message
  return (
    <form onSubmit={submit} onChange={() => accept.isError && accept.reset()} style={{ display: 'grid', gap: 16 }}>
      <p className="t2">
        You’re joining {invitation.workspaces.map(({ name }) => name).join(' and ')} as {invitation.role}. This link
        works once.
      </p>
      {accept.isError && param !== '/password' && param !== '/email' && (
        <ErrorBanner error={accept.error} scrollsIntoView />
      )}
      <TextInput
        label="Email"
        description="You’ll sign in with this address."
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={invitation.email !== null}
        value={email}
        error={param === '/email' && message}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        autoFocus
      />
      <PasswordInput
        label="Password"
        description="At least 12 characters. If you already have an account, enter its password."
        autoComplete="new-password"
        required
        withAsterisk={false}
        value={password}
        error={param === '/password' && message}
        onChange={({ currentTarget: { value } }) => setPassword(value)}
      />
      <Button type="submit" variant="filled" data-size="lg" loading={accept.isPending}>
        Join workspace
      </Button>
      <SingleSignOnButton invitation={token} />
    </form>
  )
}
