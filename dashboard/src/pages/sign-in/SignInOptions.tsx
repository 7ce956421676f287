import { Button } from '@mantine/core'
import { IconFingerprint, IconLogin2 } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { accountApi } from '../../api/client.ts'
import { supportsPasskeys, isPasskeyCancelled, signInWithPasskey } from '../../api/passkeys.ts'
import { sessionQuery } from '../../api/session.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'

/** Session storage key of the page to open after single sign-on. */
export const RETURN_TO_KEY = 'dripline.to'

export function PasskeyButton({ onSignedIn }: { onSignedIn: () => void }) {
  const client = useQueryClient()
  const signIn = useMutation({
    mutationFn: signInWithPasskey,
    async onSuccess() {
      await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
      onSignedIn()
    },
  })
  if (!supportsPasskeys()) return null
  return (
    <>
      {signIn.isError && !isPasskeyCancelled(signIn.error) && <ErrorBanner error={signIn.error} scrollsIntoView />}
      <Button
        data-size="lg"
        leftSection={<IconFingerprint aria-hidden />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        Use a passkey
      </Button>
    </>
  )
}

export const useSignInMethods = () =>
  useQuery({
    queryKey: ['ways'],
    queryFn: async ({ signal }) => (await accountApi.GET('/session/methods', { signal })).data.data,
    staleTime: Infinity,
  })

/** Starts single sign-on, if it is set up. @param invitation token to accept @param to page to open afterwards */
export function SingleSignOnButton({ invitation, to = '/' }: { invitation?: string; to?: string }) {
  const { data } = useSignInMethods()
  const leave = useMutation({
    async mutationFn() {
      const body = invitation === undefined ? {} : { invitation }
      const { url } = (await accountApi.POST('/session/oidc/begin', { body })).data.data
      sessionStorage.setItem(RETURN_TO_KEY, to)
      location.assign(url)
    },
  })
  if (!data?.oidc) return null
  return (
    <>
      {leave.isError && <ErrorBanner error={leave.error} scrollsIntoView />}
      <Button
        data-size="lg"
        leftSection={<IconLogin2 aria-hidden />}
        loading={leave.isPending}
        onClick={() => leave.mutate()}
      >
        Continue with {data.oidc.name}
      </Button>
    </>
  )
}
