import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { Section } from '../../layout/Page.tsx'
import { AskButton } from '../../primitives/AskButton.tsx'
import { ApiForm } from '../../primitives/ApiForm.tsx'
import { useApiForm } from '../../primitives/use-api-form.ts'
import { warmUpStatus } from './warm-up-status.ts'

type Sender = Schemas['Sender']

const DEFAULTS = { perDay: 50, growthPercent: 50, upTo: 20_000 }

const FIELDS = [
  { name: 'perDay', label: 'First-day limit (emails)', max: 10_000_000 },
  { name: 'growthPercent', label: 'Daily increase (%)', max: 400 },
  { name: 'upTo', label: 'Stop at (emails per day)', max: 10_000_000 },
] as const

/** Limits the daily volume of a new sender. */
export function WarmUp({ sender: { warmUp } }: { sender: Sender }) {
  const isOwner = useHasRole('owner')
  const [isOpen, { open, close }] = useDisclosure()
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  // Returns the keyboard focus to the button when the form closes.
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <Section title="Warm-up">
      <div className="card still">
        <p className="t2">
          {warmUp
            ? warmUpStatus(warmUp)
            : 'No daily limit. Increase the volume of a new domain slowly, so that mailbox providers don’t treat it as spam.'}
        </p>
        {isOwner && isOpen && <WarmUpForm warmUp={warmUp} onDone={close} />}
        {isOwner && !isOpen && (
          <div className="row">
            <Button ref={opener} variant="default" onClick={open}>
              {!warmUp ? 'Start warm-up' : warmUp.allowedToday === null ? 'Restart warm-up' : 'Edit schedule'}
            </Button>
            {warmUp && <EndWarmUp />}
          </div>
        )}
      </div>
    </Section>
  )
}

const fieldsOf = ({ perDay, growthPercent, upTo }: typeof DEFAULTS) => ({ perDay, growthPercent, upTo })

function WarmUpForm({ warmUp, onDone }: { warmUp: Sender['warmUp']; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const form = useApiForm({
    initialValues: fieldsOf(warmUp ?? DEFAULTS),
    validate: ({ perDay, upTo }) => ({ upTo: upTo <= perDay && 'Enter more than the first-day limit.' }),
    async send(body) {
      await api.PUT('/sender/warm-up', { body })
      await invalidate('sender')
    },
    onSent: onDone,
  })
  return (
    <ApiForm
      form={form}
      label="Warm-up"
      submitLabel={warmUp && warmUp.allowedToday !== null ? 'Save schedule' : 'Start today'}
      onCancel={onDone}
      className="formFields"
    >
      {FIELDS.map(({ name, ...field }, n) => (
        <IntegerInput
          key={name}
          autoFocus={n === 0}
          min={1}
          {...field}
          {...form.getInputProps(name)}
          value={form.values[name]}
        />
      ))}
      <p className="small t2">
        Days start at 00:00 UTC. Above the limit, marketing emails wait for the next day. Transactional emails count but
        never wait.
      </p>
    </ApiForm>
  )
}

function EndWarmUp() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return (
    <AskButton
      label="End warm-up…"
      confirmLabel="End warm-up"
      description="The daily limit is removed; waiting emails are sent within the hour."
      action={async () => {
        await api.DELETE('/sender/warm-up')
        await invalidate('sender')
      }}
    />
  )
}
