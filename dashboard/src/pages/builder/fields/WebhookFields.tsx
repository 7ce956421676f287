import { ActionIcon, Button, Select, Textarea, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useHasRole, useWorkspace } from '../../../api/workspace.tsx'
import { ErrorBanner } from '../../../components/ErrorBanner.tsx'
import { stableJson } from '../../../lib/stable-json.ts'
import classes from '../Builder.module.css'
import type { WebhookStep } from '../steps.ts'
import { KeyValueFields } from './KeyValueFields.tsx'
import type { FieldsProps } from './StepFields.tsx'

const METHODS: readonly WebhookStep['method'][] = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE']

/** Edits an HTTP request. */
export const WebhookFields = ({ step, edit, isNew }: FieldsProps<WebhookStep>) => (
  <div className={classes.fields}>
    <TextInput
      label="URL"
      autoFocus={isNew}
      placeholder="https://example.com/hooks/trial"
      value={step.url}
      onChange={({ currentTarget: { value } }) => edit({ url: value })}
    />
    <Select
      label="Method"
      allowDeselect={false}
      data={METHODS}
      value={step.method}
      onChange={(method) => method && edit({ method })}
    />
    <BodyField value={step.body} onChange={(body) => edit({ body })} />
    <KeyValueFields label="Headers" noun="header" value={step.headers} onChange={(headers) => edit({ headers })} />
    <TextInput
      label="Save response as"
      description="Later conditions and emails find the JSON response under this name."
      placeholder="account"
      value={step.saveAs ?? ''}
      error={
        step.saveAs !== null && !/^[a-z_][a-z0-9_]{0,49}$/i.test(step.saveAs)
          ? 'Use letters, digits and underscores, and begin with a letter.'
          : undefined
      }
      onChange={({ currentTarget: { value } }) => edit({ saveAs: value === '' ? null : value })}
    />
    <SigningSecret />
  </div>
)

/** Shows the secret with which the server of the webhook verifies requests. All steps of a workspace have the same. */
function SigningSecret() {
  const { api } = useWorkspace()
  const canEdit = useHasRole('editor')
  const { copy, copied } = useClipboard({ timeout: 3_000 })
  const read = useMutation({ mutationFn: async () => (await api.GET('/webhook-secret')).data.data.secret })
  if (!canEdit) return null
  if (read.data === undefined)
    return (
      <div>
        <Button variant="default" loading={read.isPending} onClick={() => read.mutate()}>
          Show signing secret
        </Button>
        {read.isError && <ErrorBanner error={read.error} />}
      </div>
    )
  return (
    <TextInput
      label="Signing secret"
      description="Your server verifies the requests of all webhook steps with it."
      readOnly
      styles={{ input: { fontFamily: 'var(--mono)', fontSize: 12 } }}
      value={read.data}
      rightSection={
        <ActionIcon aria-label={copied ? 'Copied' : 'Copy signing secret'} onClick={() => copy(read.data)}>
          {copied ? <IconCheck aria-hidden /> : <IconCopy aria-hidden />}
        </ActionIcon>
      }
    />
  )
}

const textOf = (value: unknown): string => (value === null ? '' : JSON.stringify(value, null, 2))

function parse(text: string): { value: unknown } | undefined {
  if (text.trim() === '') return { value: null }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** Edits JSON as text. Invalid text stays in the field. */
function BodyField({ value, onChange }: { value: unknown; onChange: (value: unknown) => void }) {
  const [typed, setTyped] = useState(() => textOf(value))
  const parsed = parse(typed)
  // Reset when the value changes from outside, as by an undo.
  const text = !parsed || stableJson([parsed.value]) === stableJson([value]) ? typed : textOf(value)
  return (
    <Textarea
      label="Body (JSON)"
      description="Texts can use the variables of emails, such as {{ contact.email }}. Without a body, none is sent."
      autosize
      minRows={3}
      maxRows={16}
      styles={{ input: { fontFamily: 'var(--mono)', fontSize: 12 } }}
      value={text}
      error={parse(text) ? undefined : 'Enter valid JSON.'}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        const next = parse(currentTarget.value)
        if (next) onChange(next.value)
      }}
    />
  )
}
