import { ActionIcon, Menu, TextInput, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowBackUp, IconArrowForwardUp, IconDots } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { errorMessage, hasErrorCode } from '../../api/client.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { AUTOMATION_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { TRIGGERS } from '../automations/triggers.ts'
import classes from './Builder.module.css'
import { lazyPart } from '../../lib/load-with-retry.ts'
import { AddStepMenu, type Adding } from './AddStepMenu.tsx'
import { AutomationViews } from './AutomationViews.tsx'
import { Canvas } from './Canvas.tsx'
import type { Selected } from './canvas-context.ts'
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
import { PausedNotice } from '../../components/PausedNotice.tsx'
import { StatsPanel } from './StatsPanel.tsx'
import { type AutomationAction, ConfirmPanel } from './ConfirmPanel.tsx'
import { publishNoticeId, PublishButton } from './PublishButton.tsx'
import { DraftConflictNotice, DeletedNotice, StaleDraftNotice } from './ConflictNotices.tsx'
import { BusyOverlay } from './BusyOverlay.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { SaveStatus } from './SaveStatus.tsx'
import { draftOf, type UndoHistory } from './draft.ts'
import { designedStep } from './designed-step.ts'
import { focusFirstField } from './focus-first-field.ts'
import { StepActionsMenu } from './StepActionsMenu.tsx'
import { indexTree } from './step-tree.ts'
import { useBuilderKeys } from './use-builder-keys.ts'
import { useEmailNames } from './use-email-names.ts'
import { useStepActions } from './use-step-actions.ts'
import { useDraft } from './use-draft.ts'

const StepDesigner = lazyPart(async () => (await import('./StepDesigner.tsx')).StepDesigner)

/** Milliseconds to wait for a reload of the automation. */
const READING_MS = 10_000

/** Edits an automation and shows its stats. @param given the automation as loaded when the page opened; later changes are handled here */
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
        // An absolute target, because a navigation to another page may be in progress.
        to: '/w/$workspaceId/automations/$automationId',
        params: { workspaceId: workspace.id, automationId: given.automation.id },
        search: (before) => ({ ...before, step: next }),
        replace: true,
      }),
    [navigate, workspace.id, given.automation.id],
  )
  const aside = useRef<HTMLDivElement>(null)
  /** Focuses an invalid field, if there is one. Leaving the step would lose its text. */
  const focusInvalid = useCallback(() => aside.current !== null && focusInvalidField(aside.current), [])
  const selectIfValid = (next: Selected) => {
    if (!focusInvalid()) select(next)
  }
  const show = (as: 'edit' | 'numbers') => {
    if (!focusInvalid()) void navigate({ search: (before) => ({ ...before, view: as }) })
  }
  const draftState = useDraft(automation.id, loadedDraftOf(given))
  const { edited, act } = draftState
  const isNumbers = view === 'numbers'
  // Stats belong to the published steps, not to the draft.
  const running = useMemo(() => draftOf(automation), [automation])
  const sequence = isNumbers ? running : edited.now
  // The draft is based on an older version: publishing it would overwrite newer changes.
  const [isStale, setStale] = useState(isBehind(given))
  // Blocks editing while the draft is published or reloaded: the edits would be lost.
  const [busy, setBusyCount] = useState(0)
  const isBusy = busy > 0
  /** Counts operations in progress. */
  const setBusy = useCallback((is: boolean) => setBusyCount((count) => count + (is ? 1 : -1)), [])
  /** The counter remounts the panel, so that it shows current data. */
  const [ending, setPending] = useState<{ is: AutomationAction; n: number }>()
  const setEnding = (is: AutomationAction | undefined) => setPending((before) => is && { is, n: (before?.n ?? 0) + 1 })
  const tree = useMemo(() => indexTree(sequence.steps), [sequence.steps])
  const { names, emails } = useEmailNames(tree)
  const starts = TRIGGERS[sequence.trigger].label(sequence.triggerConfig, (id) => names.list(id) ?? names.segment(id))
  const {
    data: stats,
    error: failure,
    dataUpdatedAt: statsUpdatedAt,
  } = useWorkspaceQuery(
    ['automations', automation.id, 'stats'],
    async (api, signal) =>
      (await api.GET('/automations/{id}/stats', { params: { path: { id: automation.id } }, signal })).data.data,
    { refetchMs: 5_000 },
  )
  const isDeleted = hasErrorCode(failure, 'automation_not_found')

  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])

  /** Replaces the edited state with what was loaded. */
  const open = (read: LoadedAutomation, history: UndoHistory = 'none') => {
    if (!isMounted.current) return
    notifications.hide(publishNoticeId(automation.id))
    // The IDs of new steps change when they are published.
    const at = indexTree(edited.now.steps).order.indexOf(selected)
    setOpened(read)
    setStale(isBehind(read))
    draftState.open(loadedDraftOf(read), history)
    const same = indexTree(read.sequence.steps).order[at]
    if (same !== undefined && same !== selected) select(same)
  }
  const openAgain = async (history: UndoHistory) => {
    setBusy(true)
    try {
      open(await loadWithRetry(api, automation.id), history)
    } catch (error) {
      notifications.show({
        color: 'bad',
        title: 'Couldn’t reload the automation',
        message: `${errorMessage(error)} Reload the page.`,
      })
    } finally {
      setBusy(false)
    }
  }
  const isNewer = (etag: string) => isMounted.current && !isBusy && revisionOf(etag) >= revisionOf(opened.etag)
  /** Handles a change of the automation while a draft is being edited. The draft stays. */
  const applyAutomationChange = ({ automation: now, etag }: Pick<LoadedAutomation, 'automation' | 'etag'>) => {
    if (!isSameContent(now, running)) setStale(true)
    // A pending decision stays open.
    else if (!isStale) draftState.rebase(revisionOf(etag))
    setOpened({ ...opened, automation: now, etag })
    // The draft may have been published or discarded.
    void draftState.check()
  }
  const applyReload = (read: LoadedAutomation) => {
    if (!isNewer(read.etag)) return
    // The draft may equal what this page published, if the response was lost.
    if (!draftState.hasDraft || (!read.draft && isSameContent(read.automation, edited.now)))
      return open(read, 'as before')
    applyAutomationChange(read)
  }
  const onReload = useEffectEvent(applyReload)
  /** Handles a change made by this page, which usually comes without the draft. */
  const applyOwnChange = (read: LoadedAutomation | Pick<LoadedAutomation, 'automation' | 'etag'>) => {
    if ('draft' in read) return applyReload(read)
    if (!isNewer(read.etag)) return
    if (draftState.hasDraft) return applyAutomationChange(read)
    open({ ...opened, ...read, draft: undefined, sequence: draftOf(read.automation) }, 'as before')
  }
  /** The latest handler, for operations that started in an earlier render. */
  const latest = useRef(applyOwnChange)
  useEffect(() => {
    latest.current = applyOwnChange
  })
  const isReloading = useRef(false)
  const isOutdated = stats !== undefined && !isBusy && stats.revision > revisionOf(opened.etag)
  useEffect(() => {
    if (!isOutdated || isReloading.current) return
    isReloading.current = true
    // If it fails, the next stats refetch tries again.
    void loadAutomation(api, automation.id, AbortSignal.timeout(READING_MS))
      .then(onReload, () => undefined)
      .finally(() => (isReloading.current = false))
  }, [isOutdated, statsUpdatedAt, api, automation.id])
  const View = useIsPhone() ? Outline : Canvas
  const numbers = useMemo(() => {
    if (!isNumbers || !stats) return undefined
    const by = statsByStep(sequence, stats)
    return { ...stats, of: (id: string) => by.get(id) }
  }, [isNumbers, stats, sequence])

  const canEdit = isEditor && !isNumbers && !isBusy && !isDeleted
  const actions = useStepActions({ sequence, tree, selected, act, select, focusInvalid })
  const [adding, setAdding] = useState<Adding>()
  const [menu, setMenu] = useState<{ id: Selected; anchor: DOMRect }>()
  const openAdd = useCallback((place: Adding['place'], anchor: DOMRect) => setAdding({ place, anchor }), [])
  const openActions = useCallback(
    (id: Selected, anchor: DOMRect) => {
      if (focusInvalid()) return
      select(id)
      setMenu({ id, anchor })
    },
    [focusInvalid, select],
  )
  /** The email whose button opened the canvas, while it is open. */
  const [designedFrom, setDesignedFrom] = useState<Selected>()
  const design = useCallback(() => setDesignedFrom(selected), [selected])
  const closeDesigner = () => {
    setDesignedFrom(undefined)
    // The focus returns to the button, unless another email is selected by now.
    if (designedFrom !== selected) requestAnimationFrame(() => focusFirstField(aside.current))
  }
  const canDesign = canEdit && designedStep(tree, selected) !== undefined
  /** Opens an email of blocks on the canvas; otherwise focuses the first field. */
  const editStep = (id: Selected) => {
    if (canEdit && designedStep(tree, id)) setDesignedFrom(id)
    else focusFirstField(aside.current)
  }
  useBuilderKeys({
    tree,
    selected,
    actions,
    act,
    canEdit,
    selectIfValid,
    onAdd: () => openAdd(actions.placeAfter(selected), anchorOf(selected)),
    onActions: () => actions.possible.canCopy && openActions(selected, anchorOf(selected)),
    onEdit: () => editStep(selected),
    onPause: () => isEditor && automation.status === 'ACTIVE' && setEnding('pause'),
    onView: show,
  })

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
        <SaveStatus draftState={draftState} />
        <AutomationViews automationId={automation.id} value={view} mayLeave={() => !focusInvalid()} />
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
                {draftState.hasDraft && !isBusy && (
                  <Menu.Item onClick={() => setEnding('discard')}>Discard draft…</Menu.Item>
                )}
                <Menu.Divider />
                <Menu.Item color="bad" onClick={() => setEnding('delete')}>
                  Delete…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <PublishButton
              opened={opened}
              draftState={draftState}
              stats={stats}
              isStale={isStale}
              onFix={(at) => {
                select(at)
                // Its fields are shown in the next render.
                requestAnimationFrame(() => editStep(at))
              }}
              focusInvalid={focusInvalid}
              open={open}
              setBusy={setBusy}
            />
          </>
        )}
      </header>
      {isDeleted && <DeletedNotice />}
      {draftState.saving.is === 'changed' && !isDeleted && (
        <DraftConflictNotice
          onTheirs={() => void openAgain('to mine')}
          onMine={() =>
            void draftState.overwrite().catch((error: unknown) => {
              notifications.show({ color: 'bad', title: 'Couldn’t save the draft', message: errorMessage(error) })
            })
          }
        />
      )}
      {opened.automation.pauseReason !== null && <PausedNotice reason={opened.automation.pauseReason} />}
      {isStale && isEditor && (
        <StaleDraftNotice
          savedBy={draft?.savedBy}
          onDiscard={() => setEnding('discard')}
          onKeep={() => {
            setStale(false)
            draftState.rebase(revisionOf(opened.etag))
            draftState.saveAgain()
          }}
        />
      )}
      {ending && (
        <ConfirmPanel
          key={`${ending.is} ${ending.n}`}
          action={ending.is}
          opened={opened}
          draftState={draftState}
          stats={stats}
          setBusy={setBusy}
          onDone={async (is) => {
            // Does not navigate if the user left the page.
            if (!isMounted.current) return
            setPending((now) => (now === ending ? undefined : now))
            if (is === 'discarded') {
              // Immediately: the discarded draft must not be edited further, even if the reload fails.
              open({ ...opened, draft: undefined, sequence: running })
              return await openAgain('none')
            }
            if (is !== 'deleted') return latest.current(is)
            draftState.giveUp()
            await navigate({ to: '/w/$workspaceId/automations', params: { workspaceId: workspace.id } })
          }}
          onCancel={() => setEnding(undefined)}
        />
      )}
      <LeaveGuard draftState={draftState} />
      {isBusy && <BusyOverlay />}
      <main className={classes.columns}>
        <div className={classes.canvas}>
          <View
            sequence={sequence}
            tree={tree}
            names={names}
            starts={starts}
            selected={selected}
            onSelect={selectIfValid}
            onAdd={canEdit ? openAdd : undefined}
            onActions={canEdit ? openActions : undefined}
            onMove={canEdit ? actions.move : undefined}
            onEdit={canEdit ? editStep : undefined}
            numbers={numbers}
          />
        </div>
        <SidePanel
          isOpen={step !== undefined}
          onClose={() => void (!focusInvalid() && navigate({ search: { view }, replace: true }))}
        >
          {isNumbers ? (
            <StatsPanel
              automation={automation}
              sequence={sequence}
              tree={tree}
              names={names}
              stats={stats}
              selected={selected}
            />
          ) : (
            <div ref={aside}>
              <Inspector
                sequence={sequence}
                tree={tree}
                names={names}
                emails={emails}
                selected={selected}
                act={act}
                canEdit={canEdit}
                newId={actions.newId}
                onAdd={(anchor) => openAdd(actions.placeAfter(selected), anchor)}
                onActions={(anchor) => openActions(selected, anchor)}
                onDesign={design}
              />
            </div>
          )}
        </SidePanel>
      </main>
      {designedFrom !== undefined && canDesign && (
        <Suspense>
          <StepDesigner tree={tree} selected={selected} act={act} select={select} onClose={closeDesigner} />
        </Suspense>
      )}
      {adding && (
        <AddStepMenu
          adding={adding}
          onAdd={actions.add}
          onPaste={actions.canPaste ? actions.paste : undefined}
          onClose={() => setAdding(undefined)}
        />
      )}
      {menu && menu.id === selected && (
        <StepActionsMenu
          {...menu}
          actions={actions}
          onEdit={() => editStep(selected)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}

/** Returns where a menu for the selection opens: next to its node, or in the middle of the page. */
function anchorOf(selected: Selected): DOMRect {
  const node = document.querySelector(`[data-id="${CSS.escape(selected)}"]`)
  return node?.getBoundingClientRect() ?? new DOMRect(innerWidth / 2, innerHeight / 3, 0, 0)
}

/** Checks whether the draft is based on an older version. */
const isBehind = ({ draft, etag }: LoadedAutomation): boolean =>
  draft !== undefined && draft.basedOn !== revisionOf(etag)
