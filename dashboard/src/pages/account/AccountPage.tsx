import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { accountApi } from '../../api/client.ts'
import { clearPendingKeys } from '../../api/call-once.ts'
import { useSession } from '../../api/session.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'
import { AuthLayout } from '../../layout/AuthLayout.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { Passkeys } from './Passkeys.tsx'

export function AccountPage() {
  const { data } = useSession()
  return (
    <AuthLayout title="Your account">
      <p className="t2" style={{ marginTop: -12 }}>
        {data?.account.email} ·{' '}
        <Link to="/" className="link">
          Back to dashboard
        </Link>
      </p>
      {data?.workspaces.length === 0 && <p>You don’t belong to a workspace yet. Ask an owner for an invitation.</p>}
      <PasswordForm />
      <Passkeys />
      <Sessions />
    </AuthLayout>
  )
}

const EMPTY = { currentPassword: '', password: '' }

function PasswordForm() {
  const form = useApiForm({
    initialValues: EMPTY,
    send: ({ password }, changes) => accountApi.PUT('/account/password', { body: { ...changes, password } }),
    onSent() {
      form.reset()
    },
  })
  return (
    <ApiForm form={form} label="Change password" hasHeading hasUnsavedGuard={false} className="formFields">
      {form.request.isSuccess && (
        <p role="status" style={{ color: 'var(--ok)' }}>
          Password changed. Other browsers were signed out and your invitation links revoked. Passkeys and API keys
          still work: check that all of them are yours.
        </p>
      )}
      <PasswordInput
        label="Current password"
        description="Leave empty if you don’t have a password yet."
        autoComplete="current-password"
        visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': 'Show current password' }}
        {...form.getInputProps('currentPassword')}
      />
      <PasswordInput
        label="New password"
        description="At least 12 characters."
        autoComplete="new-password"
        visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': 'Show new password' }}
        required
        withAsterisk={false}
        {...form.getInputProps('password')}
      />
      <Button type="submit" loading={form.request.isPending}>
        Update password
      </Button>
    </ApiForm>
  )
}

/** Names browser and operating system from the user agent. */
function browserOf(userAgent: string | null): string {
  const first = (names: readonly [string, RegExp][]) => names.find(([, sign]) => sign.test(userAgent ?? ''))?.[0]
  const browser = first([
    ['Edge', /Edg/],
    ['Firefox', /Firefox/],
    ['Chrome', /Chrom/],
    ['Safari', /Safari/],
  ])
  const system = first([
    ['Android', /Android/],
    ['iPhone or iPad', /iP(hone|ad)/],
    ['Windows', /Windows/],
    ['Mac', /Mac OS/],
    ['Linux', /Linux/],
  ])
  return browser && system ? `${browser} on ${system}` : (userAgent ?? 'Unknown browser')
}

function Sessions() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { data, error } = useQuery({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => (await accountApi.GET('/sessions', { signal })).data.data,
  })
  const end = useMutation({
    mutationFn: (id: string) => accountApi.DELETE('/sessions/{id}', { params: { path: { id } } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const endAll = useMutation({
    mutationFn: () => accountApi.DELETE('/sessions'),
    async onSuccess() {
      await navigate({ to: '/sign-in' })
      client.clear()
      clearPendingKeys()
    },
  })
  return (
    <section style={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 8 }}>
      <h2>Sessions</h2>
      {error && <ErrorBanner error={error} />}
      {end.isError && <ErrorBanner error={end.error} scrollsIntoView />}
      <ul aria-label="Sessions">
        {data?.map(({ id, isCurrent, userAgent, lastUsedAt }) => (
          <li key={id} className="row" style={{ minHeight: 36 }}>
            <span className="cut" title={userAgent ?? undefined}>
              {isCurrent ? 'This browser' : browserOf(userAgent)}
            </span>
            <span className="t3 push">
              <Time at={lastUsedAt} />
            </span>
            {!isCurrent && (
              <Button aria-label={`Sign out ${browserOf(userAgent)}`} onClick={() => end.mutate(id)}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Button onClick={() => endAll.mutate()} loading={endAll.isPending}>
        Sign out everywhere
      </Button>
    </section>
  )
}
