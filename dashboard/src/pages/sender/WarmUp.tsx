import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { IntegerInput } from '../../components/IntegerInput.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'
import { warmUpStatus } from './warm-up-status.ts'

type Sender = Schemas['Sender']

const DEFAULTS = { perDay: 50, growthPercent: 50, upTo: 20_000 }
type Numbers = Record<keyof typeof DEFAULTS, number>

const FIELDS = [
  { name: 'perDay', label: 'First-day limit (emails)', max: 10_000_000 },
  { name: 'growthPercent', label: 'Daily increase (%)', max: 400 },
  { name: 'upTo', label: 'Stop at (emails per day)', max: 10_000_000 },
] as const

/** Limits the daily volume of a new sender. */
export function WarmUp({ sender: { warmUp } }: { sender: Sender }) {
  const isOwner = useHasRole('owner')
  const [isOpen, setOpen] = useState(false)
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
        {isOwner && isOpen && <WarmUpForm warmUp={warmUp} onDone={() => setOpen(false)} />}
        {isOwner && !isOpen && (
          <div className="row">
            <Button ref={opener} variant="default" onClick={() => setOpen(true)}>
              {!warmUp ? 'Start warm-up' : warmUp.allowedToday === null ? 'Restart warm-up' : 'Edit schedule'}
            </Button>
            {warmUp && <EndWarmUp />}
          </div>
        )}
      </div>
    </Section>
  )
}

function WarmUpForm({ warmUp, onDone }: { warmUp: Sender['warmUp']; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [numbers, setNumbers] = useState<Numbers>(warmUp ?? DEFAULTS)
  const [before] = useState(numbers)
  const isDirty = FIELDS.some(({ name }) => numbers[name] !== before[name])
  const { perDay, growthPercent, upTo } = numbers
  const body = { perDay, growthPercent, upTo }
  const save = useMutation({
    mutationFn: () => api.PUT('/sender/warm-up', { body }),
    onSuccess: async () => {
      await invalidate('sender')
      onDone()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!focusInvalidField(event.currentTarget)) save.mutate()
  }
  return (
    <form onSubmit={submit} onChange={() => save.isError && save.reset()} aria-label="Warm-up">
      <UnsavedChangesGuard isDirty={isDirty && !save.isSuccess} isSending={save.isPending} />
      {save.isError && <ErrorBanner error={save.error} scrollsIntoView />}
      <fieldset className="plainFields formFields" disabled={save.isPending}>
        {FIELDS.map(({ name, label, max }, n) => (
          <IntegerInput
            key={name}
            autoFocus={n === 0}
            label={label}
            value={numbers[name]}
            min={1}
            max={max}
            onChange={(value) => setNumbers((now) => ({ ...now, [name]: value ?? now[name] }))}
          />
        ))}
      </fieldset>
      <p className="small t2">
        Days start at 00:00 UTC. Above the limit, marketing emails wait for the next day. Transactional emails count but
        never wait.
      </p>
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          {warmUp && warmUp.allowedToday !== null ? 'Save schedule' : 'Start today'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function EndWarmUp() {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [isAsked, setPending] = useState(false)
  if (!isAsked)
    return (
      <Button variant="subtle" color="gray" onClick={() => setPending(true)}>
        End warm-up…
      </Button>
    )
  return (
    <ConfirmAction
      confirmLabel="End warm-up"
      description="The daily limit is removed; waiting emails are sent within the hour."
      action={async () => {
        await api.DELETE('/sender/warm-up')
        await invalidate('sender')
      }}
      onDone={() => setPending(false)}
    />
  )
}
