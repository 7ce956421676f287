import { Suspense, useCallback, useMemo, useRef } from 'react'
import { useHasRole } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { lazyPart } from '../../lib/load-with-retry.ts'
import { useIsPhone } from '../../lib/use-is-phone.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import { AddStepMenu } from './AddStepMenu.tsx'
import { AutomationMenu } from './AutomationMenu.tsx'
import classes from './Builder.module.css'
import { BuilderBar } from './BuilderBar.tsx'
import { BuilderNotices } from './BuilderNotices.tsx'
import { BusyOverlay } from './BusyOverlay.tsx'
import { Canvas } from './Canvas.tsx'
import { ConfirmPanel } from './ConfirmPanel.tsx'
import { Inspector } from './Inspector.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { type LoadedAutomation, loadedDraftOf } from './load-automation.ts'
import { Outline } from './Outline.tsx'
import { PublishButton } from './PublishButton.tsx'
import { SidePanel } from './SidePanel.tsx'
import { StatsPanel } from './StatsPanel.tsx'
import { StepActionsMenu } from './StepActionsMenu.tsx'
import { statsByStep } from './step-stats.ts'
import { indexTree } from './step-tree.ts'
import { useAutomationStats } from './use-automation-stats.ts'
import { useBuilderKeys } from './use-builder-keys.ts'
import { anchorOf, useBuilderMenus } from './use-builder-menus.ts'
import { useDraft } from './use-draft.ts'
import { useEmailNames } from './use-email-names.ts'
import { useOpenedAutomation } from './use-opened-automation.ts'
import { usePendingAction } from './use-pending-action.ts'
import { useSelectedStep } from './use-selected-step.ts'
import { useStepActions } from './use-step-actions.ts'
import { useStepDesigner } from './use-step-designer.ts'

const StepDesigner = lazyPart(async () => (await import('./StepDesigner.tsx')).StepDesigner)

/** Edits an automation and shows its stats. @param given the automation as loaded when the page opened; later changes are handled here */
export function Builder({ given }: { given: LoadedAutomation }) {
  const { id } = given.automation
  const isEditor = useHasRole('editor')
  const aside = useRef<HTMLDivElement>(null)
  /** Focuses an invalid field, if there is one. Leaving the step would lose its text. */
  const focusInvalid = useCallback(() => aside.current !== null && focusInvalidField(aside.current), [])
  const { view, selected, hasSelection, select, selectIfValid, clear, show } = useSelectedStep(id, focusInvalid)
  const draftState = useDraft(id, loadedDraftOf(given))
  const { edited, act } = draftState
  const { stats, statsUpdatedAt, isDeleted } = useAutomationStats(id)
  const current = useOpenedAutomation({ given, draftState, stats, statsUpdatedAt, selected, select })
  const { opened, isBusy, setBusy } = current
  const { automation } = opened
  const { pending, ask, cancel, finish } = usePendingAction(current, draftState)

  const isNumbers = view === 'numbers'
  const canEdit = isEditor && !isNumbers && !isBusy && !isDeleted
  const sequence = isNumbers ? current.running : edited.now
  const tree = useMemo(() => indexTree(sequence.steps), [sequence.steps])
  const { names, emails } = useEmailNames(tree)
  const starts = TRIGGERS[sequence.trigger].label(
    sequence.triggerConfig,
    (one) => names.list(one) ?? names.segment(one),
  )
  const numbers = useMemo(() => {
    if (!isNumbers || !stats) return undefined
    const by = statsByStep(sequence, stats)
    return { ...stats, of: (step: string) => by.get(step) }
  }, [isNumbers, stats, sequence])

  const actions = useStepActions({ sequence, tree, selected, act, select, focusInvalid })
  const { menu, openAdd, openActions, closeMenu } = useBuilderMenus({ select, focusInvalid })
  const { isDesigning, design, closeDesigner, editStep } = useStepDesigner({ tree, selected, canEdit, aside })
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
    onPause: () => isEditor && automation.status === 'ACTIVE' && ask('pause'),
    onView: show,
  })

  const View = useIsPhone() ? Outline : Canvas
  const shown = { sequence, tree, names, selected }
  return (
    <>
      <BuilderBar
        automation={automation}
        name={sequence.name}
        draftState={draftState}
        view={view}
        canEdit={canEdit}
        focusInvalid={focusInvalid}
      >
        {isEditor && (
          <>
            <AutomationMenu status={automation.status} canDiscard={draftState.hasDraft && !isBusy} onChoose={ask} />
            <PublishButton
              current={current}
              draftState={draftState}
              stats={stats}
              onFix={(at) => {
                select(at)
                // Its fields are shown in the next render.
                requestAnimationFrame(() => editStep(at))
              }}
              focusInvalid={focusInvalid}
            />
          </>
        )}
      </BuilderBar>
      <BuilderNotices
        current={current}
        draftState={draftState}
        isDeleted={isDeleted}
        onDiscard={() => ask('discard')}
      />
      {pending && (
        <ConfirmPanel
          key={`${pending.action} ${pending.key}`}
          action={pending.action}
          opened={pending.opened}
          draftState={draftState}
          stats={stats}
          setBusy={setBusy}
          onDone={finish}
          onCancel={cancel}
        />
      )}
      <LeaveGuard draftState={draftState} />
      {isBusy && <BusyOverlay />}
      <main className={classes.columns}>
        <div className={classes.canvas}>
          <View
            {...shown}
            starts={starts}
            onSelect={selectIfValid}
            onAdd={canEdit ? openAdd : undefined}
            onActions={canEdit ? openActions : undefined}
            onMove={canEdit ? actions.move : undefined}
            onEdit={canEdit ? editStep : undefined}
            numbers={numbers}
          />
        </div>
        <SidePanel isOpen={hasSelection} onClose={clear}>
          {isNumbers ? (
            <StatsPanel {...shown} automation={automation} stats={stats} />
          ) : (
            <div ref={aside}>
              <Inspector
                {...shown}
                emails={emails}
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
      {isDesigning && (
        <Suspense>
          <StepDesigner tree={tree} selected={selected} act={act} select={select} onClose={closeDesigner} />
        </Suspense>
      )}
      {menu?.kind === 'add' && (
        <AddStepMenu
          adding={menu}
          onAdd={actions.add}
          onPaste={actions.canPaste ? actions.paste : undefined}
          onClose={closeMenu}
        />
      )}
      {menu?.kind === 'actions' && menu.id === selected && (
        <StepActionsMenu
          id={menu.id}
          anchor={menu.anchor}
          actions={actions}
          onEdit={() => editStep(selected)}
          onClose={closeMenu}
        />
      )}
    </>
  )
}
