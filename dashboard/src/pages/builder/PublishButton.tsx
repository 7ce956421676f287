import { Button, Popover } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DriplineError, errorMessage, isOutcomeUnknown, type Schemas, DisplayableError } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { plural } from '../../lib/format.ts'
import type { Selected } from './Canvas.tsx'
import { isConflict } from './draft-saver.ts'
import { isSameContent, type LoadedAutomation, publishBodyOf, loadWithRetry, revisionOf } from './load-automation.ts'
import { problemOf, draftOf } from './draft.ts'
import type { DraftState } from './use-draft.ts'

/** What is said of a publication whose answer was lost, until that is known. */
export const publishNoticeId = (automationId: string): string => `published ${automationId}`

/** Says that what is edited is so, and that it runs: all of it at once, or nothing. Where it concerns somebody, it asks first. */
export function PublishButton({
  opened,
  drafted,
  figures,
  isStale,
  select,
  isHeld,
  open,
  setBusy,
}: {
  opened: LoadedAutomation
  drafted: DraftState
  figures: Schemas['AutomationFigures'] | undefined
  /** Whether it is begun with a version that is not there any more, and nobody has said that it is meant. */
  isStale: boolean
  select: (selected: Selected) => void
  /** Whether something that is edited is red: it has the focus then. */
  isHeld: () => boolean
  /** Goes on with what was published. */
  open: (read: LoadedAutomation) => void
  setBusy: (isBusy: boolean) => void
}) {
  const { automation, etag } = opened
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  // It is asked about what was read then.
  const [askedOf, setAskedOf] = useState<string>()
  const isAsking = askedOf === etag && !isStale
  const setAsking = (is: boolean) => setAskedOf(is ? etag : undefined)
  const { edited, hasDraft, saveNow } = drafted
  const isActive = automation.status === 'ACTIVE'
  const change = { status: 'ACTIVE' as const, ...(hasDraft && publishBodyOf(edited.now)) }
  const publish = useMutation({
    mutationFn: async (): Promise<LoadedAutomation> => {
      // Nothing is on its way any more that would be a draft behind it.
      const draftRevision = hasDraft ? await saveNow(edited.now).catch(throwNotSaved) : undefined
      try {
        const { data, response } = await api.POST('/automations/{id}/publish', {
          params: { path: { id: automation.id }, header: { 'If-Match': etag } },
          body: { ...change, ...(draftRevision !== undefined && { draftRevision }) },
        })
        // Whoever may edit may read: it is whole.
        const published = data.data as Schemas['Automation']
        const sequence = draftOf(published)
        // One that nobody here can read stays.
        const { foreignDraft } = opened
        return {
          automation: published,
          etag: response.headers.get('etag') ?? '',
          draft: undefined,
          foreignDraft,
          sequence,
        }
      } catch (error) {
        // It may be done, and the answer lost: now, or to the press before.
        if (!isOutcomeUnknown(error) && !isConflict(error)) throw error
        const read = await loadWithRetry(api, automation.id)
        const isDone = revisionOf(read.etag) > revisionOf(etag) && isSameContent(read.automation, edited.now)
        if (isDone && !read.draft && read.automation.status === 'ACTIVE') return read
        if (isConflict(error)) throw error
        // Should it be done still, it shows; and asked for again, it is done once.
        throw new DisplayableError(`${errorMessage(error)} As far as it says now, nothing is done: say it again.`)
      }
    },
    onSuccess(read) {
      open(read)
      notifications.show({
        message: isActive ? 'The new version runs. Who is mid-sequence goes on with theirs.' : 'It is active.',
      })
      void invalidate('automations')
    },
    onError(error) {
      const at = /^\/steps\/(\d+)/.exec((error instanceof DriplineError && error.param) || '')?.[1]
      const step = at === undefined ? undefined : edited.now.steps[Number(at)]
      if (step) select(step.id)
      // Where it is the draft that is another one, it is said whose is meant.
      if (isConflict(error)) void drafted.check()
      if (isOutcomeUnknown(error))
        return void notifications.show({
          id: publishNoticeId(automation.id),
          color: 'bad',
          autoClose: false,
          title: `Nobody knows yet whether it is ${isActive ? 'published' : 'active'}`,
          message: `${errorMessage(error)} As soon as the service answers, this page shows what is so.`,
        })
      notifications.show({
        color: 'bad',
        autoClose: false,
        title: isActive ? 'Not published' : 'Not active',
        message: isConflict(error)
          ? 'Somebody else has changed the automation, or its draft, meanwhile. Look at what it is now, and say it again.'
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
  const says = impactOf(automation, figures)
  const go = () => {
    if (isStale)
      return void notifications.show({
        color: 'bad',
        title: 'Not yet',
        message: 'The automation was changed since this draft was begun. Say above which of the two is meant.',
      })
    if (isHeld())
      return void notifications.show({
        color: 'bad',
        title: 'Not yet',
        message: 'What is red is not what would be sent.',
      })
    const wrong = edited.now.steps.find((step) => problemOf(step) !== undefined)
    if (!wrong) return says === undefined ? publish.mutate() : setAsking(true)
    select(wrong.id)
    notifications.show({
      color: 'bad',
      title: 'Not yet',
      message: `${problemOf(wrong)}: at step ${edited.now.steps.indexOf(wrong) + 1}.`,
    })
  }
  const word = isActive
    ? 'Publish'
    : automation.status === 'PAUSED'
      ? hasDraft
        ? 'Publish and resume'
        : 'Resume'
      : 'Activate'
  return (
    <Popover opened={isAsking} onChange={setAsking} position="bottom-end" width={340} trapFocus shadow="md" radius="md">
      <Popover.Target>
        <Button variant="filled" onClick={go} loading={publish.isPending && !isAsking}>
          {word}
          {says !== undefined && '…'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <p className="t2">{says}</p>
        <div className="row" style={{ marginTop: 12 }}>
          <Button
            variant="filled"
            loading={publish.isPending}
            onClick={() => isAsking && publish.mutate()}
            data-autofocus
          >
            {word} it
          </Button>
          <Button variant="subtle" color="gray" onClick={() => setAsking(false)}>
            Not yet
          </Button>
          <CurlButton call={{ method: 'POST', path: `/automations/${automation.id}/publish`, body: change }} />
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

/** What is not in the draft is not published. */
function throwNotSaved(error: unknown): never {
  if (!isOutcomeUnknown(error)) throw error
  throw new DisplayableError(`${errorMessage(error)} What you typed last is not saved, and so nothing was published.`)
}

/** Whom it concerns, and how. @returns `undefined` where nobody is in the middle of it */
function impactOf(
  { status, version }: LoadedAutomation['automation'],
  figures: Schemas['AutomationFigures'] | undefined,
): string | undefined {
  if (!figures) return 'How many are in the middle of it is not known yet.'
  if (figures.active === 0) return undefined
  const others = `${plural(figures.active, 'contact')} mid-sequence ${figures.active === 1 ? 'goes' : 'go'} on`
  if (status === 'ACTIVE')
    return `${others} with the version they entered, ${version} or before. Whoever enters from now on gets the new one.`
  const { held } = figures
  const due =
    held === 0
      ? 'Nobody’s email is due yet.'
      : `The emails of ${held === 1 ? 'the one' : held} who ${held === 1 ? 'is' : 'are'} held go out at once.`
  return `${others}. ${due}`
}
