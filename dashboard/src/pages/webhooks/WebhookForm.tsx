import { Button, Checkbox, Radio, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { DriplineError } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { EVENT_GROUPS, type EventType, type NewWebhook, type Webhook } from './webhooks.ts'
import classes from './webhooks.module.css'

/** Creates a webhook, or changes one. */
export function WebhookForm({
  webhook,
  onCreated,
  onDone,
}: {
  webhook?: Webhook
  onCreated?: (created: NewWebhook) => void
  onDone: () => void
}) {
  useReturnFocus()
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [isAll, setIsAll] = useState(webhook?.events.includes('*') ?? true)
  const [types, setTypes] = useState<EventType[]>(webhook?.events.filter((type) => type !== '*') ?? [])
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const body = {
    url: url.trim() === '' ? null : url.trim(),
    events: isAll ? (['*'] as EventType[]) : types,
    description: description.trim() === '' ? null : description.trim(),
  }
  const save = useMutation({
    async mutationFn() {
      if (!webhook) return onCreated?.((await api.POST('/webhooks', { body })).data.data)
      await api.PATCH('/webhooks/{id}', { params: { path: { id: webhook.id } }, body })
    },
    onSuccess: () => void invalidate('webhooks'),
  })
  const param = save.error instanceof DriplineError ? (save.error.param ?? '') : ''
  const at = (field: string) => (param.startsWith(`/${field}`) ? save.error?.message : undefined)
  const typesError = wasSubmitted && !isAll && types.length === 0 ? 'Select at least one type.' : at('events')
  const isPlaced = ['url', 'events', 'description'].some((field) => at(field) !== undefined)
  const isDirty = url !== (webhook?.url ?? '') || description !== (webhook?.description ?? '') || types.length > 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (isAll || types.length > 0) save.mutate(undefined, { onSuccess: onDone })
  }
  const label = webhook ? 'Edit webhook' : 'New webhook'
  return (
    <form className="card" onSubmit={submit} onChange={() => save.isError && save.reset()} aria-label={label}>
      <h2>{label}</h2>
      <UnsavedChangesGuard isDirty={!webhook && isDirty && !save.isSuccess} isSending={save.isPending} />
      {save.isError && !isPlaced && <ErrorBanner error={save.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={save.isPending}>
        <TextInput
          label="URL"
          description="Events are sent here by POST. Leave empty to poll them through the API."
          placeholder="https://example.com/hooks/dripline"
          value={url}
          error={at('url')}
          onChange={({ currentTarget: { value } }) => setUrl(value)}
          autoFocus
        />
        <TextInput
          label="Description"
          description="For your team."
          value={description}
          error={at('description')}
          onChange={({ currentTarget: { value } }) => setDescription(value)}
        />
        <Radio.Group
          label="Events"
          value={isAll ? 'all' : 'some'}
          onChange={(value) => setIsAll(value === 'all')}
          error={typesError}
        >
          <div className="row">
            <Radio value="all" label="All events" />
            <Radio value="some" label="Selected types" />
          </div>
        </Radio.Group>
        {!isAll && (
          <Checkbox.Group value={types} onChange={(value) => setTypes(value)} aria-label="Types">
            <div className={classes.groups}>
              {EVENT_GROUPS.map(({ of, types: ofGroup }) => (
                <fieldset key={of} className={classes.group}>
                  <legend className="strong">{of}</legend>
                  {ofGroup.map((type) => (
                    <Checkbox key={type} value={type} label={<span className="mono">{type}</span>} />
                  ))}
                </fieldset>
              ))}
            </div>
          </Checkbox.Group>
        )}
      </fieldset>
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          {webhook ? 'Save webhook' : 'Create webhook'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={save.isPending}>
          Cancel
        </Button>
        <CurlButton
          call={{
            method: webhook ? 'PATCH' : 'POST',
            path: webhook ? `/webhooks/${webhook.id}` : '/webhooks',
            body,
          }}
        />
      </div>
    </form>
  )
}
