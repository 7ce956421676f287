import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { accountApi, DriplineError } from '../../api/client.ts'
import { addPasskey, supportsPasskeys, isPasskeyCancelled } from '../../api/passkeys.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'

export function Passkeys() {
  const client = useQueryClient()
  const [isAdding, setAdding] = useState(false)
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
      <ul>
        {data?.map(({ id, name, lastUsedAt }) => (
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
      {isAdding ? (
        <Add
          onDone={() => {
            setAdding(false)
            void invalidate()
          }}
        />
      ) : (
        supportsPasskeys() && <Button onClick={() => setAdding(true)}>Add passkey</Button>
      )}
    </section>
  )
}

function Add({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const add = useMutation({ mutationFn: () => addPasskey(name, password), onSuccess: onDone })
  const param = add.error instanceof DriplineError ? add.error.param : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form
      onSubmit={submit}
      onChange={() => add.isError && add.reset()}
      style={{ display: 'grid', gap: 12 }}
      aria-label="Add passkey"
    >
      {add.isError && !isPasskeyCancelled(add.error) && param !== '/currentPassword' && (
        <ErrorBanner error={add.error} scrollsIntoView />
      )}
      <TextInput
        label="Name"
        placeholder="Laptop"
        required
        withAsterisk={false}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        autoFocus
      />
      <PasswordInput
        label="Current password"
        description="Required if your account has a password."
        autoComplete="current-password"
        value={password}
        error={param === '/currentPassword' && add.error?.message}
        onChange={({ currentTarget: { value } }) => setPassword(value)}
      />
      <div className="row">
        <Button type="submit" variant="filled" loading={add.isPending}>
          Add passkey
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
