import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { count, things } from '../../parts/numbers.ts'
import type { Call } from '../../parts/curl.ts'
import { CurlButton } from '../../parts/CurlButton.tsx'
import { Problem } from '../../parts/Problem.tsx'
import classes from './Builder.module.css'
import type { Opened } from './Builder.tsx'

export type Ending = 'pause' | 'archive' | 'discard' | 'delete'

/** From so many on the name is to be typed. */
const MANY = 100

const callOf = (ending: Ending, id: string): Call => {
  const path = `/automations/${id}`
  if (ending === 'delete') return { method: 'DELETE', path }
  if (ending === 'discard') return { method: 'DELETE', path: `${path}/draft` }
  return { method: 'PATCH', path, body: { status: ending === 'pause' ? 'PAUSED' : 'ARCHIVED' } }
}

/** Before something ends: what it does, to how many, and whether it can be undone. */
export function Endings({
  ending,
  opened: { automation },
  figures,
  onDone,
  onCancel,
}: {
  ending: Ending
  opened: Opened
  figures: Schemas['AutomationFigures'] | undefined
  onDone: (isGone: boolean) => void
  onCancel: () => void
}) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [typed, setTyped] = useState('')
  const panel = useRef<HTMLDivElement>(null)
  // Whoever has asked for it by keyboard is there.
  useEffect(() => {
    const timer = setTimeout(() => panel.current?.focus(), 50)
    return () => clearTimeout(timer)
  }, [])
  const active = figures?.active ?? 0
  const contacts = things(active, 'contact')
  const { title, says, word } = {
    pause: {
      title: `Pause “${automation.name}”?`,
      says: `Nobody enters any more. The clocks of ${contacts} mid-sequence go on, and each is held when an email is due. Resumed, what is due goes out at once.`,
      word: 'Pause automation',
    },
    archive: {
      title: `Archive “${automation.name}”?`,
      says: `Nobody enters any more. ${active === 0 ? 'Nobody is mid-sequence.' : `${contacts} mid-sequence go on to their end.`} It can be made active again.`,
      word: 'Archive automation',
    },
    discard: {
      title: 'Discard the draft?',
      says: 'What was edited since the last version is gone. The automation runs on as it is. This cannot be undone.',
      word: 'Discard draft',
    },
    delete: {
      title: `Delete “${automation.name}”?`,
      says: `${active === 0 ? 'Nobody is mid-sequence.' : `${contacts} mid-sequence receive no further email, from now on.`} ${count(figures?.enrolled ?? 0)} enrollments and all steps are gone; the messages stay in the ledger. This cannot be undone.`,
      word: 'Delete automation',
    },
  }[ending]
  const act = useMutation({
    mutationFn: async () => {
      const params = { path: { id: automation.id } }
      if (ending === 'delete') return api.DELETE('/automations/{id}', { params })
      if (ending === 'discard') return api.DELETE('/automations/{id}/draft', { params })
      return api.PATCH('/automations/{id}', { params, body: { status: ending === 'pause' ? 'PAUSED' : 'ARCHIVED' } })
    },
    async onSuccess() {
      onDone(ending === 'delete')
      await readAgain('automations')
    },
  })
  const mustType = ending === 'delete' && active > MANY
  const isRed = ending === 'delete' || ending === 'discard'
  return (
    <div
      className={`${classes.ending} ${isRed ? 'c-bad' : 'c-warn'}`}
      role="group"
      aria-label={title}
      ref={panel}
      tabIndex={-1}
      onKeyDown={({ key }) => key === 'Escape' && onCancel()}
    >
      <h3>{title}</h3>
      <p className="t2">{says}</p>
      {mustType && (
        <TextInput
          label={`Type “${automation.name}”`}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          error={typed !== '' && typed !== automation.name && 'That is another name'}
        />
      )}
      {act.isError && <Problem error={act.error} />}
      <div className="row">
        <Button
          variant="filled"
          {...(isRed && { color: 'bad' })}
          loading={act.isPending}
          onClick={() => {
            if (!mustType || typed === automation.name) act.mutate()
          }}
        >
          {word}
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Leave it
        </Button>
        <CurlButton call={callOf(ending, automation.id)} />
      </div>
    </div>
  )
}
