import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import classes from './keys.module.css'
import { type NewApiKey, type Scope, SCOPES } from './keys.ts'

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '')

/** Requests per minute. */
const DEFAULT_RATE_LIMIT = 120

const EMPTY = { name: '', scopes: [] as Scope[], allow: '', rateLimit: DEFAULT_RATE_LIMIT, expiresAt: '' }

export function NewKeyForm({ onCreated, onCancel }: { onCreated: (key: NewApiKey) => void; onCancel: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: EMPTY,
    validate: ({ name, scopes }) => ({
      name: name.trim() === '' && 'Enter a name.',
      scopes: scopes.length === 0 && 'Select at least one scope.',
    }),
    async send({ allow, expiresAt: day, ...fields }) {
      const expiresAt = day === '' ? null : new Date(`${day}T23:59:59`).toISOString()
      const key = (await api.POST('/api-keys', { body: { ...fields, allow: linesOf(allow), expiresAt } })).data.data
      // Even if the form was closed: the key can be shown only now.
      onCreated(key)
      void invalidate('api-keys')
    },
  })
  return (
    <ApiForm form={form} label="New API key" hasHeading submitLabel="Create API key" onCancel={onCancel}>
      <TextInput
        label="Name"
        description="What this key is for."
        placeholder="Checkout"
        {...form.getInputProps('name')}
        autoFocus
      />
      <Checkbox.Group label="Scopes" description="Grant only what the key needs." {...form.getInputProps('scopes')}>
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
          {...form.getInputProps('allow')}
        />
        <IntegerInput
          label="Rate limit (requests per minute)"
          description="In a rolling 60-second window."
          min={1}
          max={1_000_000}
          {...form.getInputProps('rateLimit')}
          value={form.values.rateLimit}
        />
        <TextInput
          label="Expires"
          description="At the end of that day. Leave empty for never."
          type="date"
          {...form.getInputProps('expiresAt')}
        />
      </div>
    </ApiForm>
  )
}
