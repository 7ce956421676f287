import { ActionIcon, Menu, SegmentedControl, TextInput, VisuallyHidden } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconArrowBackUp, IconArrowForwardUp, IconDots } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { errorMessage, hasErrorCode } from '../../api/client.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { AUTOMATION_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { useListName } from '../../api/queries.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import classes from './Builder.module.css'
import { Canvas, type Selected } from './Canvas.tsx'
import { useIsPhone } from '../../lib/use-is-phone.ts'
import { Outline } from './Outline.tsx'
import { SidePanel } from './SidePanel.tsx'
import {
  loadedDraftOf,
  isSameContent,
  type LoadedAutomation,
  loadWithRetry,
  loadAutomation,
  revisionOf,
} from './load-automation.ts'
import { Inspector } from './Inspector.tsx'
import { statsByStep } from './step-stats.ts'
import { StatsPanel } from './StatsPanel.tsx'
import { type AutomationAction, ConfirmPanel } from './ConfirmPanel.tsx'
import { publishNoticeId, PublishButton } from './PublishButton.tsx'
import { DraftConflictNotice, DeletedNotice, StaleDraftNotice } from './ConflictNotices.tsx'
import { BusyOverlay } from './BusyOverlay.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { SaveStatus } from './SaveStatus.tsx'
import { newStep, draftOf, type Step, type UndoHistory } from './draft.ts'
import { useDraft } from './use-draft.ts'

/** How long it may take to read what others have changed, in milliseconds. */
const READING_MS = 10_000

/** @param given as it was read when the page was opened; what others do to it meanwhile is looked at here */
export function Builder({ given }: { given: LoadedAutomation }) {
  const [opened, setOpened] = useState(given)
  const { automation, draft } = opened
  const { api, workspace } = useWorkspace()
  const isEditor = useHasRole('editor')
  const { view = 'edit', step } = useSearch({ from: '/w/$workspaceId/automations/$automationId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/automations/$automationId' })
  const selected: Selected = step ?? 'trigger'
  const select = useCallback(
    (next: Selected) =>
      void navigate({
        // In full: one may be on the way elsewhere.
        to: '/w/$workspaceId/automations/$automationId',
        params: { workspaceId: workspace.id, automationId: given.automation.id },
        search: (before) => ({ ...before, step: next }),
        replace: true,
      }),
    [navigate, workspace.id, given.automation.id],
  )
  const aside = useRef<HTMLDivElement>(null)
  /** Whether what is edited is red somewhere: nobody leaves it so, because what is typed there would be lost. */
  const isHeld = useCallback(() => aside.current !== null && focusInvalidField(aside.current), [])
  const leaveFor = (next: Selected) => {
    if (!isHeld()) select(next)
  }
  const show = (as: 'edit' | 'numbers') => {
    if (!isHeld()) void navigate({ search: (before) => ({ ...before, view: as }) })
  }
  const drafted = useDraft(automation.id, loadedDraftOf(given))
  const { edited, act } = drafted
  const isNumbers = view === 'numbers'
  // People are where they are in what runs, and not in what is being edited.
  const running = useMemo(() => draftOf(automation), [automation])
  const sequence = isNumbers ? running : edited.now
  // Begun with a version that is not there any more: publishing it would take back what came after.
  const [isStale, setStale] = useState(isBehind(given))
  // What is typed while it is being published, or read anew, would be in neither.
  const [busy, setBusyCount] = useState(0)
  const isBusy = busy > 0
  /** Each that is at it says so, and says so again when it is done. */
  const setBusy = useCallback((is: boolean) => setBusyCount((count) => count + (is ? 1 : -1)), [])
  /** Asked for again, it is asked anew: of what is there now. */
  const [ending, setPending] = useState<{ is: AutomationAction; n: number }>()
  const setEnding = (is: AutomationAction | undefined) => setPending((before) => is && { is, n: (before?.n ?? 0) + 1 })
  const [newId, setNewId] = useState<string>()
  const listName = useListName()
  const starts = TRIGGERS[sequence.trigger].label(sequence.triggerConfig, listName)
  const {
    data: figures,
    error: failure,
    dataUpdatedAt: toldAt,
  } = useWorkspaceQuery(
    ['automations', automation.id, 'figures'],
    async (api, signal) =>
      (await api.GET('/automations/{id}/figures', { params: { path: { id: automation.id } }, signal })).data.data,
    { refetchMs: 5_000 },
  )
  const isGone = hasErrorCode(failure, 'automation_not_found')

  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])

  /** Goes on with what was read. */
  const open = (read: LoadedAutomation, wayBack: UndoHistory = 'none') => {
    if (!isHere.current) return
    notifications.hide(publishNoticeId(automation.id))
    const at = edited.now.steps.findIndex(({ id }) => id === selected)
    setOpened(read)
    setStale(isBehind(read))
    drafted.open(loadedDraftOf(read), wayBack)
    const same = read.sequence.steps[at]
    if (same && same.id !== selected) select(same.id)
  }
  const openAgain = async (wayBack: UndoHistory) => {
    setBusy(true)
    try {
      open(await loadWithRetry(api, automation.id), wayBack)
    } catch (error) {
      notifications.show({ color: 'bad', title: 'Not read', message: `${errorMessage(error)} Load the page again.` })
    } finally {
      setBusy(false)
    }
  }
  const isNewer = (etag: string) => isHere.current && !isBusy && revisionOf(etag) >= revisionOf(opened.etag)
  /** The automation was changed: what is being edited stays, and is told of that. */
  const learnAutomation = ({ automation: now, etag }: Pick<LoadedAutomation, 'automation' | 'etag'>) => {
    if (!isSameContent(now, running)) setStale(true)
    // What somebody has to decide is not decided by what comes after.
    else if (!isStale) drafted.rebase(revisionOf(etag))
    setOpened({ ...opened, automation: now, etag })
    // The draft may have ended with that.
    void drafted.check()
  }
  const learn = (read: LoadedAutomation) => {
    if (!isNewer(read.etag)) return
    // What is edited may be what was published: by this page, which was not answered.
    if (!drafted.hasDraft || (!read.draft && isSameContent(read.automation, edited.now))) return open(read, 'as before')
    learnAutomation(read)
  }
  const onNews = useEffectEvent(learn)
  /** Of what this page has changed itself: mostly no draft was read with it. */
  const applyOwnChange = (read: LoadedAutomation | Pick<LoadedAutomation, 'automation' | 'etag'>) => {
    if ('draft' in read) return learn(read)
    if (!isNewer(read.etag)) return
    if (drafted.hasDraft) return learnAutomation(read)
    open({ ...opened, ...read, draft: undefined, sequence: draftOf(read.automation) }, 'as before')
  }
  /** For what was begun by an earlier look of the page, and is told of now. */
  const latest = useRef(applyOwnChange)
  useEffect(() => {
    latest.current = applyOwnChange
  })
  const isReading = useRef(false)
  const isNews = figures !== undefined && !isBusy && figures.revision > revisionOf(opened.etag)
  useEffect(() => {
    if (!isNews || isReading.current) return
    isReading.current = true
    // Where it fails, it is read again when the figures come the next time.
    void loadAutomation(api, automation.id, AbortSignal.timeout(READING_MS))
      .then(onNews, () => undefined)
      .finally(() => (isReading.current = false))
  }, [isNews, toldAt, api, automation.id])
  const Drawn = useIsPhone() ? Outline : Canvas
  const numbers = useMemo(() => {
    if (!isNumbers || !figures) return undefined
    const by = statsByStep(sequence, figures)
    return { ...figures, of: (id: string) => by.get(id) }
  }, [isNumbers, figures, sequence])

  const { steps } = sequence
  const place = steps.findIndex(({ id }) => id === selected)
  const add = useCallback(
    (type: Step['type'], at: number) => {
      if (isHeld()) return
      const made = newStep(type)
      act({ do: 'change', change: { do: 'add', step: made, at } })
      setNewId(made.id)
      select(made.id)
    },
    [act, select, isHeld],
  )
  const move = useCallback((id: string, to: number) => act({ do: 'change', change: { do: 'move', id, to } }), [act])
  const remove = (id: string) => {
    const at = steps.findIndex((each) => each.id === id)
    act({ do: 'change', change: { do: 'remove', id } })
    select(steps[at + 1]?.id ?? steps[at - 1]?.id ?? 'trigger')
  }
  const copy = (id: string) => {
    if (isHeld()) return
    const as = crypto.randomUUID()
    act({ do: 'change', change: { do: 'copy', id, as } })
    select(as)
  }
  const order: Selected[] = ['trigger', ...steps.map(({ id }) => id), 'end']
  const walk = (by: number) => {
    const at = order.indexOf(selected)
    leaveFor(order[Math.max(0, Math.min(order.length - 1, at + by))]!)
  }
  const canEdit = isEditor && !isNumbers && !isBusy && !isGone
  // In a menu or a dialog the keys are for that.
  const ifHere = (run: () => void) => () => {
    if (!document.activeElement?.closest('[role=menu], [role=dialog], [role=listbox]')) run()
  }
  const ifEditing = (run: () => void) =>
    ifHere(() => {
      if (canEdit) run()
    })
  const behind = selected === 'trigger' ? 0 : selected === 'end' ? steps.length : place + 1
  useHotkeys([
    ['ArrowDown', ifHere(() => walk(1))],
    ['ArrowUp', ifHere(() => walk(-1))],
    ['a', ifEditing(() => add('EMAIL', behind))],
    ['w', ifEditing(() => add('WAIT', behind))],
    ['d', ifEditing(() => place >= 0 && copy(selected))],
    ['Delete', ifEditing(() => place >= 0 && remove(selected))],
    ['Backspace', ifEditing(() => place >= 0 && remove(selected))],
    ['alt+ArrowDown', ifEditing(() => place >= 0 && move(selected, place + 1))],
    ['alt+ArrowUp', ifEditing(() => place >= 0 && move(selected, place - 1))],
    ['p', ifHere(() => isEditor && automation.status === 'ACTIVE' && setEnding('pause'))],
    ['mod+z', ifEditing(() => act({ do: 'undo' }))],
    ['mod+shift+z', ifEditing(() => act({ do: 'redo' }))],
    ['mod+y', ifEditing(() => act({ do: 'redo' }))],
    ['1', ifHere(() => show('edit'))],
    ['2', ifHere(() => show('numbers'))],
  ])

  return (
    <>
      <header className={classes.bar}>
        <VisuallyHidden component="h1">{sequence.name}</VisuallyHidden>
        <Link to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }} className={`t3 ${classes.crumb}`}>
          Automations
        </Link>
        <TextInput
          className={classes.name}
          aria-label="Name"
          variant="unstyled"
          value={sequence.name}
          readOnly={!canEdit}
          onChange={({ currentTarget: { value } }) =>
            act({ do: 'change', change: { do: 'set', fields: { name: value } } })
          }
        />
        <StatusBadge status={AUTOMATION_STATUS[automation.status]} />
        <SaveStatus drafted={drafted} />
        <SegmentedControl
          className={classes.views}
          aria-label="View"
          value={view}
          onChange={show}
          data={[
            { value: 'edit', label: 'Edit' },
            { value: 'numbers', label: 'Numbers' },
          ]}
        />
        {canEdit && (
          <>
            <ActionIcon aria-label="Undo" disabled={edited.before.length === 0} onClick={() => act({ do: 'undo' })}>
              <IconArrowBackUp aria-hidden />
            </ActionIcon>
            <ActionIcon aria-label="Redo" disabled={edited.after.length === 0} onClick={() => act({ do: 'redo' })}>
              <IconArrowForwardUp aria-hidden />
            </ActionIcon>
          </>
        )}
        {isEditor && (
          <>
            <Menu>
              <Menu.Target>
                <ActionIcon aria-label="More">
                  <IconDots aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {automation.status === 'ACTIVE' && <Menu.Item onClick={() => setEnding('pause')}>Pause…</Menu.Item>}
                {automation.status !== 'ARCHIVED' && (
                  <Menu.Item onClick={() => setEnding('archive')}>Archive…</Menu.Item>
                )}
                {drafted.hasDraft && !isBusy && (
                  <Menu.Item onClick={() => setEnding('discard')}>Discard the draft…</Menu.Item>
                )}
                <Menu.Divider />
                <Menu.Item color="bad" onClick={() => setEnding('delete')}>
                  Delete…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <PublishButton
              opened={opened}
              drafted={drafted}
              figures={figures}
              isStale={isStale}
              select={select}
              isHeld={isHeld}
              open={open}
              setBusy={setBusy}
            />
          </>
        )}
      </header>
      {isGone && <DeletedNotice />}
      {drafted.saving.is === 'changed' && !isGone && (
        <DraftConflictNotice
          onTheirs={() => void openAgain('to mine')}
          onMine={() =>
            void drafted.overwrite().catch((error: unknown) => {
              notifications.show({ color: 'bad', title: 'Not saved', message: errorMessage(error) })
            })
          }
        />
      )}
      {isStale && isEditor && (
        <StaleDraftNotice
          savedBy={draft?.savedBy}
          onDiscard={() => setEnding('discard')}
          onKeep={() => {
            setStale(false)
            drafted.rebase(revisionOf(opened.etag))
            drafted.saveAgain()
          }}
        />
      )}
      {ending && (
        <ConfirmPanel
          key={`${ending.is} ${ending.n}`}
          ending={ending.is}
          opened={opened}
          drafted={drafted}
          figures={figures}
          setBusy={setBusy}
          onDone={async (is) => {
            // Whoever has gone elsewhere meanwhile stays there.
            if (!isHere.current) return
            setPending((now) => (now === ending ? undefined : now))
            if (is === 'discarded') {
              // At once: what was discarded is not edited any more, whether it can be read what there is, or not.
              open({ ...opened, draft: undefined, sequence: running })
              return await openAgain('none')
            }
            if (is !== 'deleted') return latest.current(is)
            drafted.giveUp()
            await navigate({ to: '/w/$workspaceId/automations', params: { workspaceId: workspace.id } })
          }}
          onCancel={() => setEnding(undefined)}
        />
      )}
      <LeaveGuard drafted={drafted} />
      {isBusy && <BusyOverlay />}
      <main className={classes.two}>
        <div className={classes.canvas}>
          <Drawn
            sequence={sequence}
            starts={starts}
            selected={selected}
            onSelect={leaveFor}
            onAdd={canEdit ? add : undefined}
            onMove={canEdit ? move : undefined}
            numbers={numbers}
          />
        </div>
        <SidePanel
          isOpen={step !== undefined}
          onClose={() => void (!isHeld() && navigate({ search: { view }, replace: true }))}
        >
          {isNumbers ? (
            <StatsPanel automation={automation} sequence={sequence} figures={figures} selected={selected} />
          ) : (
            <div ref={aside}>
              <Inspector
                sequence={sequence}
                selected={selected}
                act={act}
                canEdit={canEdit}
                newId={newId}
                onAdd={add}
                onCopy={copy}
                onRemove={remove}
                onMove={move}
              />
            </div>
          )}
        </SidePanel>
      </main>
    </>
  )
}

/** Whether the draft was begun with a version that is not there any more. */
const isBehind = ({ draft, etag }: LoadedAutomation): boolean =>
  draft !== undefined && draft.basedOn !== revisionOf(etag)
