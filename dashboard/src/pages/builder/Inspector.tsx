import { Button } from '@mantine/core'
import { IconGitBranch, IconLogout, IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useMemo } from 'react'
import type { Source } from '../../components/conditions/condition.ts'
import type { Names } from '../../components/conditions/describe-condition.ts'
import type { Option } from '../../lib/options.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import classes from './Builder.module.css'
import type { Selected } from './canvas-context.ts'
import { actionOf, branchSentence } from './describe-step.ts'
import type { AutomationDraft, EditAction } from './draft.ts'
import { BranchFields } from './fields/BranchFields.tsx'
import { EndFields } from './fields/EndFields.tsx'
import { FieldsContext } from './fields/fields-context.ts'
import { NameField } from './fields/NameField.tsx'
import { type Edit, StepFields } from './fields/StepFields.tsx'
import { TriggerFields } from './fields/TriggerFields.tsx'
import { InspectorHead } from './InspectorHead.tsx'
import { problemOf } from './problems.ts'
import { branchesOf, type Located, parseBranchId, type TreeIndex } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'
import type { Step } from './steps.ts'

interface InspectorProps {
  sequence: AutomationDraft
  tree: TreeIndex
  names: Names
  /** The emails of the automation, also unpublished ones. */
  emails: readonly Option[]
  selected: Selected
  act: (act: EditAction) => void
  canEdit: boolean
  /** The step that was just added. */
  newId: string | undefined
  /** Opens the menu of steps to add after the selection. */
  onAdd: (anchor: DOMRect) => void
  /** Opens the menu of actions on the selection. */
  onActions: (anchor: DOMRect) => void
  /** Opens the selected email on the canvas. */
  onDesign: () => void
}

/** Edits the selected trigger, step, branch or end. */
export function Inspector(props: InspectorProps) {
  const { sequence, tree, selected, canEdit, onAdd } = props
  const sources = useSources(sequence, tree)
  const { eventName } = sequence.triggerConfig
  const trigger = typeof eventName === 'string' ? eventName : undefined
  const { emails, onDesign } = props
  const context = useMemo(() => ({ sources, emails, trigger, onDesign }), [sources, emails, trigger, onDesign])
  const own = parseBranchId(selected)
  const found = tree.find(own?.stepId ?? selected)
  return (
    <FieldsContext value={context}>
      <fieldset disabled={!canEdit} className="plainFields" onKeyDown={blurOnEscape}>
        {found && own ? (
          <BranchInspector {...props} found={found} branch={own.branch} />
        ) : found ? (
          <StepInspector {...props} found={found} />
        ) : (
          <AutomationInspector {...props} />
        )}
        {canEdit && (
          <div className={classes.section}>
            <div>
              <Button
                leftSection={<IconPlus aria-hidden />}
                onClick={({ currentTarget }) => onAdd(currentTarget.getBoundingClientRect())}
              >
                Add next step
              </Button>
            </div>
          </div>
        )}
      </fieldset>
    </FieldsContext>
  )
}

/** The data of the automation that its conditions can use. */
function useSources({ trigger }: AutomationDraft, tree: TreeIndex): readonly Source[] {
  return useMemo(() => {
    const hasEvent = trigger === 'EVENT'
    const savesData = tree.order.some((id) => tree.find(id)?.step.type === 'WEBHOOK')
    return [...(hasEvent ? (['eventData'] as const) : []), ...(savesData ? (['stepData'] as const) : [])]
  }, [trigger, tree])
}

function AutomationInspector({ sequence, selected, act }: InspectorProps) {
  const set = (fields: Partial<Omit<AutomationDraft, 'steps'>>) => act({ do: 'change', change: { do: 'set', fields } })
  if (selected === 'end')
    return (
      <>
        <InspectorHead
          icon={IconLogout}
          tone="mute"
          title="End"
          subtitle="Contacts who get here have completed the automation"
        />
        <EndFields sequence={sequence} set={set} />
      </>
    )
  return (
    <>
      <InspectorHead
        icon={TRIGGERS[sequence.trigger].icon}
        tone="mute"
        title="Trigger"
        subtitle="Starts the automation for a contact"
      />
      <TriggerFields sequence={sequence} set={set} />
    </>
  )
}

function StepInspector({
  found: { step, number },
  act,
  canEdit,
  names,
  newId,
  onActions,
}: InspectorProps & { found: Located }) {
  const edit = editOf(act, step.id)
  const { icon, tone } = STEP_TYPES[step.type]
  return (
    <>
      <InspectorHead
        icon={icon}
        tone={tone}
        title={`Step ${number}`}
        subtitle={subtitleOf(step, names)}
        onActions={canEdit ? onActions : undefined}
      />
      <ProblemNotice>{problemOf(step)}</ProblemNotice>
      <StepFields key={`${step.id} ${canEdit}`} step={step} edit={edit} canEdit={canEdit} isNew={newId === step.id} />
      <div className={classes.section}>
        <NameField step={step} edit={edit} />
      </div>
    </>
  )
}

function BranchInspector({
  found: { step, number },
  branch,
  act,
  canEdit,
  names,
  onActions,
}: InspectorProps & { found: Located; branch: number }) {
  const { name = '', isOwn = false } = branchesOf(step)[branch] ?? {}
  const canName = isOwn && (step.type === 'CONDITION' || step.type === 'SPLIT')
  return (
    <>
      <InspectorHead
        icon={IconGitBranch}
        tone={isOwn ? 'logic' : 'mute'}
        title={`Branch “${name}”`}
        subtitle={`Step ${number}: ${branchSentence(step, branch, names) ?? STEP_TYPES[step.type].label}`}
        onActions={canEdit ? onActions : undefined}
      />
      {canName ? (
        <BranchFields key={`${step.id} ${branch}`} step={step} branch={branch} edit={editOf(act, step.id)} />
      ) : (
        <p className="t2">{FIXED_BRANCHES[name]}</p>
      )}
    </>
  )
}

const FIXED_BRANCHES: Readonly<Record<string, string>> = {
  Otherwise: 'Contacts who match no other branch take this one.',
  Received: 'Contacts take this branch as soon as the event arrives.',
  'Timed out': 'Contacts without the event take this branch after the longest wait.',
}

const editOf =
  (act: InspectorProps['act'], id: string): Edit =>
  (fields, group) =>
    act({ do: 'change', change: { do: 'edit', id, fields, ...(group !== undefined && { group }) } })

const ProblemNotice = ({ children }: { children: ReactNode }) =>
  children !== undefined && (
    <p className="small" role="alert" style={{ color: 'var(--bad)', marginBottom: 12 }}>
      {children}.
    </p>
  )

/** The type of a step and its action, unless the action names the type: "Wait 2 days". */
function subtitleOf(step: Step, names: Names): string {
  const { label, group } = STEP_TYPES[step.type]
  if (step.type === 'EMAIL' || step.type === 'EXIT') return label
  return group === 'Wait' ? actionOf(step, names) : `${label}: ${actionOf(step, names)}`
}

/** Leaves the field on Escape, so that the builder's shortcuts work. */
function blurOnEscape({ key, target, defaultPrevented }: KeyboardEvent): void {
  if (key === 'Escape' && !defaultPrevented) (target as HTMLElement).blur()
}
