import { IconLogout, IconPlus, IconTargetArrow } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { count, plural } from '../../lib/format.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import type { CanvasProps } from './canvas-props.ts'
import classes from './Outline.module.css'
import { branchSentence, detailOf, leaveRuleText, titleOf } from './describe-step.ts'
import { StatsLine } from './StatsLine.tsx'
import { addLabelOf } from './selection-label.ts'
import { refusedCount } from './step-stats.ts'
import { branchesOf, branchId, type ListRef, type Place, ROOT } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'
import type { Step } from './steps.ts'

/** Lists the steps on a phone, instead of the canvas. Branches are indented. */
export function Outline(props: CanvasProps) {
  const { sequence, names, starts, selected, onSelect, numbers } = props
  const { icon: Icon } = TRIGGERS[sequence.trigger]
  const { goal } = sequence
  const refused = numbers ? refusedCount(numbers) : 0
  return (
    <ol className={classes.outline} aria-label="Steps">
      <Item isSelected={selected === 'trigger'} onSelect={() => onSelect('trigger')} icon={<Icon aria-hidden />}>
        <span className="strong">{starts}</span>
        {numbers && (
          <span className="small t2">
            {count(numbers.enrolled)} enrolled{refused > 0 && `, ${plural(refused, 'entry', 'entries')} refused`}
          </span>
        )}
      </Item>
      <StepList {...props} steps={sequence.steps} list={ROOT} />
      <Item
        isSelected={selected === 'end'}
        onSelect={() => onSelect('end')}
        icon={goal ? <IconTargetArrow aria-hidden /> : <IconLogout aria-hidden />}
        tone="ok"
      >
        <span className="strong">End</span>
        {numbers ? (
          <span className="small t2">{count(numbers.completed)} completed</span>
        ) : (
          goal && <span className="small t2 cut">Goal: {leaveRuleText(goal, names)}</span>
        )}
      </Item>
    </ol>
  )
}

function StepList({ steps, list, ...props }: CanvasProps & { steps: readonly Step[]; list: ListRef }) {
  const { selected, onSelect, names, numbers } = props
  return (
    <>
      <AddItem {...props} place={{ ...list, at: 0 }} />
      {steps.map((step, at) => (
        <StepItems key={step.id} step={step} {...props}>
          <Item
            isStep
            isSelected={selected === step.id}
            onSelect={() => onSelect(step.id)}
            icon={<StepIcon step={step} />}
            tone={STEP_TYPES[step.type].tone}
          >
            <span className="strong cut">{titleOf(step, names)}</span>
            <span className="small t2 cut">
              <StepDetail step={step} names={names} numbers={numbers} />
            </span>
          </Item>
          <AddItem {...props} place={{ ...list, at: at + 1 }} />
        </StepItems>
      ))}
    </>
  )
}

/** A step, its branches, and the button that adds the next step. */
function StepItems({ step, children, ...props }: CanvasProps & { step: Step; children: [ReactNode, ReactNode] }) {
  const { selected, onSelect, names, numbers } = props
  const [item, add] = children
  return (
    <>
      {item}
      {branchesOf(step).map(({ name, steps, isOwn }, branch) => {
        const id = branchId(step.id, branch)
        const sentence = branchSentence(step, branch, names)
        const taken = numbers?.of(step.id)?.branches[branch]
        return (
          <li key={id} className={classes.branch}>
            <button
              type="button"
              className={`${classes.branchName} ${isOwn ? 'c-logic' : 'c-mute'}`}
              aria-pressed={selected === id}
              onClick={() => onSelect(id)}
            >
              {name || 'No name'}
              {taken !== undefined && `, ${count(taken)}`}
            </button>
            {sentence !== undefined && <span className="small t2"> {sentence}</span>}
            <ol aria-label={`Branch ${name}`}>
              <StepList {...props} steps={steps} list={{ parent: step.id, branch }} />
            </ol>
          </li>
        )
      })}
      {add}
    </>
  )
}

const StepIcon = ({ step }: { step: Step }) => {
  const { icon: Icon } = STEP_TYPES[step.type]
  return <Icon aria-hidden />
}

const AddItem = ({ place, onAdd, sequence, tree }: CanvasProps & { place: Place }) => (
  <li className={classes.between}>
    {onAdd && (
      <button
        type="button"
        className={classes.plus}
        aria-haspopup="menu"
        aria-label={addLabelOf(place, sequence.steps, tree)}
        onClick={({ currentTarget }) => onAdd(place, currentTarget.getBoundingClientRect())}
      >
        <IconPlus size={12} stroke={2.25} aria-hidden />
      </button>
    )}
  </li>
)

function StepDetail({ step, names, numbers }: Pick<CanvasProps, 'names' | 'numbers'> & { step: Step }): ReactNode {
  if (!numbers) return detailOf(step, names)
  const own = numbers.of(step.id)
  if (!own) return null
  if (!['WAIT', 'WAIT_UNTIL', 'EXIT'].includes(step.type)) return <StatsLine type={step.type} numbers={own} />
  return own.here > 0 ? `${count(own.here)} here` : 'No contacts here'
}

function Item({
  isSelected,
  isStep = false,
  onSelect,
  icon,
  tone = 'mute',
  children,
}: {
  isSelected: boolean
  isStep?: boolean
  onSelect: () => void
  icon: ReactNode
  tone?: string
  children: ReactNode
}) {
  return (
    <li>
      <button
        type="button"
        className={classes.item}
        aria-pressed={isSelected}
        onClick={onSelect}
        {...(isStep && { 'data-testid': 'step' })}
      >
        <span className={`${classes.mark} c-${tone}`}>{icon}</span>
        <span className={classes.labels}>{children}</span>
      </button>
    </li>
  )
}
