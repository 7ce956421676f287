import { Checkbox, Radio, TextInput } from '@mantine/core'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { EVENT_GROUPS, type EventType, type NewWebhook, type Webhook } from './webhooks.ts'
import classes from './webhooks.module.css'

const fieldsOf = (webhook: Webhook | undefined) => ({
  delivery: webhook?.url === null ? 'poll' : 'send',
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  isAll: (webhook?.events.includes('*') ?? true) ? 'all' : 'some',
  events: (webhook?.events.filter((type) => type !== '*') ?? []) as EventType[],
})

const bodyOf = ({ delivery, url, description, isAll, events }: ReturnType<typeof fieldsOf>) => ({
  url: delivery === 'poll' ? null : url.trim(),
  events: isAll === 'all' ? (['*'] as EventType[]) : events,
  description: description.trim() === '' ? null : description.trim(),
})

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
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: fieldsOf(webhook),
    validate: ({ delivery, url, isAll, events }) => ({
      url: delivery === 'send' && url.trim() === '' && 'Enter a URL.',
      events: isAll === 'some' && events.length === 0 && 'Select at least one type.',
    }),
    async send(values) {
      const body = bodyOf(values)
      if (webhook) await api.PATCH('/webhooks/{id}', { params: { path: { id: webhook.id } }, body })
      // Even if the form was closed: the secret can be shown only now.
      else onCreated?.((await api.POST('/webhooks', { body })).data.data)
      void invalidate('webhooks')
    },
    onSent: onDone,
  })
  return (
    <ApiForm
      form={form}
      label={webhook ? 'Edit webhook' : 'New webhook'}
      hasHeading
      {...(webhook && { closesWith: 'id' })}
      submitLabel={webhook ? 'Save webhook' : 'Create webhook'}
      onCancel={onDone}
      more={
        <CurlButton
          call={{
            method: webhook ? 'PATCH' : 'POST',
            path: webhook ? `/webhooks/${webhook.id}` : '/webhooks',
            body: bodyOf(form.values),
          }}
        />
      }
    >
      <Radio.Group label="Delivery" {...form.getInputProps('delivery')}>
        <div className="row">
          <Radio value="send" label="Sent to your server" />
          <Radio value="poll" label="Polled through the API" />
        </div>
      </Radio.Group>
      {form.values.delivery === 'send' && (
        <TextInput
          label="URL"
          description="Events are sent here by POST."
          placeholder="https://example.com/hooks/dripline"
          {...form.getInputProps('url')}
          autoFocus={!form.isTouched('delivery')}
        />
      )}
      <TextInput label="Description" description="For your team." {...form.getInputProps('description')} />
      <Radio.Group
        label="Events"
        {...form.getInputProps('isAll')}
        error={form.values.isAll === 'some' && form.errors['events']}
      >
        <div className="row">
          <Radio value="all" label="All events" />
          <Radio value="some" label="Selected types" />
        </div>
      </Radio.Group>
      {form.values.isAll === 'some' && (
        <Checkbox.Group aria-label="Types" {...form.getInputProps('events', { withError: false })}>
          <div className={classes.groups}>
            {EVENT_GROUPS.map(({ of, types }) => (
              <fieldset key={of} className={classes.group}>
                <legend className="strong">{of}</legend>
                {types.map((type) => (
                  <Checkbox key={type} value={type} label={<span className="mono">{type}</span>} />
                ))}
              </fieldset>
            ))}
          </div>
        </Checkbox.Group>
      )}
    </ApiForm>
  )
}
