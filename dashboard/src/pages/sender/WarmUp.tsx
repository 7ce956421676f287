import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { WholeNumber } from '../../parts/WholeNumber.tsx'
import { isWrong } from '../../parts/is-wrong.ts'
import { Ending } from '../../parts/Ending.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Part } from '../../shell/Page.tsx'
import { warmUpSays } from './warm-up-says.ts'

type Sender = Schemas['Sender']

/** What many begin with. */
const USUAL = { perDay: 50, growthPercent: 50, upTo: 20_000 }
type Numbers = Record<keyof typeof USUAL, number>

const FIELDS = [
  { name: 'perDay', label: 'Emails on the first day', max: 10_000_000 },
  { name: 'growthPercent', label: 'More each day, by per cent', max: 400 },
  { name: 'upTo', label: 'Over at so many a day', max: 10_000_000 },
] as const

/** How many emails a sender that nobody knows yet may mail a day. */
export function WarmUp({ sender: { warmUp } }: { sender: Sender }) {
  const isOwner = useMay('owner')
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  // Whoever has closed it by a key goes on where they were.
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <Part title="Warm-up">
      <div className="card still">
        <p className="t2">
          {warmUp
            ? warmUpSays(warmUp)
            : 'As many emails are mailed as there are. A new domain or server that begins so is taken for spam.'}
        </p>
        {isOwner && isOpen && <Form warmUp={warmUp} onDone={() => setOpen(false)} />}
        {isOwner && !isOpen && (
          <div className="row">
            <Button ref={opener} variant="default" onClick={() => setOpen(true)}>
              {!warmUp ? 'Warm it up' : warmUp.allowedToday === null ? 'Warm it up again' : 'Change the numbers'}
            </Button>
            {warmUp && <End />}
          </div>
        )}
      </div>
    </Part>
  )
}

function Form({ warmUp, onDone }: { warmUp: Sender['warmUp']; onDone: () => void }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [numbers, setNumbers] = useState<Numbers>(warmUp ?? USUAL)
  const [before] = useState(numbers)
  const isDirty = FIELDS.some(({ name }) => numbers[name] !== before[name])
  const { perDay, growthPercent, upTo } = numbers
  const body = { perDay, growthPercent, upTo }
  const save = useMutation({
    mutationFn: () => api.PUT('/sender/warm-up', { body }),
    onSuccess: async () => {
      await readAgain('sender')
      onDone()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isWrong(event.currentTarget)) save.mutate()
  }
  return (
    <form onSubmit={submit} aria-label="Warm-up">
      <Unsaved isDirty={isDirty && !save.isSuccess} isSending={save.isPending} />
      {save.isError && <Problem error={save.error} isAnswer />}
      <fieldset className="plainFields formFields" disabled={save.isPending}>
        {FIELDS.map(({ name, label, max }, n) => (
          <WholeNumber
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
        Days are those of UTC. Marketing emails and campaigns wait for the next day; transactional ones count, and do
        not wait.
      </p>
      <div className="row">
        <Button type="submit" variant="filled" loading={save.isPending}>
          {warmUp && warmUp.allowedToday !== null ? 'Save' : 'Begin today'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function End() {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [isAsked, setAsked] = useState(false)
  if (!isAsked)
    return (
      <Button variant="subtle" color="gray" onClick={() => setAsked(true)}>
        End it…
      </Button>
    )
  return (
    <Ending
      verb="End the warm-up"
      says="As many emails are mailed as there are; those that wait go out within the hour."
      call={async () => {
        await api.DELETE('/sender/warm-up')
        await readAgain('sender')
      }}
      onDone={() => setAsked(false)}
    />
  )
}
