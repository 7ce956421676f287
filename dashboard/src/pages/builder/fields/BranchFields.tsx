import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconArrowLeft, IconArrowRight, IconPlus, IconTrash } from '@tabler/icons-react'
import { IntegerInput } from '../../../components/IntegerInput.tsx'
import {
  addBranch,
  canRemoveBranch,
  editBranch,
  MAX_BRANCHES,
  removeBranch,
  renameBranch,
  shiftBranch,
} from '../branches.ts'
import classes from '../Builder.module.css'
import { shares } from '../describe-step.ts'
import type { ConditionStep, SplitStep } from '../steps.ts'
import { AutomationCondition } from './AutomationCondition.tsx'
import type { Edit, FieldsProps } from './StepFields.tsx'

const MAX_WEIGHT = 1_000_000

/** Edits the branches of a condition or a split. */
export const BranchesFields = ({ step, edit, isNew }: FieldsProps<ConditionStep | SplitStep>) => (
  <div className={classes.fields}>
    {step.branches.map((_, n) => (
      <div key={n} className={classes.rule} role="group" aria-label={`Branch ${n + 1}`}>
        <BranchFields step={step} branch={n} edit={edit} autoFocus={isNew && n === 0} />
        <BranchButtons step={step} branch={n} edit={edit} />
      </div>
    ))}
    {step.type === 'CONDITION' && <p className="small t2">Contacts who match no branch take “Otherwise”.</p>}
    {step.branches.length < MAX_BRANCHES && (
      <div>
        <Button leftSection={<IconPlus aria-hidden />} onClick={() => edit(addBranch(step), 'add')}>
          Add branch
        </Button>
      </div>
    )}
  </div>
)

/** Edits one branch: its name, and its condition or weight. */
export function BranchFields({
  step,
  branch,
  edit,
  autoFocus = false,
}: {
  step: ConditionStep | SplitStep
  branch: number
  edit: Edit
  autoFocus?: boolean
}) {
  const own = step.branches[branch]
  if (!own) return null
  return (
    <div className={classes.fields}>
      <TextInput
        label={`Branch ${branch + 1}: name`}
        autoFocus={autoFocus}
        onFocus={({ currentTarget }) => autoFocus && currentTarget.select()}
        value={own.name}
        onChange={({ currentTarget: { value } }) => edit(renameBranch(step, branch, value), `name ${branch}`)}
      />
      {step.type === 'CONDITION' ? (
        <AutomationCondition
          label="If the contact matches"
          condition={step.branches[branch]!.if}
          onChange={(condition) => edit(editBranch(step, branch, { if: condition }), `if ${branch}`)}
        />
      ) : (
        <IntegerInput
          label={`Branch ${branch + 1}: weight`}
          description={`${shares(step)[branch]} of contacts`}
          min={0}
          max={MAX_WEIGHT}
          value={step.branches[branch]!.weight}
          onChange={(weight) => edit(editBranch(step, branch, { weight: weight ?? 0 }), `weight ${branch}`)}
        />
      )}
    </div>
  )
}

function BranchButtons({ step, branch, edit }: { step: ConditionStep | SplitStep; branch: number; edit: Edit }) {
  const move = (by: 1 | -1) => {
    const fields = shiftBranch(step, branch, by)
    if (fields) edit(fields, `move ${branch}`)
  }
  if (step.branches.length === 1) return null
  return (
    <div className="row">
      <ActionIcon aria-label={`Move branch ${branch + 1} left`} disabled={branch === 0} onClick={() => move(-1)}>
        <IconArrowLeft aria-hidden />
      </ActionIcon>
      <ActionIcon
        aria-label={`Move branch ${branch + 1} right`}
        disabled={branch === step.branches.length - 1}
        onClick={() => move(1)}
      >
        <IconArrowRight aria-hidden />
      </ActionIcon>
      {canRemoveBranch(step) && (
        <ActionIcon
          aria-label={`Delete branch ${branch + 1}`}
          onClick={() => edit(removeBranch(step, branch), `delete ${branch}`)}
        >
          <IconTrash aria-hidden />
        </ActionIcon>
      )}
    </div>
  )
}
