import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isTransient, hasErrorCode, type Schemas, DisplayableError } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { count, plural } from '../../lib/format.ts'
import type { ApiCall } from '../../lib/curl.ts'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import classes from './Builder.module.css'
import { isConflict } from './draft-saver.ts'
import { NO_DRAFT, type LoadedAutomation, loadDraft, loadWithRetry } from './load-automation.ts'
import type { DraftState } from './use-draft.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

export type AutomationAction = 'pause' | 'archive' | 'discard' | 'delete'

/** From so many on the name is to be typed. */
const TYPE_NAME_ABOVE = 100

const apiCallOf = (ending: AutomationAction, id: string): ApiCall => {
  const path = `/automations/${id}`
  if (ending === 'delete') return { method: 'DELETE', path }
  if (ending === 'discard') return { method: 'DELETE', path: `${path}/draft` }
  return { method: 'PATCH', path, body: { status: ending === 'pause' ? 'PAUSED' : 'ARCHIVED' } }
}

/** It may be done, where the answer was lost, or by somebody else: then it is what was wanted. @throws the error, where it is not */
async function unlessAlreadyDone(
  error: unknown,
  look: () => Promise<LoadedAutomation>,
  isDone: (read: LoadedAutomation) => boolean,
): Promise<LoadedAutomation> {
  if (!isTransient(error) && !isConflict(error)) throw error
  const read = await look()
  if (!isDone(read)) throw error
  return read
}

/** Before something ends: what it does, to how many, and whether it can be undone. */
export function ConfirmPanel({
  ending,
  opened: given,
  drafted,
  figures,
  setBusy,
  onDone,
  onCancel,
}: {
  ending: AutomationAction
  opened: LoadedAutomation
  drafted: DraftState
  figures: Schemas['AutomationFigures'] | undefined
  setBusy: (isBusy: boolean) => void
  /** @param is what became of it: the automation as it is now, where it is there */
  onDone: (
    is: 'discarded' | 'deleted' | LoadedAutomation | Pick<LoadedAutomation, 'automation' | 'etag'>,
  ) => Promise<void> | void
  onCancel: () => void
}) {
  useReturnFocus()
  // It is asked about what was read then: what was changed since is not ended unread.
  const [opened] = useState(given)
  const { automation, etag } = opened
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [typed, setTyped] = useState('')
  const panel = useRef<HTMLDivElement>(null)
  // Whoever has asked for it by keyboard is there.
  useEffect(() => {
    const timer = setTimeout(() => {
      // Whoever types by then goes on.
      if (!document.activeElement?.closest('input, textarea, [contenteditable=true]')) panel.current?.focus()
    }, 50)
    return () => clearTimeout(timer)
  }, [])
  const { says, title, word } = textsOf(ending, opened, figures)
  const isHeld = ending === 'discard' || ending === 'delete'
  const act = useMutation({
    mutationFn: async () => {
      const path = { id: automation.id }
      const look = () => loadWithRetry(api, automation.id)
      // What is on its way would be a draft behind it.
      if (isHeld) await drafted.pause()
      if (ending === 'discard') {
        const params = { path, header: { 'If-Match': drafted.etag() } }
        try {
          await api.DELETE('/automations/{id}/draft', { params })
        } catch (error) {
          // It may be gone by a press whose answer was lost.
          if (!hasErrorCode(error, 'draft_not_found')) await unlessAlreadyDone(error, look, ({ draft }) => !draft)
        }
        return 'discarded' as const
      }
      const params = { path, header: { 'If-Match': etag } }
      if (ending === 'delete') {
        // A draft that nobody here has read would be gone with it.
        const there = await loadDraft(api, automation.id)
        const read = [drafted.etag(), opened.foreignDraft]
        if (!read.includes(there?.etag ?? NO_DRAFT))
          throw new DisplayableError('Somebody else has edited a draft of it. Look at that, and say it again.')
        await api.DELETE('/automations/{id}', { params })
        return 'deleted' as const
      }
      const status = ending === 'pause' ? ('PAUSED' as const) : ('ARCHIVED' as const)
      try {
        const { response } = await api.PATCH('/automations/{id}', { params, body: { status } })
        return { automation: { ...automation, status }, etag: response.headers.get('etag') ?? etag }
      } catch (error) {
        return await unlessAlreadyDone(error, look, (read) => read.automation.status === status)
      }
    },
    // What is typed while something goes would be gone with it.
    onMutate: () => isHeld && setBusy(true),
    onSettled: () => isHeld && setBusy(false),
    async onSuccess(is) {
      void invalidate('automations')
      await onDone(is)
    },
    onError() {
      if (!isHeld) return
      drafted.resume()
      // One that nobody here can read is known to be there.
      if (opened.foreignDraft === undefined) void drafted.check()
    },
  })
  // Of how many nobody knows, it may be many.
  const mustType = ending === 'delete' && (figures?.active ?? Infinity) > TYPE_NAME_ABOVE
  const isRed = ending === 'delete' || ending === 'discard'
  return (
    <div
      className={`${classes.ending} ${isRed ? 'c-bad' : 'c-warn'}`}
      role="group"
      aria-label={title}
      ref={panel}
      tabIndex={-1}
      onKeyDown={({ key }) => key === 'Escape' && !act.isPending && onCancel()}
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
      {act.isError && <ErrorBanner error={act.error} scrollsIntoView />}
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
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={act.isPending}>
          Leave it
        </Button>
        <CurlButton call={apiCallOf(ending, automation.id)} />
      </div>
    </div>
  )
}

/** What it does, and to how many: said before. */
function textsOf(
  ending: AutomationAction,
  { automation: { name, status }, foreignDraft }: LoadedAutomation,
  figures: Schemas['AutomationFigures'] | undefined,
): { title: string; says: string; word: string } {
  const active = figures?.active ?? 0
  const held = figures?.held ?? 0
  const they = figures
    ? `${plural(active, 'contact')} mid-sequence`
    : 'However many are mid-sequence (that is not known yet)'
  const go = active === 1 ? 'goes' : 'go'
  const isNobody = figures?.active === 0
  switch (ending) {
    case 'pause':
      return {
        title: `Pause “${name}”?`,
        says: `Nobody enters any more. The clocks of ${isNobody ? 'whoever is mid-sequence' : they} go on, and each is held when an email is due. Resumed, what is due goes out at once.`,
        word: 'Pause automation',
      }
    case 'archive':
      return {
        title: `Archive “${name}”?`,
        says:
          `Nobody enters any more. ${isNobody ? 'Nobody is mid-sequence.' : `${they} ${go} on to their end.`} ` +
          `${status !== 'ACTIVE' && held > 0 ? `The emails of the ${count(held)} held now go out at once. ` : ''}It can be made active again.`,
        word: 'Archive automation',
      }
    case 'discard':
      return {
        title: 'Discard the draft?',
        says: 'What was edited since the last version is gone. The automation runs on as it is. This cannot be undone.',
        word: 'Discard draft',
      }
    case 'delete':
      return {
        title: `Delete “${name}”?`,
        says:
          `${isNobody ? 'Nobody is mid-sequence.' : `${they} ${active === 1 ? 'receives' : 'receive'} no further email, from now on.`} ` +
          `${figures ? `${plural(figures.enrolled, 'enrollment')} and all steps` : 'All enrollments and steps'} are gone; the messages stay in the ledger.${foreignDraft === undefined ? '' : ' A draft that another program keeps of it is gone, too.'} This cannot be undone.`,
        word: 'Delete automation',
      }
  }
}
