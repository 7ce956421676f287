import { Button, Popover } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DriplineError, errorMessage, isOutcomeUnknown, type Schemas, DisplayableError } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { plural } from '../../lib/format.ts'
import { ActivateDialog } from './ActivateDialog.tsx'
import type { Selected } from './canvas-context.ts'
import { isConflict } from './draft-saver.ts'
import { isSameContent, type LoadedAutomation, publishBodyOf, loadWithRetry, revisionOf } from './load-automation.ts'
import { draftOf } from './draft.ts'
import { findProblem } from './problems.ts'
import { type PublishChoice, PublishDialog } from './PublishDialog.tsx'
import { publishNoticeId } from './publish-notice.ts'
import { stepAtPointer } from './step-tree.ts'
import type { DraftState } from './use-draft.ts'
import type { OpenedAutomation } from './use-opened-automation.ts'

const PROBLEM_ID = 'publish problem'

/** Shows why nothing was published, instead of an earlier reason. */
function showProblem(problem: { title: string; message: string; autoClose?: false }): void {
  notifications.hide(PROBLEM_ID)
  notifications.show({ id: PROBLEM_ID, color: 'bad', ...problem })
}

/** Publishes the draft and activates the automation in one transaction. Asks first if contacts are active in it. */
export function PublishButton({
  current: { opened, isStale, open, setBusy },
  draftState,
  stats,
  onFix,
  focusInvalid,
}: {
  current: OpenedAutomation
  draftState: DraftState
  stats: Schemas['AutomationStats'] | undefined
  /** Leads to a step with a problem, or to the trigger or the end. */
  onFix: (selected: Selected) => void
  /** Focuses an invalid field, if there is one. */
  focusInvalid: () => boolean
}) {
  const { automation, etag } = opened
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  // Confirms the state that the user sees.
  const [askedOf, setAskedOf] = useState<string>()
  const isAsking = askedOf === etag && !isStale
  const setAsking = (is: boolean) => setAskedOf(is ? etag : undefined)
  const { edited, hasDraft, saveNow } = draftState
  const isActive = automation.status === 'ACTIVE'
  const change = { status: 'ACTIVE' as const, ...(hasDraft && publishBodyOf(edited.now)) }
  const publish = useMutation({
    mutationFn: async (choice: PublishChoice | undefined): Promise<LoadedAutomation> => {
      // Waits for saves in flight, which would create the draft again.
      const draftRevision = hasDraft ? await saveNow(edited.now).catch(throwNotSaved) : undefined
      try {
        const { data, response } = await api.POST('/automations/{id}/publish', {
          params: { path: { id: automation.id }, header: { 'If-Match': etag } },
          body: { ...change, ...choice, ...(draftRevision !== undefined && { draftRevision }) },
        })
        // An editor may read, so the response is complete.
        const published = data.data as Schemas['Automation']
        const sequence = draftOf(published)
        // A foreign draft stays.
        const { foreignDraft } = opened
        return {
          automation: published,
          etag: response.headers.get('etag') ?? '',
          draft: undefined,
          foreignDraft,
          sequence,
        }
      } catch (error) {
        // This or an earlier request may have succeeded without a response.
        if (!isOutcomeUnknown(error) && !isConflict(error)) throw error
        const read = await loadWithRetry(api, automation.id)
        const isDone = revisionOf(read.etag) > revisionOf(etag) && isSameContent(read.automation, edited.now)
        if (isDone && !read.draft && read.automation.status === 'ACTIVE') return read
        if (isConflict(error)) throw error
        // A late success shows up on its own, and publishing again is safe.
        throw new DisplayableError(`${errorMessage(error)} Nothing was published. Try again.`)
      }
    },
    onSuccess(read, choice) {
      open(read)
      notifications.hide(PROBLEM_ID)
      notifications.show({
        message: isActive ? publishedMessage(choice, read.automation.version) : 'Automation activated.',
      })
      void invalidate('automations')
    },
    onError(error) {
      const pointer = (error instanceof DriplineError && error.param) || ''
      const step = stepAtPointer(edited.now.steps, pointer)
      if (step) onFix(step.id)
      // Shows the notice that asks which version to keep, if the draft or the published content is another one.
      if (isConflict(error)) {
        void draftState.check()
        void invalidate('automations', automation.id, 'stats')
      }
      if (isOutcomeUnknown(error))
        return void notifications.show({
          id: publishNoticeId(automation.id),
          color: 'bad',
          autoClose: false,
          title: `Couldn’t confirm that it was ${isActive ? 'published' : 'activated'}`,
          message: `${errorMessage(error)} This page will show the result when the server is back.`,
        })
      showProblem({
        autoClose: false,
        title: isActive ? 'Not published' : 'Not activated',
        message: isConflict(error)
          ? 'Someone else changed this automation in the meantime. If this page asks, choose which version to keep. Then publish again.'
          : errorMessage(error),
      })
    },
    onMutate: () => setBusy(true),
    onSettled() {
      setAsking(false)
      setBusy(false)
    },
  })
  if (isActive && !hasDraft) return null
  const impact = impactOf(stats)
  const isFirst = automation.status === 'DRAFT'
  const go = () => {
    if (isStale)
      return showProblem({
        title: isActive ? 'Not published' : 'Not activated',
        message: 'The automation changed since this draft was created. Choose a version above.',
      })
    if (focusInvalid())
      return showProblem({
        title: isActive ? 'Not published' : 'Not activated',
        message: 'Fix the highlighted fields first.',
      })
    // The dialog shows what is missing.
    if (isFirst) return setAsking(true)
    const wrong = findProblem(edited.now)
    if (!wrong) return impact === undefined ? publish.mutate(undefined) : setAsking(true)
    onFix(wrong.at)
    showProblem({ title: isActive ? 'Not published' : 'Not activated', message: `${wrong.name}: ${wrong.problem}.` })
  }
  const label = isActive
    ? 'Publish'
    : automation.status === 'PAUSED'
      ? hasDraft
        ? 'Publish and resume'
        : 'Resume'
      : 'Activate'
  const call = { method: 'POST', path: `/automations/${automation.id}/publish`, body: change } as const
  if (isFirst) {
    return (
      <>
        <Button variant="filled" onClick={go} loading={publish.isPending && !isAsking}>
          {label}…
        </Button>
        {isAsking && (
          <ActivateDialog
            draft={edited.now}
            label={label}
            call={call}
            isPending={publish.isPending}
            onActivate={() => publish.mutate(undefined)}
            onFix={onFix}
            onClose={() => setAsking(false)}
          />
        )}
      </>
    )
  }
  if (hasDraft) {
    return (
      <>
        <Button variant="filled" onClick={go} loading={publish.isPending && !isAsking}>
          {label}
          {impact !== undefined && '…'}
        </Button>
        {isAsking && (
          <PublishDialog
            automation={automation}
            draft={edited.now}
            call={call}
            isPending={publish.isPending}
            onPublish={(choice) => publish.mutate(choice)}
            onClose={() => setAsking(false)}
          />
        )}
      </>
    )
  }
  return (
    <Popover opened={isAsking} onChange={setAsking} position="bottom-end" width={400} trapFocus shadow="md" radius="md">
      <Popover.Target>
        <Button variant="filled" onClick={go} loading={publish.isPending && !isAsking}>
          {label}
          {impact !== undefined && '…'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <p className="t2">{impact}</p>
        <div className="row" style={{ marginTop: 12, flexWrap: 'wrap' }}>
          <Button
            variant="filled"
            loading={publish.isPending}
            onClick={() => isAsking && publish.mutate(undefined)}
            data-autofocus
          >
            {label}
          </Button>
          <Button variant="subtle" color="gray" onClick={() => setAsking(false)}>
            {' '}
            Cancel
          </Button>
          <CurlButton call={call} />
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

function publishedMessage(choice: PublishChoice | undefined, version: number): string {
  if (choice?.inside === 'MOVE') return `Published. Contacts already in it are moving to version ${version}.`
  if (choice?.inside === 'FINISH') return 'Published. The enrollments of contacts already in it are ending.'
  return 'Published. Contacts already in it stay on their version.'
}

/** Only saved edits can be published. */
function throwNotSaved(error: unknown): never {
  if (!isOutcomeUnknown(error)) throw error
  throw new DisplayableError(`${errorMessage(error)} Your last change isn’t saved, so nothing was published.`)
}

/** Describes what resuming means for active contacts. @returns `undefined` if there are none */
function impactOf(stats: Schemas['AutomationStats'] | undefined): string | undefined {
  if (!stats) return 'Counting active contacts…'
  if (stats.active === 0) return undefined
  const { paused } = stats
  const due = paused === 0 ? 'No emails are waiting.' : `${plural(paused, 'waiting email')} will be sent immediately.`
  return `${plural(stats.active, 'active contact')} will continue. ${due}`
}
