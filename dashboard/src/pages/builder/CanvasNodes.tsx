import { Handle, type NodeProps, Position } from '@xyflow/react'
import { IconAlertTriangle, IconLogout, IconTargetArrow } from '@tabler/icons-react'
import { memo, type ReactNode, use } from 'react'
import { count, plural } from '../../lib/format.ts'
import { TRIGGERS } from '../automations/triggers.ts'
import { SelectedContext } from './canvas-context.ts'
import type { CanvasNode } from './flow-elements.ts'
import classes from './Canvas.module.css'
import { branchSentence, detailOf, leaveRuleText, titleOf } from './describe-step.ts'
import { endProblem, problemOf, triggerProblem } from './problems.ts'
import { StatsLine } from './StatsLine.tsx'
import { branchesOf } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'

type Props = NodeProps<CanvasNode>

const useIsSelected = (id: string): true | undefined => use(SelectedContext) === id || undefined

/** Anchors of the lines. Users can't connect them. */
const Handles = () => (
  <>
    <Handle type="target" position={Position.Top} isConnectable={false} className={classes.handle} />
    <Handle type="source" position={Position.Bottom} isConnectable={false} className={classes.handle} />
  </>
)

export const TriggerCard = memo(({ id, data: { automation, numbers } }: Props) => {
  const isSelected = useIsSelected(id)
  if (!automation) return null
  const { sequence, starts } = automation
  const { icon: Icon } = TRIGGERS[sequence.trigger]
  const problem = numbers ? undefined : triggerProblem(sequence)
  return (
    <div className={`${classes.pill} ${classes.trigger}`} data-selected={isSelected}>
      <span className={classes.round}>
        <Icon aria-hidden />
      </span>
      <span className="strong cut">{starts}</span>
      {numbers ? (
        <span className="t2">{count(numbers.enrolled)} enrolled</span>
      ) : (
        sequence.entry.filter && <span className="small t2 push">filtered</span>
      )}
      {problem !== undefined && <IconAlertTriangle className={classes.problem} aria-label={problem} />}
      <Handles />
    </div>
  )
})

export const StepCard = memo(({ id, data: { laidOut, names, numbers } }: Props) => {
  const isSelected = useIsSelected(id)
  if (laidOut.kind !== 'step') return null
  const { step } = laidOut
  const { icon: Icon, tone, isPill } = STEP_TYPES[step.type]
  const problem = numbers ? undefined : problemOf(step)
  const own = numbers?.of(step.id)
  const title = titleOf(step, names)
  return (
    <div
      className={isPill ? classes.pill : classes.card}
      data-selected={isSelected}
      data-problem={problem !== undefined || undefined}
      data-testid="step"
      title={title}
    >
      {isPill ? (
        <>
          <Icon aria-hidden />
          <span className="strong cut">{title}</span>
          {own && own.here > 0 && <span className={classes.here}>{count(own.here)} here</span>}
        </>
      ) : (
        <>
          <span className={`${classes.mark} c-${tone}`}>
            <Icon aria-hidden />
          </span>
          <span className={classes.labels}>
            <span className={step.type === 'EMAIL' && step.subject === '' ? 't3' : 'strong cut'}>{title}</span>
            <span className="small t2 cut">
              {numbers ? own && <StatsLine type={step.type} numbers={own} /> : detailOf(step, names)}
            </span>
          </span>
        </>
      )}
      {problem !== undefined && <IconAlertTriangle className={classes.problem} aria-label={problem} />}
      <Handles />
    </div>
  )
})

export const BranchCard = memo(({ id, data: { laidOut, names, numbers } }: Props) => {
  const isSelected = useIsSelected(id)
  if (laidOut.kind !== 'branch') return null
  const { step, branch } = laidOut
  const { name = '', isOwn = false } = branchesOf(step)[branch] ?? {}
  const sentence = branchSentence(step, branch, names)
  const taken = numbers?.of(step.id)?.branches[branch]
  return (
    <div className={classes.branch} title={sentence}>
      <span className={`${classes.branchName} ${isOwn ? 'c-logic' : 'c-mute'}`} data-selected={isSelected}>
        <span className="cut">{name || 'No name'}</span>
        {taken !== undefined && <span>{count(taken)}</span>}
        {step.type === 'SPLIT' && <span>{sentence}</span>}
      </span>
      {step.type === 'CONDITION' && <span className={`small t2 cut ${classes.sentence}`}>{sentence}</span>}
      <Handles />
    </div>
  )
})

/** The point where branches join. */
export const JoinPoint = memo(() => <Handles />)

export const EndCard = memo(({ id, data: { automation, names, numbers } }: Props) => {
  const isSelected = useIsSelected(id)
  if (!automation) return null
  const { goal, exitOn } = automation.sequence
  const problem = numbers ? undefined : endProblem(automation.sequence)
  return (
    <div className={`${classes.pill} ${classes.end}`} data-selected={isSelected}>
      {goal ? <IconTargetArrow aria-hidden /> : <IconLogout aria-hidden />}
      <span className="strong">End</span>
      {numbers ? (
        <span>{count(numbers.completed)} completed</span>
      ) : (
        <EndRules>
          {goal && <span className="cut">goal: {leaveRuleText(goal, names)}</span>}
          {exitOn.length > 0 && <span>{plural(exitOn.length, 'exit rule')}</span>}
        </EndRules>
      )}
      {problem !== undefined && <IconAlertTriangle className={classes.problem} aria-label={problem} />}
      <Handles />
    </div>
  )
})

const EndRules = ({ children }: { children: ReactNode }) => <span className={`small ${classes.rules}`}>{children}</span>
