import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isTransient, hasErrorCode, type Schemas, DisplayableError } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import type { ApiCall } from '../../lib/curl.ts'
import { CurlButton } from '../../components/CurlButton.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import classes from './Builder.module.css'
import { isConflict } from './draft-saver.ts'
import { NO_DRAFT, type LoadedAutomation, loadDraft, loadWithRetry } from './load-automation.ts'
import type { DraftState } from './use-draft.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'

export type AutomationAction = 'pause' | 'archive' | 'discard' | 'delete'

/** The outcome of an action, with the current automation if it still exists. */
export type ActionOutcome = 'discarded' | 'deleted' | LoadedAutomation | Pick<LoadedAutomation, 'automation' | 'etag'>

/** With more active contacts, the name must be typed to confirm. */
const TYPE_NAME_ABOVE = 100

const apiCallOf = (action: AutomationAction, id: string): ApiCall => {
  const path = `/automations/${id}`
  if (action === 'delete') return { method: 'DELETE', path }
  if (action === 'discard') return { method: 'DELETE', path: `${path}/draft` }
  return { method: 'PATCH', path, body: { status: action === 'pause' ? 'PAUSED' : 'ARCHIVED' } }
}

/** Reloads after a failure whose outcome is unknown, and succeeds if the change was made, by this request or someone else. @throws the error otherwise */
async function unlessAlreadyDone(
  error: unknown,
  reload: () => Promise<LoadedAutomation>,
  isDone: (read: LoadedAutomation) => boolean,
): Promise<LoadedAutomation> {
  if (!isTransient(error) && !isConflict(error)) throw error
  const read = await reload()
  if (!isDone(read)) throw error
  return read
}

/** Asks for confirmation: states the effect, how many contacts it affects, and whether it can be undone. */
export function ConfirmPanel({
  action,
  opened,
  draftState,
  stats,
  setBusy,
  onDone,
  onCancel,
}: {
  action: AutomationAction
  /** The state that the user saw when the panel opened: later changes must not be lost unread. */
  opened: LoadedAutomation
  draftState: DraftState
  stats: Schemas['AutomationStats'] | undefined
  setBusy: (isBusy: boolean) => void
  onDone: (is: ActionOutcome) => Promise<void>
  onCancel: () => void
}) {
  useReturnFocus()
  const { automation, etag } = opened
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [typed, setTyped] = useState('')
  const panel = useRef<HTMLDivElement>(null)
  // Moves the keyboard focus to the panel.
  useEffect(() => {
    const timer = setTimeout(() => {
      // Unless the user is typing.
      if (!document.activeElement?.closest('input, textarea, [contenteditable=true]')) panel.current?.focus()
    }, 50)
    return () => clearTimeout(timer)
  }, [])
  const { description, title, confirmLabel } = textsOf(action, opened, stats)
  const editsAreLost = action === 'discard' || action === 'delete'
  const act = useMutation({
    mutationFn: async () => {
      const path = { id: automation.id }
      const reload = () => loadWithRetry(api, automation.id)
      // A save in flight would create the draft again.
      if (editsAreLost) await draftState.pause()
      if (action === 'discard') {
        const params = { path, header: { 'If-Match': draftState.etag() } }
        try {
          await api.DELETE('/automations/{id}/draft', { params })
        } catch (error) {
          // An earlier request may have discarded it already.
          if (!hasErrorCode(error, 'draft_not_found')) await unlessAlreadyDone(error, reload, ({ draft }) => !draft)
        }
        return 'discarded' as const
      }
      const params = { path, header: { 'If-Match': etag } }
      if (action === 'delete') {
        // Deleting would also delete a draft that this page has not loaded.
        const there = await loadDraft(api, automation.id)
        const read = [draftState.etag(), opened.foreignDraft]
        if (!read.includes(there?.etag ?? NO_DRAFT))
          throw new DisplayableError(
            'Someone else edited this automation. Reload the page to review their draft, then delete again.',
          )
        await api.DELETE('/automations/{id}', { params })
        return 'deleted' as const
      }
      const status = action === 'pause' ? ('PAUSED' as const) : ('ARCHIVED' as const)
      try {
        const { response } = await api.PATCH('/automations/{id}', { params, body: { status } })
        return { automation: { ...automation, status }, etag: response.headers.get('etag') ?? etag }
      } catch (error) {
        return await unlessAlreadyDone(error, reload, (read) => read.automation.status === status)
      }
    },
    // Edits made in the meantime would be lost.
    onMutate: () => editsAreLost && setBusy(true),
    onSettled: () => editsAreLost && setBusy(false),
    async onSuccess(is) {
      void invalidate('automations')
      await onDone(is)
    },
    onError() {
      if (!editsAreLost) return
      draftState.resume()
      // A foreign draft is known to exist.
      if (opened.foreignDraft === undefined) void draftState.check()
    },
  })
  // Unknown until the stats are loaded; assume many.
  const mustType = action === 'delete' && (stats?.active ?? Infinity) > TYPE_NAME_ABOVE
  const isRed = action === 'delete' || action === 'discard'
  return (
    <div
      className={`${classes.confirm} ${isRed ? 'c-bad' : 'c-warn'}`}
      role="group"
      aria-label={title}
      ref={panel}
      tabIndex={-1}
      onKeyDown={({ key }) => key === 'Escape' && !act.isPending && onCancel()}
    >
      <h3>{title}</h3>
      <p className="t2">{description}</p>
      {mustType && (
        <TextInput
          label={`Type “${automation.name}” to confirm`}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          error={typed !== '' && typed !== automation.name && 'The name doesn’t match'}
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
          {confirmLabel}
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel} disabled={act.isPending}>
          {' '}
          Cancel
        </Button>
        <CurlButton call={apiCallOf(action, automation.id)} />
      </div>
    </div>
  )
}

/** Texts of the confirmation. */
function textsOf(
  action: AutomationAction,
  { automation: { name, status }, foreignDraft }: LoadedAutomation,
  stats: Schemas['AutomationStats'] | undefined,
): { title: string; description: string; confirmLabel: string } {
  const active = stats?.active ?? 0
  const paused = stats?.paused ?? 0
  const contacts = stats ? plural(active, 'active contact') : 'Active contacts (not counted yet)'
  const hasNone = stats?.active === 0
  switch (action) {
    case 'pause':
      return {
        title: `Pause “${name}”?`,
        description:
          'New contacts won’t enter. ' +
          (hasNone
            ? ''
            : `${contacts} will keep their timing, but their emails wait until you resume. Emails that are due by then are sent immediately.`),
        confirmLabel: 'Pause automation',
      }
    case 'archive':
      return {
        title: `Archive “${name}”?`,
        description:
          `New contacts won’t enter. ${hasNone ? '' : `${contacts} will finish the automation. `}` +
          `${status !== 'ACTIVE' && paused > 0 ? `${plural(paused, 'waiting email')} will be sent immediately. ` : ''}You can activate it again.`,
        confirmLabel: 'Archive automation',
      }
    case 'discard':
      return {
        title: 'Discard draft?',
        description: 'Unpublished changes will be lost. The live version isn’t affected. This can’t be undone.',
        confirmLabel: 'Discard draft',
      }
    case 'delete':
      return {
        title: `Delete “${name}”?`,
        description:
          `${hasNone ? '' : `${contacts} will receive no further emails. `}` +
          `${stats ? `${plural(stats.enrolled, 'enrollment')} and all steps` : 'All enrollments and steps'} will be deleted; messages stay in the delivery log. ` +
          `${foreignDraft === undefined ? '' : 'A draft saved by another client will be deleted, too. '}This can’t be undone.`,
        confirmLabel: 'Delete automation',
      }
  }
}
