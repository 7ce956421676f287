import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { DriplineError } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import classes from './keys.module.css'
import { type NewApiKey, type Scope, SCOPES } from './keys.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '')

/** Requests per minute. */
const DEFAULT_RATE_LIMIT = 120

export function NewKeyForm({ onCreated, onCancel }: { onCreated: (key: NewApiKey) => void; onCancel: () => void }) {
  useReturnFocus()
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>([])
  const [allow, setAllow] = useState('')
  const [rateLimit, setRateLimit] = useState(DEFAULT_RATE_LIMIT)
  const [expires, setExpires] = useState('')
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const create = useMutation({
    mutationFn: async () => {
      const expiresAt = expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString()
      const body = { name, scopes, allow: linesOf(allow), rateLimit, expiresAt }
      return (await api.POST('/api-keys', { body })).data.data
    },
    onSuccess(key) {
      // Even if the form was closed: the key can be shown only now.
      onCreated(key)
      void invalidate('api-keys')
    },
  })
  const isDirty =
    (name !== '' || scopes.length > 0 || allow !== '' || expires !== '' || rateLimit !== DEFAULT_RATE_LIMIT) &&
    !create.isSuccess
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (name.trim() === '' || scopes.length === 0 || focusInvalidField(event.currentTarget)) return
    create.mutate()
  }
  const param = create.error instanceof DriplineError ? (create.error.param ?? '') : ''
  const at = (field: string) => (param.startsWith(`/${field}`) ? create.error?.message : undefined)
  const isPlaced = ['name', 'scopes', 'allow', 'expiresAt'].some((field) => at(field) !== undefined)
  const nameError = wasSubmitted && name.trim() === '' ? 'Enter a name.' : at('name')
  const scopesError = wasSubmitted && scopes.length === 0 ? 'Select at least one scope.' : at('scopes')
  return (
    <form onSubmit={submit} onChange={() => create.isError && create.reset()} className="card" aria-label="New API key">
      <h2>New API key</h2>
      <UnsavedChangesGuard isDirty={isDirty} isSending={create.isPending} />
      {create.isError && !isPlaced && <ErrorBanner error={create.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={create.isPending}>
        <TextInput
          label="Name"
          description="What this key is for."
          placeholder="Checkout"
          value={name}
          error={nameError}
          data-server-error={nameError !== undefined || undefined}
          onChange={({ currentTarget: { value } }) => setName(value)}
          autoFocus
        />
        <Checkbox.Group
          label="Scopes"
          description="Grant only what the key needs."
          value={scopes}
          error={scopesError}
          onChange={(value) => setScopes(value)}
        >
          <div className={classes.scopes}>
            {SCOPES.map(({ of, detail, scopes: both }) => (
              <fieldset key={of} className={classes.scope}>
                <legend>
                  <span className="strong">{of}</span> <span className="t3 small">{detail}</span>
                </legend>
                <div className="row">
                  {both.map((scope) => (
                    <Checkbox key={scope} value={scope} label={<span className="mono">{scope}</span>} />
                  ))}
                </div>
              </fieldset>
            ))}
          </div>
        </Checkbox.Group>
        <div className={classes.pair}>
          <Textarea
            label="Allowed IPs"
            description="IP addresses or CIDR ranges. Leave empty to allow any."
            placeholder="203.0.113.0/24"
            autosize
            minRows={1}
            value={allow}
            error={at('allow')}
            data-server-error={at('allow') !== undefined || undefined}
            onChange={({ currentTarget: { value } }) => setAllow(value)}
          />
          <IntegerInput
            label="Rate limit (requests per minute)"
            description="In a rolling 60-second window."
            min={1}
            max={1_000_000}
            value={rateLimit}
            onChange={(rate) => setRateLimit((now) => rate ?? now)}
          />
          <TextInput
            label="Expires"
            description="At the end of that day. Leave empty for never."
            type="date"
            value={expires}
            error={at('expiresAt')}
            data-server-error={at('expiresAt') !== undefined || undefined}
            onChange={({ currentTarget: { value } }) => setExpires(value)}
          />
        </div>
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={create.isPending}>
          Create API key
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={create.isPending}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
