import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { accountApi } from '../../api/client.ts'
import { addPasskey, supportsPasskeys, isPasskeyCancelled } from '../../api/passkeys.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'

export function Passkeys() {
  const client = useQueryClient()
  const [isAdding, { open, close }] = useDisclosure()
  const { data, error } = useQuery({
    queryKey: ['passkeys'],
    queryFn: async ({ signal }) => (await accountApi.GET('/account/passkeys', { signal })).data.data,
  })
  const invalidate = () => client.invalidateQueries({ queryKey: ['passkeys'] })
  const remove = useMutation({
    mutationFn: (id: string) => accountApi.DELETE('/account/passkeys/{id}', { params: { path: { id } } }),
    onSettled: invalidate,
  })
  return (
    <section style={{ display: 'grid', gap: 8 }}>
      <h2>Passkeys</h2>
      {error && <ErrorBanner error={error} />}
      {remove.isError && <ErrorBanner error={remove.error} scrollsIntoView />}
      {data?.length === 0 && (
        <p className="t2">
          {supportsPasskeys()
            ? 'Sign in with your fingerprint, face or security key instead of a password.'
            : 'Passkeys need HTTPS and a domain name, or localhost.'}
        </p>
      )}
      {data && data.length > 0 && (
        <ul aria-label="Passkeys">
          {data.map(({ id, name, lastUsedAt }) => (
            <li key={id} className="row" style={{ minHeight: 36 }}>
              <span className="cut">{name}</span>
              <span className="t3 push">
                <Time at={lastUsedAt} />
              </span>
              <Button aria-label={`Remove ${name}`} onClick={() => remove.mutate(id)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isAdding ? (
        <PasskeyForm
          onDone={() => {
            close()
            void invalidate()
          }}
        />
      ) : (
        supportsPasskeys() && <Button onClick={open}>Add passkey</Button>
      )}
    </section>
  )
}

const EMPTY = { name: '', currentPassword: '' }

function PasskeyForm({ onDone }: { onDone: () => void }) {
  const form = useApiForm({
    initialValues: EMPTY,
    send: ({ name, currentPassword }) => addPasskey(name, currentPassword),
    onSent: onDone,
  })
  const otherError = isPasskeyCancelled(form.otherError) ? null : form.otherError
  return (
    <ApiForm
      form={{ ...form, otherError }}
      label="Add passkey"
      submitLabel="Add passkey"
      onCancel={onDone}
      hasUnsavedGuard={false}
      className="formFields"
    >
      <TextInput
        label="Name"
        placeholder="Laptop"
        required
        withAsterisk={false}
        {...form.getInputProps('name')}
        autoFocus
      />
      <PasswordInput
        label="Current password"
        description="Required if your account has a password."
        autoComplete="current-password"
        visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': 'Show current password' }}
        {...form.getInputProps('currentPassword')}
      />
    </ApiForm>
  )
}
